// Strings, numbers, bits: places where servers of this kind were wrong.
import { bulk, list, OK, repeat, type WireCase } from './session.ts';

const MAX = '9223372036854775807';
const MIN = '-9223372036854775808';

export const stringCases: readonly WireCase[] = [
  {
    name: 'signed fields across byte boundaries and their overflow',
    run: (s) =>
      s.rows([
        ['BITFIELD f SET i5 6 -7', '[:0]'],
        ['STRLEN f', ':2'],
        ['BITFIELD f GET i5 6 GET u5 6', '[:-7, :25]'],
        ['BITFIELD f OVERFLOW SAT INCRBY i5 6 -100', '[:-16]'],
        ['BITFIELD f OVERFLOW FAIL INCRBY i5 6 -1 INCRBY i5 6 1', '[nil, :-15]'],
        ['BITFIELD f OVERFLOW WRAP INCRBY i5 6 -2', '[:15]'],
        [`BITFIELD w SET i64 3 ${MAX} OVERFLOW FAIL INCRBY i64 3 1`, '[:0, nil]'],
        ['BITFIELD w OVERFLOW WRAP INCRBY i64 3 1', `[:${MIN}]`],
        ['BITFIELD w OVERFLOW SAT INCRBY i64 3 -1', `[:${MIN}]`],
      ]),
  },
  {
    name: 'offsets beyond what a string may hold are refused and create nothing',
    run: (s) =>
      s.rows([
        [`SETRANGE far ${MAX} z`, '-ERR string exceeds maximum allowed size (proto-max-bulk-len)'],
        [
          `SETRANGE far 536870911 zz`,
          '-ERR string exceeds maximum allowed size (proto-max-bulk-len)',
        ],
        [['SETRANGE', 'far', MAX, ''], ':0'],
        ['SETBIT far 4294967296 1', '-ERR bit offset is not an integer or out of range'],
        ['BITFIELD far SET u8 #536870912 1', '-ERR bit offset is not an integer or out of range'],
        ['EXISTS far', ':0'],
        ['DBSIZE', ':0'],
      ]),
  },
  {
    name: 'a number is read back by the bytes it was written with',
    run: async (s) => {
      const texts = ['5', '-1', '0', MAX, MIN, '05', '-0', '+5', ' 5', '5 ', '9223372036854775808'];
      for (const text of texts) {
        await s.rows([
          [['SET', 'n', text], OK],
          ['GET n', bulk(text)],
          ['MGET n n', list(bulk(text), bulk(text))],
          ['GETRANGE n 0 -1', bulk(text)],
          ['STRLEN n', `:${text.length}`],
          ['COPY n m REPLACE', ':1'],
          ['GETDEL m', bulk(text)],
        ]);
      }
    },
  },
  {
    name: 'limits of counters leave the value as it was',
    run: (s) =>
      s.rows([
        [`SET n ${MAX}`, OK],
        ['INCR n', '-ERR increment or decrement would overflow'],
        [`DECRBY n ${MIN}`, '-ERR decrement would overflow'],
        ['GET n', bulk(MAX)],
        ['DECRBY n 9223372036854775807', ':0'],
        ['DECR n', ':-1'],
        [`INCRBY n ${MIN}`, '-ERR increment or decrement would overflow'],
        ['INCRBYFLOAT n 0.75', '"-0.25"'],
        ['INCR n', '-ERR value is not an integer or out of range'],
        ['INCRBYFLOAT n 1e400', /^"1000/],
      ]),
  },
  {
    name: 'a number becomes text and a number again',
    run: (s) =>
      s.rows([
        ['SET n 41', OK],
        ['APPEND n 9', ':3'],
        ['INCR n', ':420'],
        ['SETRANGE n 0 7', ':3'],
        ['INCRBY n 80', ':800'],
        ['SETBIT n 7 1', ':0'],
        ['INCR n', ':901'],
        ['OBJECT ENCODING n', '"int"'],
      ]),
  },
  {
    name: 'keys of every length around the inline limits',
    run: async (s) => {
      for (const length of [0, 1, 15, 16, 22, 23, 24, 25, 255, 256, 4096]) {
        const key = 'k'.repeat(length);
        await s.rows([
          [['SET', key, key], OK],
          [['APPEND', key, '!'], `:${length + 1}`],
          [['GET', key], bulk(`${key}!`)],
          [['RENAME', key, `${key}x`], OK],
          [['EXISTS', key, `${key}x`], ':1'],
          [['GETDEL', `${key}x`], bulk(`${key}!`)],
        ]);
      }
      await s.rows([['DBSIZE', ':0']]);
    },
  },
  {
    name: 'values grow and shrink through every size class',
    run: async (s) => {
      const sizes = [0, 1, 14, 15, 16, 44, 45, 500, 4095, 16383, 16384, 70_000, 300_000, 20, 3];
      for (const size of sizes) {
        await s.rows([
          [['SET', 'v', 'y'.repeat(size)], OK],
          ['STRLEN v', `:${size}`],
          ['GET v', bulk('y'.repeat(size))],
        ]);
      }
    },
  },
  {
    name: 'MSET and MSETNX are one step, with a key given twice',
    run: (s) =>
      s.rows([
        ['MSET a 1 b 2 a 3', OK],
        ['MGET a b', '["3", "2"]'],
        ['MSETNX c 1 d 2 b 9', ':0'],
        ['EXISTS c d', ':0'],
        ['MSETNX c 1 c 2 d 3', ':1'],
        ['MGET c d', '["2", "3"]'],
        ['MSET a', "-ERR wrong number of arguments for 'mset' command"],
        ['MSET a 1 b', "-ERR wrong number of arguments for 'mset' command"],
      ]),
  },
  {
    name: 'SET with all it can answer',
    run: (s) =>
      s.rows([
        ['SET k first GET', 'nil'],
        ['SET k second NX GET', '"first"'],
        ['GET k', '"first"'],
        ['SET k third XX GET EX 1000', '"first"'],
        ['SET k fourth KEEPTTL', OK],
        ['TTL k', ':1000'],
        ['SET none x XX', 'nil'],
        ['SET none x XX GET', 'nil'],
        ['EXISTS none', ':0'],
        ['SET k v NX XX', '-ERR syntax error'],
        ['SET k v EX 10 PX 10', '-ERR syntax error'],
        ['SET k v EX 10 KEEPTTL', '-ERR syntax error'],
      ]),
  },
  {
    name: 'LCS in every form',
    run: (s) =>
      s.rows([
        ['MSET x moonserver y monsoonever', OK],
        ['LCS x y', '"monsever"'],
        ['LCS x y LEN', ':8'],
        ['LCS x y IDX MINMATCHLEN 4 WITHMATCHLEN', /^\["matches", \[.*\], "len", :8\]$/],
        ['LCS x none', '""'],
        ['LCS x y LEN IDX', /^-ERR If you want both the length and indexes/],
      ]),
  },
  {
    name: 'BITOP over keys on all shards',
    run: async (s) => {
      const keys = repeat(24, (i) => `bits:${i}`);
      for (const [i, key] of keys.entries()) await s.call(['SETBIT', key, `${i}`, '1']);
      await s.rows([
        [['BITOP', 'OR', 'all', ...keys], ':3'],
        ['BITCOUNT all', ':24'],
        [['BITOP', 'AND', 'all', ...keys], ':3'],
        ['BITCOUNT all', ':0'],
        [['BITOP', 'XOR', keys[3] ?? '', keys[3] ?? '', keys[3] ?? ''], ':1'],
        ['BITOP NOT all nothing', ':0'],
        ['EXISTS all', ':0'],
      ]);
    },
  },
];
