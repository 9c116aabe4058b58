// All directives, in the order in which CONFIG GET * lists them. A row's position is its Setting
// in src-native/base/settings.h.
import { encoding } from './encoding.ts';
import { general, monitoring, persistence, security, threads } from './general.ts';
import { expiration, memory } from './memory.ts';
import { clientLimits, network } from './network.ts';
import type { SettingRow } from './types.ts';

export const settings: readonly SettingRow[] = [
  ...network,
  ...threads,
  ...general,
  ...clientLimits,
  ...memory,
  ...expiration,
  ...encoding,
  ...monitoring,
  ...persistence,
  ...security,
];
