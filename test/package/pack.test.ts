// The published package as a stranger meets it: packed, installed into an empty folder by a machine
// that has Node and npm but no compiler, no Python and no git, with install scripts allowed.
import { type ExecFileSyncOptions, execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import test from 'ava';
import { ROOT, read } from '../tidy/tree.ts';

const { version } = JSON.parse(read('package.json')) as { version: string };
const scratch = mkdtempSync(join(tmpdir(), 'moon-pack-'));
const app = join(scratch, 'app');
const bin = join(scratch, 'bin');
const packageDir = join(app, 'node_modules/moon-server');
const BINARY = `prebuilds/${process.platform}-${process.arch}/moon-server.glibc.node`;
let files: readonly string[] = [];

/** Only what npm itself needs, by links; whatever would compile is not to be found. */
function makeBareMachine(): void {
  mkdirSync(bin, { recursive: true });
  const folders = [...(process.env['PATH'] ?? '').split(delimiter), '/usr/bin', '/bin'];
  for (const name of ['node', 'npm', 'npx', 'sh', 'env']) {
    const own = folders.filter((dir) => !dir.includes('node_modules'));
    const folder = own.find((dir) => existsSync(join(dir, name)));
    if (folder) symlinkSync(join(folder, name), join(bin, name));
  }
}

function sh(command: string, args: readonly string[], options: ExecFileSyncOptions = {}): string {
  // npm tells its children about the package it runs for; ours is another one.
  const env = Object.entries(process.env).filter(([name]) => !/^(npm_|INIT_CWD)/.test(name));
  const settings = { cwd: app, timeout: 110_000, ...options };
  const bare = { ...Object.fromEntries(env), PATH: bin };
  return execFileSync(command, args, { env: bare, ...settings, encoding: 'utf8' });
}

const install = (...args: string[]): string =>
  sh('npm', [...args, '--prefer-offline', '--no-audit', '--no-fund']);

test.before('pack and install', (t) => {
  t.timeout(115_000);
  mkdirSync(app, { recursive: true });
  makeBareMachine();
  // What `npm run prebuild` and `npm run build:ts` gave lies there: the tarball needs no build now.
  const pack = ['pack', '--json', '--ignore-scripts', '--pack-destination', scratch];
  const [packed] = JSON.parse(sh('npm', pack, { cwd: ROOT })) as [
    { filename: string; files: { path: string }[] },
  ];
  files = packed.files.map(({ path }) => path);
  writeFileSync(join(app, 'package.json'), '{ "name": "app", "private": true }\n');
  install('install', join(scratch, packed.filename));
});

test.after.always('tidy up', () => {
  rmSync(scratch, { recursive: true, force: true });
});

test.serial('the tarball carries what runs, and nothing that compiles', (t) => {
  const dist = ['index.cjs', 'index.mjs', 'index.d.cts', 'index.d.mts', 'cli.cjs'];
  for (const needed of ['LICENSE', 'README.md', BINARY, ...dist.map((name) => `dist/${name}`)]) {
    t.true(files.includes(needed), needed);
  }
  const foreign = files.filter((path) => /^(binding\.gyp|src|scripts|test)\b/.test(path));
  t.deepEqual(foreign, []);
});

test.serial('npm ci installs it without a compiler', (t) => {
  rmSync(join(app, 'node_modules'), { recursive: true });
  t.notThrows(() => install('ci'));
  t.true(existsSync(join(packageDir, BINARY)));
  t.false(existsSync(join(packageDir, 'build')));
});

test('import and require give the same module', (t) => {
  writeFileSync(
    join(app, 'same.mjs'),
    `import { createRequire } from 'node:module';
     import * as imported from 'moon-server';
     const required = createRequire(import.meta.url)('moon-server');
     const names = Object.keys(required).sort();
     const same = names.every((name) => required[name] === imported[name]);
     process.stdout.write(JSON.stringify({ same, names }));`,
  );
  const result = JSON.parse(sh('node', ['same.mjs'])) as { same: boolean; names: string[] };
  t.true(result.same);
  t.true(result.names.includes('startServer'));
});

test('a program that requires it runs a server', (t) => {
  writeFileSync(
    join(app, 'serve.cjs'),
    `const { startServer } = require('moon-server');
     startServer({ port: 0, shards: 2 }).then(async (server) => {
       await server.call('SET', 'k', 'v');
       process.stdout.write(String(await server.call('GET', 'k')));
       await server.close();
     });`,
  );
  t.is(sh('node', ['serve.cjs']), 'v');
});

test('npx moon-server --version', (t) => {
  t.true(sh('npx', ['moon-server', '--version']).includes(version));
});

test('the manifest suits every kind of program: publint, arethetypeswrong', (t) => {
  const tool = (name: string, ...args: string[]) =>
    sh(process.execPath, [join(ROOT, 'node_modules', name), ...args], { cwd: ROOT });
  const tarball = join(scratch, `moon-server-${version}.tgz`);
  t.notThrows(() => tool('publint/src/cli.js', '--strict', '--pack', 'false', '.'));
  t.notThrows(() => tool('@arethetypeswrong/cli/dist/index.js', tarball));
  t.true(readFileSync(tarball).length < 30_000_000);
});
