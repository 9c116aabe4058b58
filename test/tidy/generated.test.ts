import { spawnSync } from 'node:child_process';
import test from 'ava';
import { ROOT } from './tree.ts';

const node = (...args: string[]) =>
  spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8', timeout: 100_000 });

test('what is generated from the tables is fresh: npm run generate', (t) => {
  const { status, stdout, stderr } = node('--import', 'tsx', 'scripts/generate.mts', '--check');
  t.is(status, 0, stdout + stderr);
});

test('TypeScript type-checks', (t) => {
  const { status, stdout } = node('node_modules/typescript/bin/tsc', '-p', 'tsconfig.json');
  t.is(status, 0, `\n${stdout}`);
});
