// npm test: sets up, builds, runs everything, and ends with `N passed, N failed`.
//
//   node scripts/test.mjs                      everything
//   node scripts/test.mjs native [asan|tsan|release] [--gtest_filter=...]
//   node scripts/test.mjs fuzz                 a few seconds of every fuzzer
//   node scripts/test.mjs ava [files]          AVA suites; also: diff, tidy, package
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { ROOT, compilerEnv, fail, jobs, listNative, localBin, run, say } from './lib.mjs';
import { setup } from './setup.mjs';
import { summarizeTap, summaryLine } from './tap-summary.mjs';

const NATIVE_TIMEOUT_MS = 10 * 60 * 1000;
const SANITIZER_OPTIONS = {
  ASAN_OPTIONS: 'detect_leaks=1:detect_stack_use_after_return=1',
  UBSAN_OPTIONS: 'print_stacktrace=1',
  TSAN_OPTIONS: 'halt_on_error=1:second_deadlock_stack=1',
};
const AVA_SUITES = {
  ava: [],
  diff: ['test/diff/**/*.test.ts'],
  tidy: ['test/tidy/**/*.test.ts'],
  package: ['test/package/**/*.test.ts'],
};

const write = (text) => process.stdout.write(text);
const oneFailure = { passed: 0, failed: 1, skipped: 0 };

function child(command, args, env = {}) {
  const spawned = spawn(command, args, {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const ended = new Promise((resolve, reject) => {
    spawned.once('error', reject);
    spawned.once('close', (code, signal) => resolve({ code, signal }));
  });
  return { spawned, ended };
}

/** Counts GoogleTest's own lines, so that a run which crashes half-way counts what it did. */
async function runGoogleTest(title, command, args) {
  const { spawned, ended } = child(command, args, SANITIZER_OPTIONS);
  const timer = setTimeout(() => spawned.kill('SIGKILL'), NATIVE_TIMEOUT_MS);
  const total = { passed: 0, failed: 0, skipped: 0 };
  let test = [];
  for await (const line of createInterface({ input: spawned.stdout })) {
    if (line.startsWith('[ RUN ')) test = [];
    test.push(line);
    if (line.startsWith('[       OK ]')) total.passed += 1;
    else if (line.startsWith('[  SKIPPED ]') && line.endsWith('ms)')) total.skipped += 1;
    else if (line.startsWith('[  FAILED  ]') && line.endsWith('ms)')) {
      total.failed += 1;
      write(`${test.join('\n')}\n`);
    } else continue;
    test = [];
  }
  const { code, signal } = await ended;
  clearTimeout(timer);
  if (code !== 0 && total.failed === 0) {
    total.failed = 1;
    write(`${test.slice(-40).join('\n')}\n${title} ended with ${signal ?? code}\n`);
  }
  return total;
}

async function native(variant, args = []) {
  const make = ['-C', 'src-native', '--no-print-directory', `VARIANT=${variant}`];
  const env = compilerEnv();
  say(`C++ unit tests, ${variant}: building`);
  if (run('make', [...make, `-j${jobs()}`, 'build'], { env }) !== 0) return oneFailure;
  say(`C++ unit tests, ${variant}: running`);
  // Not through make: what a timeout ends has to be the test executable itself.
  const list = listNative(variant);
  const [runner = ''] = list('runner');
  const [command, ...rest] = [...runner.split(' ').filter(Boolean), ...list('exe')];
  return runGoogleTest(variant, command, [...rest, ...args]);
}

async function ava(args) {
  say(`AVA: ${args.length === 0 ? 'all suites' : args.join(' ')}`);
  const { spawned, ended } = child(localBin('ava'), ['--tap', ...args]);
  const total = await summarizeTap(spawned.stdout, write);
  const { code, signal } = await ended;
  if (code !== 0 && total.failed === 0) {
    total.failed = 1;
    write(`AVA ended with ${signal ?? code}\n`);
  }
  return total;
}

async function build(withPackage) {
  const { buildNative } = await import('./build-native.mjs');
  const { buildTs } = await import('./build-ts.mjs');
  buildNative();
  buildTs();
  if (withPackage) (await import('./prebuild.mjs')).copyPrebuild();
}

async function fuzz() {
  const { runFuzzers } = await import('./fuzz.mjs');
  return { skipped: 0, ...(await runFuzzers({ seconds: 5 })) };
}

async function* everything() {
  await build(true);
  yield native('asan');
  yield native('tsan');
  yield fuzz();
  yield ava([]);
}

async function* suites(name, args) {
  if (name === 'native') {
    const flags = args.filter((arg) => arg.startsWith('-'));
    const variants = args.filter((arg) => !arg.startsWith('-'));
    for (const variant of variants.length > 0 ? variants : ['asan', 'tsan']) {
      yield native(variant, flags);
    }
  } else if (name === 'fuzz') {
    yield fuzz();
  } else {
    await build(name === 'package' || (name === 'ava' && args.length === 0));
    yield ava([...AVA_SUITES[name], ...args]);
  }
}

const [name, ...args] = process.argv.slice(2);
if (name !== undefined && !['native', 'fuzz', ...Object.keys(AVA_SUITES)].includes(name)) {
  fail(`no such suite: ${name}; there are native, fuzz, ${Object.keys(AVA_SUITES).join(', ')}`);
}
setup('test');
const total = { passed: 0, failed: 0, skipped: 0 };
for await (const part of name === undefined ? everything() : suites(name, args)) {
  for (const key of Object.keys(total)) total[key] += part[key];
}
write(`${summaryLine(total)}\n`);
process.exitCode = total.failed === 0 && total.passed > 0 ? 0 : 1;
