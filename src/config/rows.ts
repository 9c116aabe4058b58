// The words in which the tables of directives are written: one function a type.
import type { SettingFlag, SettingGroup, SettingRow, SettingType } from './types.ts';

export const INT_MAX = 2147483647n;
export const LONG_MAX = 9223372036854775807n;

interface Extra {
  readonly aliases?: readonly string[];
  readonly flags?: readonly SettingFlag[];
  readonly clamp?: readonly [bigint, bigint];
  readonly refusal?: string;
}

type Parts = Partial<Pick<SettingRow, 'min' | 'max' | 'words'>>;
type Range = readonly [min: number | bigint, max: number | bigint];

/** The functions for one group of directives. */
export function rowsOf(group: SettingGroup) {
  const row = (
    name: string,
    type: SettingType,
    value: string,
    help: string,
    { aliases = [], flags = [], clamp, refusal }: Extra,
    parts: Parts = {},
  ): SettingRow => ({
    name,
    aliases,
    type,
    group,
    min: 0n,
    max: 0n,
    words: [],
    default: value,
    flags: refusal === undefined ? flags : [...flags, 'only-default'],
    help,
    ...(clamp && { clamp }),
    ...(refusal !== undefined && { refusal }),
    ...parts,
  });
  const ranged =
    (type: SettingType) =>
    (name: string, value: number | string, range: Range, help: string, extra: Extra = {}) =>
      row(name, type, String(value), help, extra, { min: BigInt(range[0]), max: BigInt(range[1]) });
  const plain =
    (type: SettingType) =>
    (name: string, value: string, help: string, extra: Extra = {}) =>
      row(name, type, value, help, extra);
  const worded =
    (type: SettingType, valueOf: (index: number) => number) =>
    (name: string, value: string, words: readonly string[], help: string, extra: Extra = {}) =>
      row(name, type, value, help, extra, {
        words: words.map((word, index) => ({ word, value: valueOf(index) })),
      });
  return {
    yesNo: plain('bool'),
    int: ranged('int'),
    octal: ranged('octal'),
    memory: ranged('memory'),
    percentOrMemory: ranged('percent-or-memory'),
    /** Values are the words' positions. */
    oneOf: worded('enum', (index) => index),
    /** The first word is none of them (0), each further one a bit. */
    someOf: worded('flags', (index) => (index === 0 ? 0 : 1 << (index - 1))),
    text: plain('text'),
    wordList: (name: string, value: string, help: string, { flags = [], ...extra }: Extra = {}) =>
      row(name, 'word-list', value, help, { ...extra, flags: [...flags, 'multi-arg'] }),
    /** Types that exist once. */
    special: (type: SettingType, name: string, value: string, help: string, extra: Extra = {}) =>
      row(name, type, value, help, extra),
  };
}
