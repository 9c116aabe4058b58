// npm start: sets up, builds what changed, and becomes the command line (options follow `--`).
// The server runs in this very process, so signals and the exit code need no relay.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT } from './lib.mjs';
import { setup } from './setup.mjs';

setup('run');
const { buildNative } = await import('./build-native.mjs');
const { buildTs } = await import('./build-ts.mjs');
buildNative();
buildTs();

const cli = join(ROOT, 'dist/cli.cjs');
process.argv.splice(1, 1, cli);
await import(pathToFileURL(cli).href);
