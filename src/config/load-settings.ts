// What every source of configuration is read into: a directive's name, its words, where it stood.

export type SettingSource = 'default' | 'preset' | 'conf' | 'env' | 'cli' | 'option';

export interface Origin {
  readonly source: SettingSource;
  /** Where to look: '/etc/moon.conf:12', 'MOON_PORT', '--port', 'startServer()'. */
  readonly where: string;
}

export interface Setting {
  /** As written, lower case. */
  readonly name: string;
  readonly words: readonly string[];
  readonly origin: Origin;
  /** The line as it stood, for conf files. */
  readonly line?: string;
}

/** One thing wrong with the configuration; all of them are collected before anybody is told. */
export interface Problem {
  readonly origin: Origin;
  readonly message: string;
  readonly line?: string;
}

/** What a source gave: settings in their order, what is wrong, what is odd but harmless. */
export interface Loaded {
  readonly settings: Setting[];
  readonly problems: Problem[];
  readonly notes: Problem[];
}

export const emptyLoaded = (): Loaded => ({ settings: [], problems: [], notes: [] });

/** Higher wins. Within one source the later setting wins. */
export const precedence: Readonly<Record<SettingSource, number>> = {
  default: 0,
  preset: 1,
  conf: 2,
  env: 3,
  cli: 4,
  option: 5,
};
