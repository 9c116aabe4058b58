// Puts the sources of configuration together: for every directive one value and where it came
// from. Unknown names, values that do not fit and contradictions are all collected, so that they
// are told in one go.
import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { settings } from './index.ts';
import {
  precedence,
  type Loaded,
  type Origin,
  type Problem,
  type Setting,
} from './load-settings.ts';
import { redisDirective } from './load-redis.ts';
import { didYouMean } from './load-suggest.ts';
import { parseWords, takesSeveralWords } from './load-values.ts';
import type { SettingRow } from './types.ts';

export interface ResolvedEntry {
  readonly row: SettingRow;
  /** Canonical. */
  readonly text: string;
  readonly origin: Origin;
}

export interface ResolvedConfig {
  /** One for every directive, in the tables' order. */
  readonly entries: ReadonlyMap<string, ResolvedEntry>;
  /** entries as name → text. */
  readonly values: ReadonlyMap<string, string>;
  /** Absolute; relative paths in directives are meant from here (`dir`). */
  readonly workingDirectory: string;
  readonly problems: readonly Problem[];
  readonly notes: readonly Problem[];
}

/** Directives by name. */
export interface DirectiveFinder {
  find(name: string): SettingRow | undefined;
  names(): Iterable<string>;
  takesSeveralWords(name: string): boolean;
}

const byName = new Map<string, SettingRow>(
  settings.flatMap((row) => [row.name, ...row.aliases].map((name) => [name, row] as const)),
);

export const directives: DirectiveFinder = {
  find: (name) => byName.get(name.toLowerCase()),
  names: () => byName.keys(),
  takesSeveralWords: (name) => {
    const row = byName.get(name.toLowerCase());
    return row !== undefined && takesSeveralWords(row);
  },
};

/** Directives whose lines add up instead of replacing each other, by how their words join. */
const cumulative = new Set(['save', 'client-output-buffer-limit']);

/** `preset` replaces defaults of the rows; `cwd` is what a relative `dir` is relative to. */
export function loadLayers(
  layers: readonly Loaded[],
  preset: Readonly<Record<string, string>>,
  cwd: string,
): ResolvedConfig {
  const problems = layers.flatMap((layer) => layer.problems);
  const notes = layers.flatMap((layer) => layer.notes);
  const given = new Map<SettingRow, Setting[]>();
  const idle: Setting[] = [];
  for (const setting of layers.flatMap((layer) => layer.settings)) {
    const row = directives.find(setting.name);
    const message = row === undefined ? whyUnknown(setting) : whyUnfit(row, setting.words);
    if (message !== undefined) problems.push(problemOf(setting, message));
    else if (row === undefined) idle.push(setting);
    else given.set(row, [...(given.get(row) ?? []), setting]);
  }
  notes.push(...idleNote(idle));
  const entries = new Map(
    settings.map((row) => [row.name, entryOf(row, given.get(row) ?? [], preset)] as const),
  );
  const dir = entries.get('dir');
  const workingDirectory = resolve(cwd, dir?.text ?? '.');
  if (dir !== undefined && dir.origin.source !== 'default' && !isDirectory(workingDirectory)) {
    const message = `Can't chdir to '${dir.text}': No such directory`;
    problems.push({ origin: dir.origin, message });
  }
  const values = new Map([...entries].map(([name, { text }]) => [name, text] as const));
  return { entries, values, workingDirectory, problems, notes };
}

/** Why a name without a row is not accepted; undefined for Redis's directives that may stay. */
function whyUnknown({ name, words }: Setting): string | undefined {
  const foreign = redisDirective(name, words);
  if (foreign === 'idle') return undefined;
  return foreign ?? `Unknown directive '${name}'.${didYouMean(name, directives.names())}`;
}

function whyUnfit(row: SettingRow, words: readonly string[]): string | undefined {
  const parsed = parseWords(row, words);
  return 'error' in parsed ? parsed.error : undefined;
}

function idleNote(idle: readonly Setting[]): Problem[] {
  const [first] = idle;
  if (first === undefined) return [];
  const names = [...new Set(idle.map(({ name }) => name))].join(', ');
  return [{ origin: first.origin, message: `These directives have no effect here: ${names}` }];
}

const problemOf = ({ origin, line, name, words }: Setting, message: string): Problem => ({
  origin,
  message,
  line: line ?? [name, ...words.map((word) => `"${word}"`)].join(' '),
});

/** The settings of the highest source that has any, the last or all of them. */
function entryOf(
  row: SettingRow,
  given: readonly Setting[],
  preset: Readonly<Record<string, string>>,
): ResolvedEntry {
  const highest = Math.max(0, ...given.map(({ origin }) => precedence[origin.source]));
  const chosen = given.filter(({ origin }) => precedence[origin.source] === highest);
  const last = chosen.at(-1);
  const standard = preset[row.name] ?? row.default;
  if (last === undefined) {
    const source = preset[row.name] === undefined ? 'default' : 'preset';
    return { row, text: textOf(row, [standard]), origin: { source, where: source } };
  }
  const words = cumulative.has(row.name) ? addUp(row, chosen, standard) : last.words;
  return { row, text: textOf(row, words), origin: last.origin };
}

function addUp(row: SettingRow, given: readonly Setting[], standard: string): string[] {
  // Client classes that are not given keep their limits.
  let words = row.type === 'output-limits' ? [standard] : [];
  for (const setting of given) {
    // save "" forgets what came before it.
    const empties = setting.words.every((word) => word.trim() === '');
    words = empties ? [] : [...words, ...setting.words];
  }
  return words.length === 0 ? [''] : words;
}

function textOf(row: SettingRow, words: readonly string[]): string {
  const parsed = parseWords(row, words);
  if ('text' in parsed) return parsed.text;
  throw new Error(`${row.name}: '${words.join(' ')}' does not fit its own row: ${parsed.error}`);
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
