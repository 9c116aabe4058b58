// MULTI, EXEC, WATCH with several clients, over keys of all shards.
import { list, OK, pause, QUEUED, repeat, type Row, type WireCase } from './session.ts';

const KEYS = repeat(12, (i) => `key:${i}`);

export const transactions: readonly WireCase[] = [
  {
    name: 'what could not be queued takes the whole transaction with it',
    run: (s) =>
      s.rows([
        ['MULTI', OK],
        ['SET never 1', QUEUED],
        ['APPEND never', "-ERR wrong number of arguments for 'append' command"],
        ['INCR never', QUEUED],
        ['EXEC', '-EXECABORT Transaction discarded because of previous errors.'],
        ['EXISTS never', ':0'],
        ['MULTI', OK],
        ['NOSUCH', /^-ERR unknown command 'NOSUCH'/],
        ['DISCARD', OK],
        ['EXEC', '-ERR EXEC without MULTI'],
      ]),
  },
  {
    name: 'an error of one command leaves the others',
    run: (s) =>
      s.rows([
        ['SET text abc', OK],
        ['MULTI', OK],
        ['SET a 1', QUEUED],
        ['INCR text', QUEUED],
        ['SETRANGE a -1 x', QUEUED],
        ['GET a', QUEUED],
        [
          'EXEC',
          '[+OK, -ERR value is not an integer or out of range, -ERR offset is out of range, "1"]',
        ],
      ]),
  },
  {
    name: 'a watched key that another client changes, on every shard',
    run: async (s) => {
      for (const key of KEYS) {
        await s.rows([
          [['WATCH', ...KEYS], OK],
          ['MULTI', OK],
          [['GET', key], QUEUED],
        ]);
        await s.rows([[['SET', key, 'theirs'], OK]], 2);
        await s.rows([
          ['EXEC', 'nil[]'],
          ['MULTI', OK],
          [['GET', key], QUEUED],
          ['EXEC', '["theirs"]'],
        ]);
      }
    },
  },
  {
    name: 'what others do to watched keys, and whether it counts',
    run: async (s) => {
      const changes: readonly (readonly [command: string, counts: boolean])[] = [
        ['APPEND k x', true],
        ['DEL k', true],
        ['RENAME k z', true],
        ['RENAME other k', true],
        ['COPY other k REPLACE', true],
        ['FLUSHALL', true],
        ['FLUSHDB ASYNC', true],
        ['EXPIRE k 100', true],
        ['SWAPDB 0 1', true],
        ['MOVE k 3', true],
        ['GETDEL k', true],
        ['GET k', false],
        ['TOUCH k', false],
        ['COPY k z', false],
        ['DEL nothing', false],
        ['SET k v NX', false],
        ['PERSIST k', false],
        ['SETNX k x', false],
        ['GETEX k', false],
      ];
      for (const [command, counts] of changes) {
        await s.rows([
          ['FLUSHALL', OK],
          ['MSET k v other o', OK],
          ['WATCH k', OK],
        ]);
        await s.rows([[command, /^[^-]/]], 2);
        const got = (await s.call('MULTI'), await s.call('PING'), await s.call('EXEC'));
        if (got !== (counts ? 'nil[]' : '[+PONG]')) throw new Error(`${command}: EXEC said ${got}`);
      }
    },
  },
  {
    name: 'a watched key that runs out before EXEC',
    run: async (s) => {
      await s.rows([
        ['SET k 1 PX 100', OK],
        ['SET gone 1 PXAT 1', OK],
        ['WATCH k gone', OK],
        ['MULTI', OK],
        ['INCR n', QUEUED],
      ]);
      await pause(250);
      await s.rows([
        ['EXEC', 'nil[]'],
        ['EXISTS n k', ':0'],
        ['WATCH k', OK],
        ['MULTI', OK],
        ['EXEC', '[]'],
      ]);
    },
  },
  {
    name: 'DISCARD, UNWATCH, RESET and EXEC end the watch; a refused EXEC does too',
    run: async (s) => {
      for (const end of [['MULTI', 'DISCARD'], ['UNWATCH'], ['RESET'], ['MULTI', 'EXEC']]) {
        await s.rows([['WATCH k', OK], ...end.map((command): Row => [command, /^[+[]/])]);
        await s.rows([['INCR k', /^:/]], 2);
        await s.rows([
          ['MULTI', OK],
          ['PING', QUEUED],
          ['EXEC', '[+PONG]'],
        ]);
      }
    },
  },
  {
    name: 'EXEC and DISCARD without MULTI leave the watch',
    run: async (s) => {
      await s.rows([
        ['WATCH k', OK],
        ['EXEC', '-ERR EXEC without MULTI'],
        ['DISCARD', '-ERR DISCARD without MULTI'],
      ]);
      await s.rows([['SET k 1', OK]], 2);
      await s.rows([
        ['MULTI', OK],
        ['PING', QUEUED],
        ['EXEC', 'nil[]'],
      ]);
    },
  },
  {
    name: 'commands of the server and the connection wait for EXEC',
    run: async (s) => {
      await s.rows([
        ['SET k v', OK],
        ['MULTI', OK],
        ['FLUSHALL', QUEUED],
        ['CONFIG SET maxmemory-samples 9', QUEUED],
        ['CLIENT SETNAME later', QUEUED],
        ['SELECT 4', QUEUED],
        ['DBSIZE', QUEUED],
        ['COMMAND COUNT', QUEUED],
        ['INFO server', QUEUED],
        ['TIME', QUEUED],
      ]);
      await s.rows(
        [
          ['GET k', '"v"'],
          ['CONFIG GET maxmemory-samples', '["maxmemory-samples", "5"]'],
        ],
        2,
      );
      await s.rows([
        ['EXEC', /^\[\+OK, \+OK, \+OK, \+OK, :0, :\d+, "# Server.*, \["\d+", "\d+"\]\]$/],
        ['CLIENT GETNAME', '"later"'],
        ['GET k', 'nil'],
        ['CONFIG SET maxmemory-samples 5', OK],
      ]);
    },
  },
  {
    name: 'one transaction over every key of every shard',
    run: async (s) => {
      const names = repeat(300, (i) => `k:${i}`);
      await s.rows([['MULTI', OK]]);
      await s.pipelined(
        names.flatMap((name): Row[] => [
          [['INCR', name], QUEUED],
          [['GET', name], QUEUED],
        ]),
      );
      await s.rows([
        ['EXEC', list(...names.flatMap(() => [':1', '"1"']))],
        ['DBSIZE', ':300'],
      ]);
    },
  },
  {
    name: 'a client that leaves within MULTI leaves nothing',
    run: async (s) => {
      const gone = await s.on('gone');
      await gone.pipeline(['WATCH k', 'MULTI', 'SET k lost']);
      await gone.reset();
      await s.rows([
        ['SET k v', OK],
        ['MULTI', OK],
        ['GET k', QUEUED],
        ['EXEC', '["v"]'],
      ]);
    },
  },
];
