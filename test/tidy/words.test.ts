import test from 'ava';
import { blankCpp, linesWithAny } from './functions.ts';
import { FILES, TEXTS, none, read } from './tree.ts';
import { BANNED } from './words.ts';

/** This list names what it bans. */
const ITSELF = /^test\/tidy\/words(\.test)?\.ts$/;

const lineOf = (text: string, index: number): number => text.slice(0, index).split('\n').length;

/** Words of code are looked for in code, not in comments; the others everywhere. */
const IN_COMMENTS_TOO = /TODO|FIXME|npmjs|work\|/;

test('every word is one that belongs here', (t) => {
  const wrong = TEXTS.filter((path) => !ITSELF.test(path)).flatMap((path) => {
    const text = read(path);
    const code = /\.(cc|h)$/.test(path) ? blankCpp(text) : text;
    return BANNED.filter(({ where }) => where.test(path)).flatMap(({ pattern, instead }) => {
      const searched = IN_COMMENTS_TOO.test(pattern.source) ? text : code;
      const found = new RegExp(pattern, `${pattern.flags}g`);
      return [...searched.matchAll(found)].map(
        (match) => `${path}:${lineOf(searched, match.index)}: "${match[0].trim()}"; use ${instead}`,
      );
    });
  });
  none(t, wrong);
});

test('the banned words are found when they are written', (t) => {
  const hit = (path: string, text: string): boolean =>
    BANNED.some(({ where, pattern }) => where.test(path) && pattern.test(text));
  t.true(hit('src-native/base/a.cc', 'std::random_device seed;'));
  t.true(hit('src-native/base/a.cc', '  assert(x);'));
  t.false(hit('src-native/base/a.cc', '  static_assert(x); MOON_ASSERT(y);'));
  t.deepEqual(linesWithAny('a.ts', '// as any\nconst a: any = 1;'), [2]);
  t.true(hit('README.md', 'see /home/someone/x'));
  t.false(hit('README.md', 'see ./work/x and proof-of-work/x'));
});

test('TypeScript is written without any', (t) => {
  const wrong = FILES.filter((path) => /\.m?ts$/.test(path)).flatMap((path) =>
    linesWithAny(path, read(path)).map((line) => `${path}:${line}: unknown or the real type`),
  );
  none(t, wrong);
});

test('headers open with their contract', (t) => {
  const wrong = FILES.filter((path) => path.startsWith('src-native/') && path.endsWith('.h'))
    .filter((path) => !/^\/[/*]/.test(read(path)))
    .map((path) => `${path}: what it is, which thread may touch it, invariants`);
  none(t, wrong);
});

test('file names: snake_case in C++, kebab-case in TypeScript', (t) => {
  const wrong = FILES.filter((path) => {
    const name = path.split('/').at(-1) ?? '';
    if (/\.(cc|h|inc)$/.test(name)) return !/^[a-z0-9_]+(\.[a-z0-9]+)*$/.test(name);
    if (/\.(ts|mts|mjs)$/.test(name)) return !/^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)+$/.test(name);
    return false;
  });
  none(t, wrong);
});
