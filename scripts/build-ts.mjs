// Builds dist/ from src/: CommonJS by tsdown, the ESM entry that re-exports it, and the CLI.
// Does nothing when the sources are those of the last build.
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ROOT, hashOf, localBin, mustRun, runLocked, setStamp, stampIs } from './lib.mjs';

const INPUTS = [
  'src',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'tsdown.config.ts',
  'scripts/build-ts.mjs',
];
const OUTPUTS = ['index.cjs', 'index.mjs', 'index.d.cts', 'index.d.mts', 'cli.cjs'];
const dist = (name) => join(ROOT, 'dist', name);

/** Loading the package loads no binary (startServer() does), so its names can simply be asked. */
function writeEsmEntry() {
  const names = Object.keys(createRequire(import.meta.url)(dist('index.cjs'))).sort();
  const exported = names.map((name) => `export const ${name} = moonServer.${name};\n`);
  writeFileSync(dist('index.mjs'), `import moonServer from './index.cjs';\n\n${exported.join('')}`);
  writeFileSync(dist('index.d.mts'), "export * from './index.cjs';\n");
}

function buildLocked(force) {
  const key = hashOf(INPUTS, process.version);
  if (!force && stampIs('ts', key) && OUTPUTS.every((name) => existsSync(dist(name)))) return;
  mustRun(localBin('tsdown'), ['--logLevel', 'warn']);
  writeEsmEntry();
  chmodSync(dist('cli.cjs'), 0o755);
  setStamp('ts', key);
}

export const buildTs = (args = []) => runLocked('build-ts.mjs', args);

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const [first, ...rest] = process.argv.slice(2);
  if (first === '--locked') buildLocked(rest.includes('--force'));
  else buildTs(process.argv.slice(2));
}
