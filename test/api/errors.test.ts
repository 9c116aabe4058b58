import test from 'ava';
import { MoonError, ReplyError } from '../../src/errors.ts';
import type { NativeBinding } from '../../src/native/binding.ts';
import { findPackageRoot, loadBindingFrom, type LoadHost } from '../../src/native/load.ts';
import { moonVersion } from '../../src/version.ts';
import { read } from '../tidy/tree.ts';

const binding: NativeBinding = { tablesHash: 'abc', start: () => undefined };

const host = (differences: Partial<LoadHost> = {}): LoadHost => ({
  platform: 'linux',
  arch: 'x64',
  nodeVersion: '20.20.2',
  napi: '9',
  glibcVersion: () => '2.36',
  packageRoot: '/app/node_modules/moon-server',
  resolve: () => '/app/x.node',
  load: () => binding,
  ...differences,
});

const fail = (message: string) => (): never => {
  throw new Error(message);
};

test('the text of an error tells found, needed and the line to run', (t) => {
  const cause = new Error('below');
  const error = new MoonError('ERR_MOON_START', 'It broke', {
    found: 'a',
    needed: 'b',
    fix: 'do c',
    cause,
  });
  t.is(error.message, 'It broke\n  found:  a\n  needed: b\n  to fix: do c');
  t.is(error.cause, cause);
  t.is(error.name, 'MoonError');
  t.is(new MoonError('ERR_MOON_START', 'It broke').message, 'It broke');
});

test("a reply error's code is its first word", (t) => {
  t.is(new ReplyError('WRONGTYPE Operation').code, 'WRONGTYPE');
  t.is(new ReplyError('OOM').code, 'OOM');
  t.is(new ReplyError('ERR x').withCommand('GET').command, 'GET');
});

test('a binary that fits is loaded', (t) => {
  t.is(loadBindingFrom(host(), 'abc'), binding);
});

const refusals: [string, Partial<LoadHost>, string, RegExp][] = [
  ['another system', { platform: 'darwin' }, 'ERR_MOON_UNSUPPORTED_PLATFORM', /darwin x64/],
  ['another processor', { arch: 'ia32' }, 'ERR_MOON_UNSUPPORTED_PLATFORM', /linux ia32/],
  ['an old Node', { napi: '8' }, 'ERR_MOON_UNSUPPORTED_NODE', /Node-API 8.*\n.*Node 20 or newer/],
  ['no Node-API', { napi: undefined }, 'ERR_MOON_UNSUPPORTED_NODE', /Node-API unknown/],
  ['moved by a bundler', { packageRoot: undefined }, 'ERR_MOON_BINARY_MISSING', /external/],
  ['no build', { resolve: fail('No native build') }, 'ERR_MOON_BINARY_MISSING', /linux x64/],
  [
    'musl',
    { resolve: fail('none'), glibcVersion: () => undefined },
    'ERR_MOON_UNSUPPORTED_LIBC',
    /node:20-slim/,
  ],
  [
    'an old glibc',
    { load: fail("version `GLIBC_2.34' not found"), glibcVersion: () => '2.31' },
    'ERR_MOON_UNSUPPORTED_LIBC',
    /glibc 2\.31/,
  ],
  ['a broken file', { load: fail('file too short') }, 'ERR_MOON_BINARY_BROKEN', /too short/],
  ['another addon', { load: () => ({}) }, 'ERR_MOON_BINARY_BROKEN', /tablesHash/],
];

for (const [title, differences, code, text] of refusals) {
  test(`loading refuses with cause and cure: ${title}`, (t) => {
    const error = t.throws(() => loadBindingFrom(host(differences), 'abc'), {
      instanceOf: MoonError,
      code,
    });
    t.regex(error?.message ?? '', text);
    t.regex(error?.message ?? '', /to fix: /);
  });
}

test('a binary from other tables is refused', (t) => {
  t.throws(() => loadBindingFrom(host(), 'xyz'), {
    code: 'ERR_MOON_BINARY_MISMATCH',
    message: /tables abc\n.*tables xyz/,
  });
});

test('the package finds itself, and its version is that of package.json', (t) => {
  const root = findPackageRoot();
  t.truthy(root);
  t.is((JSON.parse(read('package.json')) as { version: string }).version, moonVersion);
  t.is(findPackageRoot('/nowhere/at/all.js'), undefined);
});
