// What differs between a server that is a process and one inside a program or a test. Everything
// else is the same path with the same defaults.
import { availableParallelism } from 'node:os';

/** Directives by name; the tables' defaults are those of a server process. */
export type Preset = Readonly<Record<string, string>>;

export const cliPreset: Preset = {};

/** A few threads are enough for a program's own use, and several servers may run beside it. */
const fewShards = (): string => String(Math.min(2, availableParallelism()));

/** startServer(): any free port on loopback, in memory. */
export const apiPreset: Preset = {
  port: '0',
  bind: '127.0.0.1',
  save: '',
  shards: fewShards(),
};

/** `moon-server exec`: as startServer(), and quiet but for warnings. */
export const execPreset: Preset = { ...apiPreset, loglevel: 'warning' };
