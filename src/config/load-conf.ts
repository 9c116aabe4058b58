// Reads conf files in redis.conf's grammar: one directive a line, `#` begins a comment line,
// quoting as in load-words.ts, `include` in place (wildcards allowed), relative to the working
// directory as in Redis. Knows no directive but `include`.
import { readFileSync, readdirSync } from 'node:fs';
import { isAbsolute, join, resolve, sep } from 'node:path';
import { messageOf } from '../errors.ts';
import { splitArgs } from './load-words.ts';
import { emptyLoaded, type Loaded, type Origin } from './load-settings.ts';

/** An include that includes itself would go on for ever; nobody nests deeper by intent. */
const INCLUDE_DEPTH_MAX = 16;

/** Where files come from; tests put their own here. */
export interface FileReader {
  readFile(path: string): string;
  readDirectory(path: string): string[];
}

export const diskReader: FileReader = {
  readFile: (path) => readFileSync(path, 'utf8'),
  readDirectory: (path) => readdirSync(path),
};

export interface ConfContext {
  readonly workingDirectory: string;
  readonly files?: FileReader;
}

/** Reads the file at `path` with everything it includes. */
export function loadConfFile(path: string, context: ConfContext): Loaded {
  const loaded = emptyLoaded();
  const origin: Origin = { source: 'conf', where: path };
  readInto(loaded, resolve(context.workingDirectory, path), origin, undefined, context, []);
  return loaded;
}

/** Reads configuration text; `name` says in messages where it came from ('stdin'). */
export function loadConfText(text: string, name: string, context: ConfContext): Loaded {
  const loaded = emptyLoaded();
  parseInto(loaded, text, name, context, []);
  return loaded;
}

function readInto(
  loaded: Loaded,
  path: string,
  origin: Origin,
  line: string | undefined,
  context: ConfContext,
  parents: readonly string[],
): void {
  const wrong = (message: string): void => {
    loaded.problems.push({ origin, message, ...(line === undefined ? {} : { line }) });
  };
  if (parents.includes(path)) {
    wrong(`'${path}' includes itself: ${[...parents, path].join(' → ')}`);
    return;
  }
  if (parents.length >= INCLUDE_DEPTH_MAX) {
    wrong(`includes are nested deeper than ${INCLUDE_DEPTH_MAX}`);
    return;
  }
  let text: string;
  try {
    text = (context.files ?? diskReader).readFile(path);
  } catch (thrown) {
    wrong(`Fatal error, can't open config file '${path}': ${reasonOf(thrown)}`);
    return;
  }
  parseInto(loaded, text, path, context, [...parents, path]);
}

function parseInto(
  loaded: Loaded,
  text: string,
  name: string,
  context: ConfContext,
  parents: readonly string[],
): void {
  const lines = text.replace(/^\uFEFF/, '').split('\n');
  lines.forEach((raw, index) => {
    const line = raw.trim();
    if (line === '' || line.startsWith('#')) return;
    const origin: Origin = { source: 'conf', where: `${name}:${index + 1}` };
    const words = splitArgs(line);
    if (words === null) {
      const message = 'Unbalanced quotes in configuration line';
      loaded.problems.push({ origin, message, line });
      return;
    }
    const [directive, ...rest] = words;
    if (directive === undefined || directive === '') return;
    if (directive.toLowerCase() === 'include') {
      include(loaded, rest, origin, line, context, parents);
      return;
    }
    loaded.settings.push({ name: directive.toLowerCase(), words: rest, origin, line });
  });
}

function include(
  loaded: Loaded,
  words: readonly string[],
  origin: Origin,
  line: string,
  context: ConfContext,
  parents: readonly string[],
): void {
  const [pattern] = words;
  if (words.length !== 1 || pattern === undefined || pattern === '') {
    loaded.problems.push({ origin, line, message: 'include takes one path' });
    return;
  }
  const path = resolve(context.workingDirectory, pattern);
  const found = /[*?[]/.test(pattern) ? expand(path, context.files ?? diskReader) : [path];
  // A pattern that matches nothing is fine (conf.d may be empty), a plain path must exist.
  for (const file of found) readInto(loaded, file, origin, line, context, parents);
}

/** The files an absolute pattern stands for, sorted; wildcards may stand in any part of it. */
function expand(pattern: string, files: FileReader): string[] {
  let paths = [isAbsolute(pattern) ? sep : ''];
  for (const part of pattern.split(sep).filter((word) => word !== '')) {
    if (!/[*?[]/.test(part)) {
      paths = paths.map((path) => join(path, part));
      continue;
    }
    const matcher = globPart(part);
    paths = paths.flatMap((path) =>
      entriesOf(path, files)
        .filter((entry) => matcher.test(entry) && (!entry.startsWith('.') || part[0] === '.'))
        .sort()
        .map((entry) => join(path, entry)),
    );
  }
  return paths;
}

function entriesOf(path: string, files: FileReader): string[] {
  try {
    return files.readDirectory(path);
  } catch {
    return [];
  }
}

function globPart(part: string): RegExp {
  const source = part.replace(/\[!?[^\]]+\]|[*?]|[.+^${}()|[\]\\]/g, (token) => {
    if (token === '*') return '[^/]*';
    if (token === '?') return '[^/]';
    if (token.length > 1 && token.startsWith('[')) {
      return `[${token.slice(1, -1).replace(/^!/, '^').replace(/\\/g, '\\\\')}]`;
    }
    return `\\${token}`;
  });
  return new RegExp(`^${source}$`);
}

/** The system's reason without the call's name: 'No such file or directory'. */
function reasonOf(thrown: unknown): string {
  const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
  if (code === 'ENOENT') return 'No such file or directory';
  if (code === 'EACCES') return 'Permission denied';
  if (code === 'EISDIR') return 'Is a directory';
  return messageOf(thrown);
}
