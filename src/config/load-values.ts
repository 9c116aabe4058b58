// From the words of a setting to the text that travels in the tables: parsed and checked by the
// row's type, in Redis's words where Redis has some. The native side (src-native/base/settings.h)
// parses the same texts again for CONFIG SET; what passes here passes there.
import type { SettingRow } from './types.ts';

export type Parsed = { readonly text: string } | { readonly error: string };

const ok = (text: string): Parsed => ({ text });
const fail = (error: string): Parsed => ({ error });

/** The canonical text of `words` for `row`, or why there is none. */
export function parseWords(row: SettingRow, words: readonly string[]): Parsed {
  if (words.length === 0 || (words.length > 1 && !takesSeveralWords(row))) {
    return fail('wrong number of arguments');
  }
  const parsed = parsers[row.type](row, words.join(' '));
  if ('error' in parsed || !row.flags.includes('only-default')) return parsed;
  const standard = parsers[row.type](row, row.default);
  if ('text' in standard && standard.text === parsed.text) return parsed;
  return fail(row.refusal ?? `only '${row.default}' is supported`);
}

export const takesSeveralWords = (row: SettingRow): boolean => row.flags.includes('multi-arg');

type Parser = (row: SettingRow, given: string) => Parsed;

const parsers: Readonly<Record<SettingRow['type'], Parser>> = {
  bool: (_row, given) => {
    const word = given.toLowerCase();
    return word === 'yes' || word === 'no' ? ok(word) : fail("argument must be 'yes' or 'no'");
  },
  int: (row, given) => {
    if (!/^-?\d{1,19}$/.test(given)) return fail("argument couldn't be parsed into an integer");
    return inRange(row, BigInt(given), String);
  },
  octal: (row, given) => {
    if (!/^[0-7]{1,20}$/.test(given)) {
      return fail("argument couldn't be parsed as an octal number");
    }
    return inRange(row, BigInt(`0o${given}`), (value) => value.toString(8));
  },
  memory: (row, given) => {
    const bytes = memoryBytes(given);
    return bytes === null ? fail('argument must be a memory value') : inRange(row, bytes, String);
  },
  'percent-or-memory': (row, given) => {
    const percent = /^(\d{1,18})%$/.exec(given)?.[1];
    const value = percent === undefined ? memoryBytes(given) : -BigInt(percent);
    if (value === null) return fail('argument must be a memory or percent value');
    if (value < 0n && value < row.min) {
      return fail(`percentage argument must be less or equal to ${-row.min}`);
    }
    return inRange(row, value, (number) => (number < 0n ? `${-number}%` : String(number)));
  },
  enum: (row, given) => {
    const found = row.words.find(({ word }) => word === given.toLowerCase());
    return found === undefined ? oneOf(row) : ok(found.word);
  },
  flags: (row, given) => {
    const known = row.words.map(({ word }) => word);
    const words = splitBlanks(given.toLowerCase());
    return words.every((word) => known.includes(word)) ? ok(words.join(' ')) : oneOf(row);
  },
  text: (row, given) => {
    if (row.flags.includes('file-name') && given.includes('/')) {
      return fail(`${row.name} can't be a path, just a filename`);
    }
    return given.includes('\0') ? fail('argument must not hold a zero byte') : ok(given);
  },
  'word-list': (_row, given) => ok(splitBlanks(given).join(' ')),
  'output-limits': (_row, given) => outputLimits(given),
  'keyspace-events': (_row, given) =>
    /^[KEg$lshzxeAtmdn]*$/.test(given)
      ? ok(given)
      : fail("Invalid event class character. Use 'Ag$lshzxeKEtmdn'."),
  percentiles: (_row, given) => {
    const bad = splitBlanks(given).find((word) => !(Number(word) >= 0 && Number(word) <= 100));
    return bad === undefined
      ? ok(splitBlanks(given).join(' '))
      : fail('latency-tracking-info-percentiles parameters should sit between [0.0,100.0]');
  },
};

const splitBlanks = (text: string): string[] => text.split(/\s+/).filter((word) => word !== '');

function inRange(row: SettingRow, value: bigint, print: (value: bigint) => string): Parsed {
  if (value < row.min || value > row.max) {
    return fail(`argument must be between ${print(row.min)} and ${print(row.max)} inclusive`);
  }
  const [min, max] = row.clamp ?? [row.min, row.max];
  if (value < min) return ok(print(min));
  return ok(print(value > max ? max : value));
}

function oneOf(row: SettingRow): Parsed {
  const words = row.words.map(({ word }) => word).join(', ');
  return fail(`argument(s) must be one of the following: ${words}`);
}

/** Redis's memory units: 1k is 1000, 1kb is 1024. */
export function memoryBytes(text: string): bigint | null {
  const [, digits, unit = ''] = /^(\d{1,19})([a-z]*)$/i.exec(text) ?? [];
  const units: Readonly<Record<string, bigint>> = {
    '': 1n,
    b: 1n,
    k: 1000n,
    kb: 1024n,
    m: 1000n ** 2n,
    mb: 1024n ** 2n,
    g: 1000n ** 3n,
    gb: 1024n ** 3n,
  };
  const factor = units[unit.toLowerCase()];
  return digits === undefined || factor === undefined ? null : BigInt(digits) * factor;
}

const clientClasses = ['normal', 'slave', 'pubsub'];

/** Groups of class, hard limit, soft limit, seconds; a class that is given twice counts last. */
function outputLimits(given: string): Parsed {
  const words = splitBlanks(given);
  if (words.length === 0 || words.length % 4 !== 0) {
    return fail('Wrong number of arguments in buffer limit configuration.');
  }
  const byClass = new Map<string, string>();
  for (let i = 0; i < words.length; i += 4) {
    const [name = '', hard = '', soft = '', seconds = ''] = words.slice(i, i + 4);
    const clientClass = name.toLowerCase() === 'replica' ? 'slave' : name.toLowerCase();
    if (!clientClasses.includes(clientClass)) {
      return fail('Invalid client class specified in buffer limit configuration.');
    }
    const limits = [memoryBytes(hard), memoryBytes(soft)];
    if (limits.includes(null) || !/^\d{1,9}$/.test(seconds)) {
      return fail('Error in hard, soft or soft_seconds setting in buffer limit configuration.');
    }
    byClass.set(clientClass, `${clientClass} ${limits.join(' ')} ${Number(seconds)}`);
  }
  return ok(clientClasses.flatMap((name) => byClass.get(name) ?? []).join(' '));
}
