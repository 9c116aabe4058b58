// What programs do with node-redis, over RESP2 and over RESP3, its default.
import test, { type ExecutionContext } from 'ava';
import { createClient, RESP_TYPES } from 'redis';
import { fleet } from './fleet.ts';

type Protocol = 2 | 3;

interface Settings {
  readonly database?: number;
  readonly name?: string;
  readonly password?: string;
}

const connected = async (port: number, RESP: Protocol, settings: Settings = {}) => {
  const socket = { port, host: '127.0.0.1', reconnectStrategy: false } as const;
  const client = createClient({ RESP, socket, ...settings });
  client.on('error', () => undefined);
  return client.connect();
};

type Client = Awaited<ReturnType<typeof connected>>;
type Open = (settings?: Settings) => Promise<Client>;
type Work = (t: ExecutionContext, open: Open) => Promise<void>;

const NAMES = Array.from({ length: 300 }, (_, i) => `key:${i}`);

const servers = fleet();

/** The test over both protocols; each client that it opens is closed. */
function session(name: string, work: Work): void {
  for (const protocol of [2, 3] as const) {
    test.serial(`node-redis over RESP${protocol}: ${name}`, async (t) => {
      await servers.each(async ({ port }) => {
        const opened: Client[] = [];
        const open: Open = async (settings) => {
          const client = await connected(port, protocol, settings);
          opened.push(client);
          return client;
        };
        try {
          await work(t, open);
        } finally {
          for (const client of opened) if (client.isOpen) client.destroy();
        }
      });
    });
  }
}

session('connecting', async (t, open) => {
  const client = await open({ name: 'session', database: 5 });
  t.is(await client.ping(), 'PONG');
  t.is(await client.clientGetName(), 'session');
  t.is((await client.clientInfo()).db, 5);
  t.regex(await client.info('server'), /^redis_version:7\./m);
  t.is(typeof (await client.clientId()), 'number');
});

session('strings and numbers', async (t, open) => {
  const client = await open();
  t.is(await client.set('k', 'välue'), 'OK');
  t.is(await client.get('k'), 'välue');
  t.is(await client.get('none'), null);
  t.is(await client.set('k', 'v', { condition: 'NX' }), null);
  t.is(
    await client.set('k', 'v', { GET: true, expiration: { type: 'EX', value: 100 } }),
    'välue',
  );
  t.is(await client.ttl('k'), 100);
  t.is(await client.getEx('k', { type: 'PERSIST' }), 'v');
  t.is(await client.incrBy('n', 41), 41);
  t.is(await client.incrByFloat('f', 0.5), '0.5');
  await client.mSet({ a: '1', b: '2' });
  t.deepEqual(await client.mGet(['a', 'none', 'b']), ['1', null, '2']);
  t.is(await client.lcs('k', 'k'), 'v');
  t.is(await client.exists(['a', 'b', 'none', 'a']), 3);
  t.deepEqual(await client.bitField('bits', [
    { operation: 'SET', encoding: 'u8', offset: 0, value: 200 },
    { operation: 'GET', encoding: 'u8', offset: 0 },
  ]), [0, 200]);
});

session('bytes', async (t, open) => {
  const client = await open();
  const bytes = Buffer.from([0, 255, 13, 10]);
  await client.set('bytes', bytes);
  const mapped = client.withTypeMapping({ [RESP_TYPES.BLOB_STRING]: Buffer });
  t.deepEqual(await mapped.get('bytes'), bytes);
});

session('errors of commands', async (t, open) => {
  const client = await open();
  await client.set('text', 'abc');
  await t.throwsAsync(client.incr('text'), { message: /not an integer/ });
  await t.throwsAsync(client.sendCommand(['NOSUCH']), { message: /unknown command 'NOSUCH'/ });
  t.is(await client.get('text'), 'abc');
});

session('commands of one turn travel together', async (t, open) => {
  const client = await open();
  await Promise.all(NAMES.map((name) => client.set(name, name)));
  t.deepEqual(await Promise.all(NAMES.map((name) => client.get(name))), NAMES);
  t.is(await client.dbSize(), NAMES.length);
});

session('transactions', async (t, open) => {
  const client = await open();
  const other = await open();
  t.deepEqual(await client.multi().set('a', '1').incr('a').get('a').exec(), ['OK', 2, '2']);
  await client.watch('a');
  await other.set('a', 'changed');
  await t.throwsAsync(client.multi().set('a', 'lost').exec(), { message: /watched keys/ });
  t.is(await client.get('a'), 'changed');
  await client.watch('a');
  t.deepEqual(await client.multi().set('a', 'won').exec(), ['OK']);
  const replies = await client.multi().set('a', '7').incr('a').get('a').execAsPipeline();
  t.deepEqual(replies, ['OK', 8, '8']);
  const failed = client.multi().set('a', 'x').incr('a').set('b', '1').exec();
  await t.throwsAsync(failed, { message: /1 commands failed/ });
  t.deepEqual(await client.mGet(['a', 'b']), ['x', '1']);
});

session('scanning', async (t, open) => {
  const client = await open();
  await client.mSet(NAMES.map((name): [string, string] => [name, '1']));
  await client.set('other', '1');
  const found = new Set<string>();
  for await (const batch of client.scanIterator({ MATCH: 'key:*', COUNT: 20, TYPE: 'string' })) {
    for (const name of batch) found.add(name);
  }
  t.deepEqual([...found].sort(), [...NAMES].sort());
  t.is((await client.keys('key:1?')).length, 10);
});

session('configuration and the command table', async (t, open) => {
  const client = await open();
  t.deepEqual({ ...(await client.configGet('maxmemory-samples')) }, { 'maxmemory-samples': '5' });
  t.is(await client.configSet('maxmemory-samples', '5'), 'OK');
  const [get] = await client.commandInfo(['get']);
  t.is(get?.name, 'get');
  t.is(get?.arity, 2);
  t.true((await client.commandCount()) > 50);
  t.true((await client.commandList()).includes('getex'));
  t.deepEqual(await client.commandGetKeys(['MSET', 'a', '1', 'b', '2']), ['a', 'b']);
  t.true((await client.memoryUsage('none')) === null);
  t.true(Array.isArray(await client.clientList()));
});

session('databases', async (t, open) => {
  const client = await open();
  await client.set('a', 'zero');
  await client.select(1);
  t.is(await client.get('a'), null);
  await client.set('a', 'one');
  t.is(await client.swapDb(0, 1), 'OK');
  t.is(await client.get('a'), 'zero');
  t.is(await client.flushDb(), 'OK');
  await client.select(0);
  t.is(await client.get('a'), 'one');
});

session('values of some megabytes', async (t, open) => {
  const client = await open();
  const big = 'moon '.repeat(1_000_000);
  await client.set('big', big);
  t.is(await client.get('big'), big);
  t.is(await client.append('big', '!'), big.length + 1);
});

session('a password', async (t, open) => {
  const client = await open();
  await client.configSet('requirepass', 'open sesame');
  try {
    const known = await open({ password: 'open sesame' });
    t.is(await known.set('a', '1'), 'OK');
    await t.throwsAsync(open({ password: 'wrong' }), { message: /WRONGPASS/ });
  } finally {
    await client.configSet('requirepass', '');
  }
});

session('closing answers what was asked before', async (t, open) => {
  const client = await open();
  const replies = NAMES.map((name) => client.set(name, '1'));
  await client.close();
  t.deepEqual(await Promise.all(replies), NAMES.map(() => 'OK'));
});
