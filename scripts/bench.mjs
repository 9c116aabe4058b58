// npm run bench [-- options]: sets up, builds what changed, and hands the options to bench/main.ts
// (`npm run bench -- --list` names the cells).
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from './lib.mjs';
import { setup } from './setup.mjs';

setup('bench');
const { buildNative } = await import('./build-native.mjs');
const { buildTs } = await import('./build-ts.mjs');
buildNative();
buildTs();

const main = join(ROOT, 'bench/main.ts');
const args = ['--import', 'tsx', main, ...process.argv.slice(2)];
process.exitCode = spawnSync(process.execPath, args, { cwd: ROOT, stdio: 'inherit' }).status ?? 1;
