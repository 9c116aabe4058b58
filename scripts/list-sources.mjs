// Prints the C++ sources of one gyp target, one relative path a line:
//   node scripts/list-sources.mjs engine   every room but addon/
//   node scripts/list-sources.mjs addon    addon/ alone
// Unit tests, fuzzers and micro-benchmarks lie beside what they test and are left out.
import { readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
const NOT_SHIPPED = /_(test|fuzz|bench)\.cc$/;

export function listSources(target) {
  const files = readdirSync(join(ROOT, 'src-native'), { recursive: true })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => /\.(cc|c)$/.test(name) && !NOT_SHIPPED.test(name) && name.includes('/'))
    .filter((name) => name.startsWith('addon/') === (target === 'addon'))
    .map((name) => `src-native/${name}`)
    .sort();
  return files;
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  process.stdout.write(`${listSources(process.argv[2]).join('\n')}\n`);
}
