// npm run fuzz [-- seconds [name]]: builds every *_fuzz.cc and runs each for so long (60 s).
// Inputs found on the way are kept in build-native/corpus/, a crashing one in build-native/.
import { mkdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT, jobs, listNative, run, say } from './lib.mjs';
import { setup } from './setup.mjs';

const MAKE = ['-C', 'src-native', '--no-print-directory', 'VARIANT=fuzz'];

const fuzzers = () => listNative('fuzz')('fuzz');

export async function runFuzzers({ seconds, only = '' }) {
  const total = { passed: 0, failed: 0 };
  if (fuzzers().length === 0) return total;
  say('fuzzers: building');
  if (run('make', [...MAKE, `-j${jobs()}`, 'fuzz']) !== 0) return { passed: 0, failed: 1 };
  for (const program of fuzzers().filter((path) => basename(path).includes(only))) {
    const corpus = join(ROOT, 'build-native/corpus', basename(program));
    mkdirSync(corpus, { recursive: true });
    say(`fuzzers: ${basename(program)}, ${seconds} s`);
    const args = [`-max_total_time=${seconds}`, '-timeout=10', '-rss_limit_mb=2048'];
    const quiet = ['-verbosity=0', '-print_final_stats=0', `-artifact_prefix=${corpus}-`];
    const code = run(program, [...args, ...quiet, corpus]);
    total[code === 0 ? 'passed' : 'failed'] += 1;
  }
  return total;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [seconds = '60', only = ''] = process.argv.slice(2);
  setup('fuzz');
  const { passed, failed } = await runFuzzers({ seconds: Number(seconds), only });
  say(`${passed} fuzzers passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}
