// The options of startServer(): every directive by its camelCase name, checked before anything
// native is loaded.
import { inspect } from 'node:util';
import { MoonError } from '../errors.ts';
import type { DirectiveOptions } from './option-names.ts';
import { directives, loadLayers, type ResolvedConfig } from './load.ts';
import type { Setting } from './load-settings.ts';
import { didYouMean } from './load-suggest.ts';
import { parseWords } from './load-values.ts';
import type { SettingRow } from './types.ts';

export interface ServerOptions extends DirectiveOptions {
  /** Closes the server when it aborts; before the start has finished, startServer() rejects. */
  readonly signal?: AbortSignal | undefined;
  /** Takes the log line by line (line ends included); without it and `logfile` there is no log. */
  readonly onLog?: ((line: string) => void) | undefined;
}

export interface ResolvedOptions {
  readonly config: ResolvedConfig;
  readonly signal: AbortSignal | undefined;
  readonly onLog: ((line: string) => void) | undefined;
}

const WHERE = 'startServer()';
const ownOptions = ['signal', 'onLog'];

/** io-driver → ioDriver. */
export const optionName = (directive: string): string =>
  directive.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

const byOption = new Map(
  [...directives.names()].flatMap((name) => {
    const row = directives.find(name);
    return row === undefined ? [] : ([[optionName(name), row], [name, row]] as const);
  }),
);

/** Throws ERR_MOON_OPTION_*; the first thing wrong is the one that is told. */
export function resolveOptions(
  options: ServerOptions,
  preset: Readonly<Record<string, string>>,
  cwd: string,
): ResolvedOptions {
  if (typeof options !== 'object' || options === null) {
    throw invalid('the options', options, 'an object');
  }
  const { signal, onLog, ...given } = options;
  if (signal !== undefined && !(signal instanceof AbortSignal)) {
    throw invalid('signal', signal, 'an AbortSignal');
  }
  if (onLog !== undefined && typeof onLog !== 'function') {
    throw invalid('onLog', onLog, 'a function that takes a line');
  }
  const settings: Setting[] = [];
  for (const [option, value] of Object.entries(given)) {
    const row = directiveOf(option, WHERE);
    if (value === undefined) continue;
    const words = [optionText(row, option, value, WHERE)];
    settings.push({ name: row.name, words, origin: { source: 'option', where: option } });
  }
  const config = loadLayers([{ settings, problems: [], notes: [] }], preset, cwd);
  const [problem] = config.problems;
  if (problem !== undefined) {
    const summary = `${WHERE}: ${problem.origin.where} does not fit`;
    throw new MoonError('ERR_MOON_OPTION_INVALID', summary, { needed: problem.message });
  }
  return { config, signal, onLog };
}

/** The directive that an option's name stands for. */
export function directiveOf(option: string, where: string): SettingRow {
  const row = byOption.get(option);
  if (row !== undefined) return row;
  const known = [...directives.names()].map(optionName);
  const hint = didYouMean(option, [...known, ...ownOptions]);
  throw new MoonError('ERR_MOON_OPTION_UNKNOWN', `${where}: unknown option '${option}'.${hint}`, {
    fix: "see ServerOptions, or 'npx moon-server check conf' for all directives",
  });
}

/** An option's value as the directive's text. */
export function optionText(
  row: SettingRow,
  option: string,
  value: unknown,
  where: string,
): string {
  const text = plainText(value);
  if (text === undefined) {
    throw invalid(option, value, 'a string, number, boolean or a list of them', where);
  }
  const parsed = parseWords(row, [text]);
  if ('text' in parsed) return parsed.text;
  const found = row.flags.includes('sensitive') ? undefined : value;
  throw invalid(option, found, parsed.error, where);
}

function plainText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (typeof value === 'bigint' || Number.isFinite(value)) return String(value);
  if (!Array.isArray(value)) return undefined;
  const words = value.map(plainText);
  return words.includes(undefined) ? undefined : words.join(' ');
}

function invalid(option: string, value: unknown, needed: string, where = WHERE): MoonError {
  return new MoonError('ERR_MOON_OPTION_INVALID', `${where}: ${option} does not fit`, {
    ...(value === undefined ? {} : { found: inspect(value, { depth: 0, breakLength: Infinity }) }),
    needed,
  });
}
