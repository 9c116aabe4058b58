// What a directive's row says. The rows are in the files beside this one, index.ts lists them; C++
// (src-native/base/settings.h) parses and prints the values, so that CONFIG SET and the conf file
// follow one set of rules.

/** The order is SettingType's in src-native/base/settings.h. */
export const settingTypes = [
  'bool',
  'int',
  'octal',
  'memory',
  'percent-or-memory',
  'enum',
  'flags',
  'text',
  'word-list',
  'output-limits',
  'keyspace-events',
  'percentiles',
] as const;

export type SettingType = (typeof settingTypes)[number];

/** Bit 0 on, in the order of SettingFlag in src-native/base/settings.h. */
export const settingFlags = [
  /** CONFIG SET refuses it: it is decided at start. */
  'immutable',
  /** CONFIG SET needs enable-protected-configs. */
  'protected',
  /** Not matched by CONFIG GET patterns. */
  'hidden',
  /** A secret: never logged. */
  'sensitive',
  /** The conf file gives several words. */
  'multi-arg',
  /** Only the default is accepted; `refusal` says why. */
  'only-default',
  /** A file name without a directory. */
  'file-name',
] as const;

export type SettingFlag = (typeof settingFlags)[number];

export type SettingGroup =
  | 'network'
  | 'general'
  | 'threads'
  | 'clients'
  | 'memory'
  | 'expiry'
  | 'encoding'
  | 'monitoring'
  | 'persistence'
  | 'security';

export interface SettingWord {
  readonly word: string;
  readonly value: number;
}

export interface SettingRow {
  readonly name: string;
  /** Other names that mean the same directive; CONFIG GET lists them too, as Redis does. */
  readonly aliases: readonly string[];
  readonly type: SettingType;
  readonly group: SettingGroup;
  /** Inclusive; bytes for memory, a percentage counts as its negative. 0 and 0 for the others. */
  readonly min: bigint;
  readonly max: bigint;
  /** A value inside min…max is silently brought into this range. */
  readonly clamp?: readonly [bigint, bigint];
  /** Of enum and flags. */
  readonly words: readonly SettingWord[];
  /** As it would be written in a conf file, several words joined by blanks. */
  readonly default: string;
  readonly flags: readonly SettingFlag[];
  /** What it does, unit and special values included, for `--help` and the annotated conf file. */
  readonly help: string;
  /** With 'only-default'. */
  readonly refusal?: string;
}
