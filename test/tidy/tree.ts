// The repository as the tidy tests see it: every file that is or would be committed.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { ExecutionContext } from 'ava';

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

const git = ['ls-files', '-z', '--cached', '--others', '--exclude-standard'];

/** Paths relative to the root, sorted. */
export const FILES: readonly string[] = execFileSync('git', git, { cwd: ROOT, encoding: 'utf8' })
  .split('\0')
  .filter((path) => path !== '' && existsSync(join(ROOT, path)))
  .sort();

export const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** The C++ and TypeScript that people write (generated files end otherwise). */
export const SOURCES = FILES.filter((path) => /\.(cc|h|ts|mts|mjs)$/.test(path));

const PICTURE = /\.(png|ico|gz|tgz|rdb|node|woff2?)$/;
export const TEXTS = FILES.filter((path) => !PICTURE.test(path));

/** Passes when there are no findings; otherwise they are the message, one a line. */
export function none(t: ExecutionContext, findings: readonly string[]): void {
  if (findings.length === 0) t.pass();
  else t.fail(`\n${findings.join('\n')}`);
}
