// What programs do with ioredis, and with iovalkey, which is its fork: one session for both.
import test, { type ExecutionContext } from 'ava';
import type { Redis, RedisOptions } from 'ioredis';
import { fleet } from './fleet.ts';

type Constructor = new (options: RedisOptions) => Redis;

/** Opens another client of the same kind on the same server. */
type Open = (options?: RedisOptions) => Redis;

type Work = (t: ExecutionContext, client: Redis, open: Open) => Promise<void>;

interface Session {
  readonly name: string;
  readonly work: Work;
  readonly options: RedisOptions;
}

const NAMES = Array.from({ length: 300 }, (_, i) => `key:${i}`);

const sessions: Session[] = [];
const session = (name: string, work: Work, options: RedisOptions = {}): void => {
  sessions.push({ name, work, options });
};

session('connects by the ready check and names itself', async (t, client) => {
  t.is(await client.ping(), 'PONG');
  t.is(client.status, 'ready');
  t.is(await client.client('GETNAME'), 'session');
  t.regex(await client.info(), /^redis_version:7\./m);
  t.regex(await client.info('persistence'), /^loading:0\r$/m);
}, { connectionName: 'session', db: 3 });

session('strings, numbers and bytes', async (t, client) => {
  const bytes = Buffer.from([0, 255, 13, 10]);
  t.is(await client.set('k', 'välue'), 'OK');
  t.is(await client.get('k'), 'välue');
  t.is(await client.get('none'), null);
  await client.set('bytes', bytes);
  t.deepEqual(await client.getBuffer('bytes'), bytes);
  t.is(await client.incrby('n', 41), 41);
  t.is(await client.incrbyfloat('f', 0.5), '0.5');
  await client.mset({ a: '1', b: '2' });
  t.deepEqual(await client.mget('a', 'none', 'b'), ['1', null, '2']);
  t.is(await client.set('k', 'x', 'EX', 100, 'NX'), null);
  t.is(await client.set('k', 'x', 'PX', 100_000, 'GET'), 'välue');
  t.true((await client.pttl('k')) > 90_000);
  t.is(await client.del('a', 'b', 'none'), 2);
  t.is(await client.setbit('bits', 7, 1), 0);
  t.is(await client.bitcount('bits'), 1);
});

session('errors of commands', async (t, client) => {
  await client.set('text', 'abc');
  await t.throwsAsync(client.incr('text'), { name: 'ReplyError', message: /not an integer/ });
  await t.throwsAsync(client.call('NOSUCH'), { message: /unknown command 'NOSUCH'/ });
  t.is(await client.get('text'), 'abc');
});

session('pipelines', async (t, client) => {
  const pipeline = client.pipeline();
  for (const name of NAMES) pipeline.set(name, name).get(name);
  const results = (await pipeline.exec()) ?? [];
  t.is(results.length, 2 * NAMES.length);
  t.deepEqual(results.map(([error]) => error), results.map(() => null));
  t.deepEqual(results.filter((_, i) => i % 2 === 1).map(([, value]) => value), NAMES);
  t.is(await client.dbsize(), NAMES.length);
});

session('automatic pipelining', async (t, client) => {
  await Promise.all(NAMES.map((name) => client.set(name, name)));
  t.deepEqual(await Promise.all(NAMES.map((name) => client.get(name))), NAMES);
}, { enableAutoPipelining: true });

session('transactions', async (t, client, open) => {
  t.deepEqual(await client.multi().set('a', '1').incr('a').get('a').exec(), [
    [null, 'OK'], [null, 2], [null, '2'],
  ]);
  const mixed = await client.multi().set('a', 'x').incr('a').exec();
  t.regex(String(mixed?.[1]?.[0]), /not an integer/);
  await client.watch('a');
  const other = open();
  await other.set('a', 'changed');
  t.is(await client.multi().set('a', 'lost').exec(), null);
  t.is(await client.get('a'), 'changed');
  await client.multi({ pipeline: false });
  await client.set('a', 'never');
  t.is(await client.discard(), 'OK');
  t.is(await client.get('a'), 'changed');
});

session('scanning', async (t, client) => {
  await client.mset(...NAMES.flatMap((name) => [name, '1']), 'other', '1');
  const found = new Set<string>();
  for await (const batch of client.scanStream({ match: 'key:*', count: 20, type: 'string' })) {
    for (const name of batch as string[]) found.add(name);
  }
  t.deepEqual([...found].sort(), [...NAMES].sort());
});

session('a prefix of keys', async (t, client) => {
  await client.mset('a', '1', 'b', '2');
  t.deepEqual((await client.keys('*')).sort(), ['app:a', 'app:b']);
  await client.rename('a', 'c');
  t.deepEqual(await client.mget('a', 'b', 'c'), [null, '2', '1']);
}, { keyPrefix: 'app:' });

session('configuration', async (t, client) => {
  t.deepEqual(await client.config('GET', 'maxmemory-samples'), ['maxmemory-samples', '5']);
  t.is(await client.config('SET', 'maxmemory-samples', '5'), 'OK');
  t.true(Array.isArray(await client.command('INFO', 'get')));
  t.is((await client.time()).length, 2);
});

session('values of some megabytes', async (t, client) => {
  const big = Buffer.alloc(5_000_000, 'moon ');
  await client.set('big', big);
  t.true((await client.getBuffer('big'))?.equals(big));
  t.is(await client.append('big', '!'), big.length + 1);
  t.is(await client.getrange('big', -6, -1), 'moon !');
});

session('a password', async (t, client, open) => {
  await client.config('SET', 'requirepass', 'open sesame');
  try {
    const stranger = open({ enableReadyCheck: false });
    await t.throwsAsync(stranger.get('a'), { message: /NOAUTH/ });
    const known = open({ password: 'open sesame' });
    t.is(await known.set('a', '1'), 'OK');
  } finally {
    await client.config('SET', 'requirepass', '');
  }
});

session('quitting', async (t, client) => {
  const last = client.set('last', '1');
  t.is(await client.quit(), 'OK');
  t.is(await last, 'OK');
});

export function ioredisSession(
  title: string,
  constructor: Constructor,
  protocol: Pick<RedisOptions, 'protocol'>,
): void {
  const servers = fleet();
  for (const { name, work, options } of sessions) {
    test.serial(`${title}: ${name}`, async (t) => {
      await servers.each(async ({ port }) => {
        const opened: Redis[] = [];
        // Errors reject what waits for them; nothing is tried again.
        const open: Open = (more = {}) => {
          const client = new constructor({ port, retryStrategy: () => null, ...protocol, ...more });
          client.on('error', () => undefined);
          opened.push(client);
          return client;
        };
        try {
          await work(t, open(options), open);
        } finally {
          for (const client of opened) client.disconnect();
        }
      });
    });
  }
}
