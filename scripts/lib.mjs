// What the scripts share: paths, running a child, input stamps. Plain Node: used before npm ci.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const STAMPS = join(ROOT, 'build-native', 'stamps');

export const say = (text) => process.stderr.write(`moon-server: ${text}\n`);

export function fail(text) {
  say(text);
  process.exit(1);
}

/** Runs a command in the repository; the child speaks to our terminal. Returns the exit code. */
export function run(command, args, options = {}) {
  const { env, ...rest } = options;
  const done = spawnSync(command, args, {
    cwd: ROOT,
    stdio: ['ignore', 2, 2],
    env: { ...process.env, ...env },
    ...rest,
  });
  if (done.error) throw done.error;
  return done.status ?? 1;
}

/** What `make -C src-native list` says: lines of a word and its value. */
export function listNative(variant) {
  const args = ['-C', 'src-native', '-s', '--no-print-directory', `VARIANT=${variant}`, 'list'];
  const text = execFileSync('make', args, { cwd: ROOT, encoding: 'utf8' });
  const lines = text.split('\n').map((line) => /^(\w+) (.*)$/.exec(line) ?? []);
  return (word) => lines.flatMap(([, name, value]) => (name === word ? [value.trim()] : []));
}

export function mustRun(command, args, options) {
  const code = run(command, args, options);
  if (code !== 0) fail(`${command} ${args.slice(0, 4).join(' ')} failed with ${code}`);
}

/**
 * Runs one of our scripts while no other process builds in this checkout: tests, a server being
 * started and `npm pack` may ask for the same build at the same time.
 */
export function runLocked(script, args = []) {
  mkdirSync(STAMPS, { recursive: true });
  const own = [process.execPath, join(ROOT, 'scripts', script), '--locked', ...args];
  if (run('flock', [join(STAMPS, 'lock'), ...own]) !== 0) process.exit(1);
}

/** A tool from node_modules/.bin, run by this very Node. */
export const localBin = (name) => join(ROOT, 'node_modules', '.bin', name);

export function onPath(name) {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.some((folder) => folder !== '' && existsSync(join(folder, name)));
}

export const jobs = () => String(process.env.MOON_JOBS ?? availableParallelism());

/** CC and CXX with ccache before them where it is installed; other checkouts share its cache. */
export function compilerEnv(cc = process.env.CC ?? 'gcc', cxx = process.env.CXX ?? 'g++') {
  if (!onPath('ccache') || cc.includes('ccache')) return { CC: cc, CXX: cxx };
  return {
    CC: `ccache ${cc}`,
    CXX: `ccache ${cxx}`,
    CCACHE_NOHASHDIR: '1',
    CCACHE_BASEDIR: ROOT,
  };
}

function* filesUnder(path) {
  if (!existsSync(path)) return;
  if (!statSync(path).isDirectory()) {
    yield path;
    return;
  }
  for (const entry of readdirSync(path, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) yield join(entry.parentPath ?? entry.path, entry.name);
  }
}

/** One hash over the contents of files and folders (relative to the repository). */
export function hashOf(paths, extra = '') {
  const hash = createHash('sha256').update(extra);
  for (const path of paths) {
    for (const file of [...filesUnder(join(ROOT, path))].sort()) {
      hash.update(file.slice(ROOT.length)).update('\0').update(readFileSync(file)).update('\0');
    }
  }
  return hash.digest('hex');
}

export function stampIs(name, value) {
  const file = join(STAMPS, name);
  return existsSync(file) && readFileSync(file, 'utf8') === value;
}

export function setStamp(name, value) {
  mkdirSync(STAMPS, { recursive: true });
  writeFileSync(join(STAMPS, name), value);
}
