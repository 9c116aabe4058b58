// Words that do not belong into the repository, each with what to write instead.

export interface BannedWord {
  readonly pattern: RegExp;
  readonly where: RegExp;
  readonly instead: string;
}

const CPP = /^src-native\/.*\.(cc|h)$/;
const ENGINE = /^src-native\/(?!addon\/).*(?<!_test|_fuzz|_bench)\.(cc|h)$/;
const TS = /\.m?ts$/;
const LIBRARY = /^src\/(?!cli\/).*\.ts$/;
const ANY = /^/;

export const BANNED: readonly BannedWord[] = [
  {
    pattern: /std::random_device/,
    where: CPP,
    instead: 'getrandom(): random_device raises the glibc floor to 2.36 on arm64',
  },
  { pattern: /(?<![\w:])assert\s*\(/, where: CPP, instead: 'MOON_ASSERT or MOON_DASSERT' },
  { pattern: /\bstd::endl\b/, where: CPP, instead: "'\\n'" },
  { pattern: /\busing namespace std\b/, where: CPP, instead: 'the qualified name' },
  { pattern: /(?<!_)\bNULL\b(?!\s*(?:"|'))/, where: CPP, instead: 'nullptr' },
  { pattern: /^\s*typedef\b/m, where: CPP, instead: 'using' },
  {
    pattern: /\b(?:strcpy|strcat|sprintf|gets|atoi|atol)\s*\(/,
    where: CPP,
    instead: 'a function that knows the length: snprintf, std::from_chars',
  },
  { pattern: /(?<![\w:.>])s?rand\s*\(/, where: ENGINE, instead: 'the generator of the shard' },
  {
    pattern: /\bthread_local\b/,
    where: ENGINE,
    instead: 'pass the shard: in a loaded library each access is a function call',
  },
  { pattern: /#\s*if 0\b/, where: CPP, instead: 'nothing: dead code goes' },
  { pattern: /\b(?:exit|_exit|quick_exit)\s*\(/, where: ENGINE, instead: 'an error to the caller' },
  { pattern: /\b(?:FIXME|XXX|HACK)\b/, where: CPP, instead: 'the mended code, or TODO(condition)' },
  { pattern: /\b(?:FIXME|XXX|HACK)\b/, where: TS, instead: 'the mended code, or TODO(condition)' },
  { pattern: /\bTODO\b(?!\()/, where: CPP, instead: 'TODO(condition under which it will be done)' },
  { pattern: /\bTODO\b(?!\()/, where: TS, instead: 'TODO(condition under which it will be done)' },
  { pattern: /@ts-(?:ignore|nocheck)\b/, where: TS, instead: 'code that type-checks' },
  {
    pattern: /^export default\b/m,
    where: /^(src|test|bench)\/.*\.ts$/,
    instead: 'a named export',
  },
  { pattern: /\btest\.only\b/, where: TS, instead: 'test' },
  { pattern: /\bconsole\.\w+\s*\(/, where: LIBRARY, instead: 'the logger of src/log/' },
  { pattern: /\bprocess\.exit\s*\(/, where: LIBRARY, instead: 'an error: the library never exits' },
  { pattern: /\bprocess\.on\s*\(\s*['"]SIG/, where: LIBRARY, instead: 'a handler in src/cli/' },
  {
    pattern: /\b(?:registry\.npm|npmjs\.org|deb\.debian|security\.debian|registry\.yarnpkg)/,
    where: ANY,
    instead: 'the name of the package: no registry hosts in tracked files',
  },
  {
    pattern: /(?<![\w.$}:-])\/(?:work|farm|home|root)\/[\w.]/,
    where: ANY,
    instead: 'a path relative to the repository: no paths of one machine',
  },
];
