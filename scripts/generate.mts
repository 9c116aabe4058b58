// Writes src-native/base/generated/*.inc, src/config/option-names.ts and conf/moon.conf from the
// TypeScript tables. With --check it writes nothing and fails when a file is not what it would
// write.
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { annotatedConf } from '../src/config/conf-source.ts';
import { settings } from '../src/config/index.ts';
import { optionNamesSource } from '../src/config/option-names-source.ts';
import { generateHeaders } from '../src/native/generate-headers.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const folder = join(root, 'src-native/base/generated');
const check = process.argv.includes('--check');
const wanted = generateHeaders();

const stale: string[] = [];
for (const [name, content] of wanted) {
  const path = join(folder, name);
  if (existsSync(path) && readFileSync(path, 'utf8') === content) continue;
  stale.push(name);
  if (check) continue;
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, content);
}
const present = existsSync(folder) ? readdirSync(folder) : [];
for (const name of present.filter((file) => !wanted.has(file))) {
  stale.push(name);
  if (!check) rmSync(join(folder, name));
}

const single = [
  ['src/config/option-names.ts', optionNamesSource(settings)],
  ['conf/moon.conf', annotatedConf(settings)],
] as const;
for (const [name, content] of single) {
  const path = join(root, name);
  if (existsSync(path) && readFileSync(path, 'utf8') === content) continue;
  stale.push(name);
  if (check) continue;
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
}

if (check && stale.length > 0) {
  console.error(`not fresh: ${stale.join(', ')}; run: npm run generate`);
  process.exitCode = 1;
}
