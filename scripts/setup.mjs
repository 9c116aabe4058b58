// Makes a fresh Debian machine (Node 20, npm, git, python3, make, g++) ready: system packages by
// apt-get when root, otherwise one line to run; then the npm packages. Nothing is done that is
// already done, so every script calls it first. Plain Node: it runs before `npm ci`.
//
//   node scripts/setup.mjs [run|test|bench|fuzz]
import { existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT, fail, mustRun, onPath, run, say } from './lib.mjs';

const inLibraryFolders = (name) =>
  ['/usr/lib', ...readdirSync('/usr/lib').map((dir) => `/usr/lib/${dir}`)].some((dir) =>
    existsSync(join(dir, name)),
  );

const hasFuzzerRuntime = () => {
  const versions = '/usr/lib/llvm-14/lib/clang';
  return (
    existsSync(versions) &&
    readdirSync(versions).some((version) => {
      const dir = join(versions, version, 'lib/linux');
      return existsSync(dir) && readdirSync(dir).some((file) => file.includes('rt.fuzzer'));
    })
  );
};

/** Debian package -> is it there? */
const PRESENT = {
  'g++': () => onPath('g++'),
  make: () => onPath('make'),
  python3: () => onPath('python3'),
  ccache: () => onPath('ccache'),
  'liburing-dev': () => existsSync('/usr/include/liburing.h') && inLibraryFolders('liburing.a'),
  'libxxhash-dev': () => existsSync('/usr/include/xxhash.h'),
  'libgtest-dev': () => existsSync('/usr/include/gtest/gtest.h') && inLibraryFolders('libgtest.a'),
  'redis-server': () => onPath('redis-server'),
  'redis-tools': () => onPath('redis-cli') && onPath('redis-benchmark'),
  'clang-14': () => onPath('clang++-14'),
  'libclang-rt-14-dev': hasFuzzerRuntime,
  strace: () => onPath('strace'),
  valgrind: () => onPath('valgrind'),
};

const BUILD = ['g++', 'make', 'python3', 'ccache', 'liburing-dev', 'libxxhash-dev'];
const REDIS = ['redis-server', 'redis-tools'];
const FUZZ = ['clang-14', 'libclang-rt-14-dev'];
const NEEDED = {
  run: BUILD,
  fuzz: [...BUILD, ...FUZZ],
  bench: [...BUILD, ...REDIS, 'strace', 'valgrind'],
  test: [...BUILD, 'libgtest-dev', ...REDIS, ...FUZZ],
};

/** Debian starts a service when its package comes; here Redis is a tool, not a service. */
function withoutServices(action) {
  const policy = '/usr/sbin/policy-rc.d';
  const ours = !existsSync(policy);
  if (ours) writeFileSync(policy, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    return action();
  } finally {
    if (ours) rmSync(policy);
  }
}

function ensureSystemPackages(purpose) {
  const missing = NEEDED[purpose].filter((name) => !PRESENT[name]());
  if (missing.length === 0) return;
  const root = process.getuid?.() === 0 && onPath('apt-get');
  // Without ccache everything works, only slower: not worth stopping a user who is not root.
  if (!root && missing.every((name) => name === 'ccache')) return;
  const install = ['install', '-y', '--no-install-recommends', ...missing];
  const byHand = `sudo apt-get update && sudo apt-get ${install.join(' ')}`;
  if (!root) {
    fail(`missing: ${missing.join(', ')}. Run this line, then try again:\n\n  ${byHand}\n`);
  }
  say(`installing ${missing.join(', ')}`);
  const env = { DEBIAN_FRONTEND: 'noninteractive' };
  mustRun('apt-get', ['update', '-qq'], { env });
  withoutServices(() => mustRun('apt-get', ['-qq', ...install], { env }));
  if (missing.includes('redis-server') && existsSync('/run/systemd/system')) {
    run('systemctl', ['disable', '--quiet', 'redis-server']);
  }
}

const readJson = (name) => JSON.parse(readFileSync(join(ROOT, name), 'utf8'));

/** npm keeps what it installed in a hidden lock file: compare it with ours, package by package. */
function npmPackagesMatch() {
  if (!existsSync(join(ROOT, 'node_modules/.package-lock.json'))) return false;
  const wanted = readJson('package-lock.json').packages;
  const installed = readJson('node_modules/.package-lock.json').packages;
  return Object.entries(wanted).every(
    ([path, { version, optional, peer }]) =>
      path === '' || optional || peer || installed[path]?.version === version,
  );
}

export function ensureNpmPackages() {
  const locked = existsSync(join(ROOT, 'package-lock.json'));
  if (locked && npmPackagesMatch()) return;
  say('installing npm packages');
  const npm = process.env.npm_execpath;
  const [command, first] = npm ? [process.execPath, [npm]] : ['npm', []];
  const verb = locked ? 'ci' : 'install';
  mustRun(command, [...first, verb, '--ignore-scripts', '--no-audit', '--no-fund']);
}

export function setup(purpose) {
  const major = Number(process.versions.node.split('.')[0]);
  if (major < 20) fail(`Node ${process.version} found, Node 20 or newer is needed`);
  ensureSystemPackages(purpose);
  ensureNpmPackages();
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const purpose = process.argv[2] ?? 'test';
  if (!(purpose in NEEDED)) fail(`no such purpose: ${purpose}; ${Object.keys(NEEDED).join(', ')}`);
  setup(purpose);
}
