// How much memory the data may take, what goes when it is full, how keys expire.
import { INT_MAX, LONG_MAX, rowsOf } from './rows.ts';
import type { SettingRow } from './types.ts';

const mem = rowsOf('memory');
const expiry = rowsOf('expiry');

export const memory: readonly SettingRow[] = [
  mem.memory('maxmemory', 0, [0, LONG_MAX], 'Bytes the data may take. 0: no limit.'),
  mem.oneOf(
    'maxmemory-policy',
    'noeviction',
    [
      'volatile-lru',
      'volatile-lfu',
      'volatile-random',
      'volatile-ttl',
      'allkeys-lru',
      'allkeys-lfu',
      'allkeys-random',
      'noeviction',
    ],
    'Which keys go when maxmemory is reached: of all, or of those with an expiry time, the least ' +
      'recently used, the least frequently used, any, or those that expire first; or none, and ' +
      'writes fail.',
  ),
  mem.int(
    'maxmemory-samples',
    5,
    [1, INT_MAX],
    'Keys looked at for each one evicted: more is more exact and slower. More than 64 count as 64.',
  ),
  mem.int(
    'maxmemory-eviction-tenacity',
    10,
    [0, 100],
    'How long a command may evict before it runs: up to 10, that many times 50 microseconds; ' +
      'from there 15 percent more for each; 100: as long as it takes.',
  ),
  mem.int(
    'lfu-log-factor',
    10,
    [0, INT_MAX],
    'How fast the frequency counter of a key saturates: higher tells more accesses apart.',
  ),
  mem.int(
    'lfu-decay-time',
    1,
    [0, INT_MAX],
    'Minutes after which the frequency counter of an unused key loses one. 0: at every look.',
  ),
];

export const expiration: readonly SettingRow[] = [
  expiry.int(
    'hz',
    10,
    [0, INT_MAX],
    'How often a second a shard looks for keys that expire sooner than it knew, 1 to 500. Keys ' +
      'it knows of are deleted at their time.',
    { clamp: [1n, 500n] },
  ),
  expiry.int(
    'active-expire-effort',
    1,
    [1, 10],
    'How much of a turn background expiry may take, 1 to 10 times 300 microseconds.',
  ),
];
