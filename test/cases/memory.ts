// maxmemory: refused writes, eviction, and that what was used comes back.
import { OK, pause, repeat, type Session, type WireCase } from './session.ts';

const OOM = "-OOM command not allowed when used memory > 'maxmemory'.";

/** Puts the limits back, whatever happened. */
const limited =
  (work: (s: Session) => Promise<void>) =>
  async (s: Session): Promise<void> => {
    try {
      await work(s);
    } finally {
      await s.call('CONFIG SET maxmemory 0 maxmemory-policy noeviction', 'limits');
    }
  };

/** Adds keys until one is refused or `count` are there. */
async function fill(s: Session, count: number, options: readonly string[] = []): Promise<number> {
  const client = await s.on('filler');
  let refused = 0;
  for (let i = 0; i < count; i += 500) {
    client.send(...repeat(500, (n) => ['SET', `fill:${i + n}`, 'f'.repeat(500), ...options]));
    for (const frame of await client.frames(500)) if (frame[0] === '-'.charCodeAt(0)) refused++;
  }
  return refused;
}

const roomFor = async (s: Session, bytes: number): Promise<string> =>
  `CONFIG SET maxmemory ${(await s.info('memory', 'used_memory')) + bytes}`;

export const memory: readonly WireCase[] = [
  {
    name: 'a write refused in a pipeline has one reply and no effect',
    run: limited(async (s) => {
      await s.rows([
        ['MSET k v old 1', OK],
        ['CONFIG SET maxmemory 1', OK],
      ]);
      await s.pipelined([
        ['GET k', '"v"'],
        ['SET new 1', OOM],
        ['APPEND k x', OOM],
        ['MSET a 1 b 2', OOM],
        ['DEL nothing', ':0'],
        ['EXPIRE k 100', ':1'],
        ['SETBIT k 100 1', OOM],
        ['COPY k c', OOM],
        ['ECHO on', '"on"'],
        ['DEL old', ':1'],
        ['MULTI', OK],
        ['SET x 1', OOM],
        ['EXEC', '-EXECABORT Transaction discarded because of previous errors.'],
        ['EXISTS new a b c x', ':0'],
        ['GET k', '"v"'],
        ['INCR n', OOM],
        ['RENAME k moved', OK],
      ]);
      await s.rows([
        ['CONFIG SET maxmemory 0', OK],
        ['SET new 1', OK],
      ]);
    }),
  },
  {
    name: 'noeviction: refuses, keeps all keys, takes writes again when there is room',
    run: limited(async (s) => {
      await s.rows([[await roomFor(s, 1_000_000), OK]]);
      const refused = await fill(s, 5000);
      const size = Number((await s.call('DBSIZE')).slice(1));
      if (refused === 0 || size !== 5000 - refused)
        throw new Error(`${refused} refused, ${size} there`);
      if ((await s.info('stats', 'evicted_keys')) !== 0) throw new Error('evicted');
      await s.rows([
        ['FLUSHALL', OK],
        ['SET k v', OK],
      ]);
    }),
  },
  ...['allkeys-lru', 'allkeys-lfu', 'allkeys-random'].map((policy): WireCase => ({
    name: `${policy}: takes every write, and evicted_keys is what DBSIZE lost`,
    run: limited(async (s) => {
      await s.rows([
        [await roomFor(s, 1_500_000), OK],
        [`CONFIG SET maxmemory-policy ${policy}`, OK],
      ]);
      const refused = await fill(s, 8000);
      // Every command may evict, the one that asks too: count when the limit is gone.
      await s.rows([['CONFIG SET maxmemory 0', OK]]);
      const size = Number((await s.call('DBSIZE')).slice(1));
      const evicted = await s.info('stats', 'evicted_keys');
      if (refused !== 0 || evicted === 0 || size + evicted !== 8000) {
        throw new Error(`${refused} refused, ${size} there, ${evicted} evicted`);
      }
    }),
  })),
  ...['volatile-lru', 'volatile-ttl', 'volatile-lfu', 'volatile-random'].map(
    (policy): WireCase => ({
      name: `${policy}: only keys with a deadline go`,
      run: limited(async (s) => {
        await s.rows([
          [['MSET', ...repeat(200, (i) => [`stays:${i}`, 'x'.repeat(100)]).flat()], OK],
        ]);
        await s.rows([
          [await roomFor(s, 1_500_000), OK],
          [`CONFIG SET maxmemory-policy ${policy}`, OK],
        ]);
        const refused = await fill(s, 6000, ['EX', '1000']);
        const evicted = await s.info('stats', 'evicted_keys');
        const stays = await s.call(['EXISTS', ...repeat(200, (i) => `stays:${i}`)]);
        if (refused !== 0 || evicted === 0 || stays !== ':200') {
          throw new Error(`${refused} refused, ${evicted} evicted, ${stays} stay`);
        }
      }),
    }),
  ),
  {
    name: 'used_memory comes back when all is deleted',
    run: async (s) => {
      await fill(s, 500);
      await s.rows([['FLUSHALL', OK]]);
      const before = await s.info('memory', 'used_memory');
      for (let i = 0; i < 3; i++) {
        await fill(s, 10_000);
        await s.rows([['FLUSHALL', OK]]);
      }
      let after = await s.info('memory', 'used_memory');
      for (let i = 0; i < 40 && after > before + 200_000; i++) {
        await pause(50);
        after = await s.info('memory', 'used_memory');
      }
      if (after > before + 200_000) throw new Error(`${before} bytes before, ${after} after`);
    },
  },
];
