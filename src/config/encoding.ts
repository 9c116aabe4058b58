// When a value changes from its compact to its general encoding.
import { INT_MAX, LONG_MAX, rowsOf } from './rows.ts';
import type { SettingRow } from './types.ts';

const row = rowsOf('encoding');

export const encoding: readonly SettingRow[] = [
  row.int(
    'hash-max-listpack-entries',
    512,
    [0, LONG_MAX],
    'Fields up to which a hash is a listpack.',
    { aliases: ['hash-max-ziplist-entries'] },
  ),
  row.memory(
    'hash-max-listpack-value',
    64,
    [0, LONG_MAX],
    'Bytes of a field or value up to which a hash is a listpack.',
    { aliases: ['hash-max-ziplist-value'] },
  ),
  row.int(
    'list-max-listpack-size',
    -2,
    [-2147483648, INT_MAX],
    'Size of a list’s nodes: elements, or -1 … -5 for 4, 8, 16, 32, 64 KiB.',
    { aliases: ['list-max-ziplist-size'] },
  ),
  row.int(
    'list-compress-depth',
    0,
    [0, INT_MAX],
    'Nodes at both ends of a list that stay uncompressed. 0: all of them.',
  ),
  row.int(
    'set-max-intset-entries',
    512,
    [0, LONG_MAX],
    'Members up to which a set of integers is an intset.',
  ),
  row.int(
    'set-max-listpack-entries',
    128,
    [0, LONG_MAX],
    'Members up to which a set is a listpack.',
  ),
  row.memory(
    'set-max-listpack-value',
    64,
    [0, LONG_MAX],
    'Bytes of a member up to which a set is a listpack.',
  ),
  row.int(
    'zset-max-listpack-entries',
    128,
    [0, LONG_MAX],
    'Members up to which a sorted set is a listpack.',
    { aliases: ['zset-max-ziplist-entries'] },
  ),
  row.memory(
    'zset-max-listpack-value',
    64,
    [0, LONG_MAX],
    'Bytes of a member up to which a sorted set is a listpack.',
    { aliases: ['zset-max-ziplist-value'] },
  ),
  row.memory(
    'hll-sparse-max-bytes',
    3000,
    [0, LONG_MAX],
    'Bytes up to which a HyperLogLog is sparse.',
  ),
  row.memory('stream-node-max-bytes', 4096, [0, LONG_MAX], 'Bytes of a stream’s node. 0: any.'),
  row.int(
    'stream-node-max-entries',
    100,
    [0, LONG_MAX],
    'Entries of a stream’s node. 0: any number.',
  ),
];
