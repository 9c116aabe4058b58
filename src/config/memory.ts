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
    [1, 64],
    'Keys looked at for each one evicted: more is more exact and slower.',
  ),
  mem.int(
    'maxmemory-eviction-tenacity',
    10,
    [0, 100],
    'How long a command may evict before it runs: 0 as short as possible, 100 as long as it takes.',
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
  mem.yesNo('lazyfree-lazy-eviction', 'no', 'Evicted values are freed in small steps.'),
  mem.yesNo('lazyfree-lazy-expire', 'no', 'Expired values are freed in small steps.'),
  mem.yesNo(
    'lazyfree-lazy-server-del',
    'no',
    'Values that a command replaces (RENAME, SET, …) are freed in small steps.',
  ),
  mem.yesNo('lazyfree-lazy-user-del', 'no', 'DEL frees values in small steps, as UNLINK does.'),
  mem.yesNo(
    'lazyfree-lazy-user-flush',
    'no',
    'FLUSHDB and FLUSHALL without SYNC or ASYNC mean ASYNC.',
  ),
];

export const expiration: readonly SettingRow[] = [
  expiry.int(
    'hz',
    10,
    [0, INT_MAX],
    'Rounds of background work (expiry, timeouts) a second, 1 to 500.',
    { clamp: [1n, 500n] },
  ),
  expiry.yesNo('dynamic-hz', 'yes', 'More rounds of background work while many clients are there.'),
  expiry.int(
    'active-expire-effort',
    1,
    [1, 10],
    'How much time background expiry may take: 10 is the most.',
  ),
];
