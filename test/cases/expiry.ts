// Deadlines: set, kept, dropped, carried along, passed.
import { OK, pause, repeat, within, type WireCase } from './session.ts';

const NOT_TOGETHER = '-ERR NX and XX, GT or LT options at the same time are not compatible';

export const expiry: readonly WireCase[] = [
  {
    name: 'options that clash give one reply and change nothing',
    run: async (s) => {
      await s.pipelined([
        ['SET k v', OK],
        ['EXPIRE k 50 XX NX', NOT_TOGETHER],
        ['PEXPIREAT k 1 LT NX', NOT_TOGETHER],
        ['PEXPIRE k 1 LT GT', '-ERR GT and LT options at the same time are not compatible'],
        ['EXPIREAT k 1 SOON', '-ERR Unsupported option SOON'],
        ['PING', '+PONG'],
        ['TTL k', ':-1'],
        ['EXPIRE k 50 GT', ':0'],
        ['EXPIRE k 50 LT', ':1'],
        ['EXPIRE k 40 GT', ':0'],
        ['EXPIRE k 60 XX GT', ':1'],
        ['TTL k', ':60'],
      ]);
    },
  },
  {
    name: 'times too large are refused, not wrapped',
    run: async (s) => {
      await s.rows([['SET k v', OK]]);
      for (const time of ['9223372036854775807', '-9223372036854775808', '9223372036854776']) {
        await s.rows([
          [`EXPIRE k ${time}`, "-ERR invalid expire time in 'expire' command"],
          [`EXPIREAT k ${time}`, "-ERR invalid expire time in 'expireat' command"],
        ]);
      }
      await s.rows([
        ['PEXPIRE k 9223372036854775807', "-ERR invalid expire time in 'pexpire' command"],
        ['SET k w PX 9223372036854775807', "-ERR invalid expire time in 'set' command"],
        ['SETEX k 9223372036854776 w', "-ERR invalid expire time in 'setex' command"],
        ['PSETEX k 0 w', "-ERR invalid expire time in 'psetex' command"],
        ['GETEX k EX -5', "-ERR invalid expire time in 'getex' command"],
        ['GET k', '"v"'],
        ['PTTL k', ':-1'],
        ['PEXPIREAT k 9223372036854775806', ':1'],
        ['PEXPIRETIME k', ':9223372036854775806'],
        ['GET k', '"v"'],
      ]);
    },
  },
  {
    name: 'RENAME, COPY and MOVE carry the deadline; the target loses its own',
    run: (s) =>
      s.rows([
        ['SET a 1 EX 300', OK],
        ['SET b 2 EX 900', OK],
        ['RENAME a b', OK],
        ['TTL b', ':300'],
        ['SET c 3', OK],
        ['RENAME c b', OK],
        ['TTL b', ':-1'],
        ['EXPIRE b 77', ':1'],
        ['COPY b d', ':1'],
        ['TTL d', ':77'],
        ['COPY b b DB 9', ':1'],
        ['MOVE d 9', ':1'],
        ['SELECT 9', OK],
        ['TTL b', ':77'],
        ['TTL d', ':77'],
        ['RENAMENX d b', ':0'],
        ['TTL d', ':77'],
      ]),
  },
  {
    name: 'what changes a value in place keeps its deadline',
    run: async (s) => {
      const kept = [
        'APPEND k 1',
        'INCR k',
        'DECRBY k 3',
        'SETRANGE k 0 1',
        'SETBIT k 30 1',
        'GETEX k',
        'GET k',
        'BITFIELD k SET u8 0 49',
        'SET k 10 KEEPTTL',
        'TOUCH k',
        'INCRBYFLOAT k 1.5',
      ];
      await s.rows([['SET k 10 EX 500', OK]]);
      for (const command of kept)
        await s.rows([
          [command, /^[^-]/],
          ['TTL k', ':500'],
        ]);
      const dropped = ['SET k 1', 'GETSET k 1', 'MSET k 1', 'BITOP NOT k other', 'GETEX k PERSIST'];
      for (const command of dropped) {
        await s.rows([
          ['SET other x', OK],
          ['SET k 10 EX 500', OK],
          [command, /^[^-]/],
          ['TTL k', ':-1'],
        ]);
      }
    },
  },
  {
    name: 'a key whose time has come is gone for every command',
    run: async (s) => {
      const rows: readonly (readonly [string, string])[] = [
        ['GET', 'nil'],
        ['EXISTS', ':0'],
        ['TYPE', '+none'],
        ['TTL', ':-2'],
        ['STRLEN', ':0'],
        ['INCR', ':1'],
        ['PERSIST', ':0'],
        ['DEL', ':0'],
        ['TOUCH', ':0'],
        ['GETDEL', 'nil'],
        ['BITCOUNT', ':0'],
      ];
      await s.pipelined(rows.map(([name]) => [`SET k:${name} 9 PX 60`, OK]));
      await pause(150);
      await s.pipelined(rows.map(([name, reply]) => [`${name} k:${name}`, reply]));
      await s.rows([
        ['RENAME k:GET other', '-ERR no such key'],
        ['KEYS *', '["k:INCR"]'],
      ]);
    },
  },
  {
    name: 'many keys that end together leave nothing behind, unread',
    run: async (s) => {
      await s.pipelined(repeat(2000, (i) => [`SET end:${i} x PX ${40 + (i % 60)}`, OK]));
      await s.rows([['SET stays x', OK]]);
      for (let i = 0; i < 100 && (await s.call('DBSIZE')) !== ':1'; i++) await pause(100);
      await s.rows([
        ['DBSIZE', ':1'],
        ['RANDOMKEY', '"stays"'],
      ]);
      if ((await s.info('stats', 'expired_keys')) !== 2000) throw new Error('expired_keys');
    },
  },
  {
    name: 'deadlines in the past delete at once',
    run: (s) =>
      s.pipelined([
        ['MSET a 1 b 2 c 3', OK],
        ['EXPIRE a -1', ':1'],
        ['PEXPIREAT b 5', ':1'],
        ['EXPIREAT nothing 5', ':0'],
        ['DBSIZE', ':1'],
        ['GETEX c EXAT 1', '"3"'],
        ['DBSIZE', ':0'],
      ]),
  },
  {
    name: 'PTTL counts down',
    run: async (s) => {
      await s.rows([['SET k v PX 60000', OK]]);
      await pause(60);
      await s.rows([
        ['PTTL k', within(30_000, 59_960)],
        ['TTL k', within(30, 60)],
      ]);
    },
  },
];
