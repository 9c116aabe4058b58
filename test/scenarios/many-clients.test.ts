// Invariants that many clients at once must not break, on every way commands can travel: in place,
// and through the mesh.
import test, { type ExecutionContext } from 'ava';
import { Random, SEED } from '../helpers/random.ts';
import { startMoon, type Driver, type TestServer } from '../helpers/servers.ts';
import type { WireClient } from '../helpers/wire.ts';

interface Way {
  readonly shards: number;
  readonly driver: Driver;
  readonly path: 'auto' | 'off';
}

const WAYS: readonly Way[] = [
  { shards: 1, driver: 'io_uring', path: 'auto' },
  { shards: 2, driver: 'epoll', path: 'auto' },
  { shards: 4, driver: 'io_uring', path: 'auto' },
  { shards: 4, driver: 'epoll', path: 'off' },
  { shards: 4, driver: 'io_uring', path: 'off' },
];

const KEYS = Array.from({ length: 50 }, (_, i) => `shared:${i}`);

type Body = (t: ExecutionContext, server: TestServer) => Promise<void>;

function onEveryWay(title: string, body: Body): void {
  for (const way of WAYS) {
    const name = `${title}: ${way.shards} shards, ${way.driver}, fast path ${way.path}`;
    test.serial(name, async (t) => {
      const server = await startMoon({
        shards: way.shards,
        driver: way.driver,
        args: ['--cross-shard-fast-path', way.path],
      });
      try {
        await body(t, server);
      } finally {
        await server.stop();
      }
    });
  }
}

const connect = (server: TestServer, count: number): Promise<WireClient[]> =>
  Promise.all(Array.from({ length: count }, () => server.connect(2)));

const together = (
  clients: readonly WireClient[],
  work: (client: WireClient, number: number) => Promise<void>,
) => Promise.all(clients.map(work));

onEveryWay('who sees the flag sees the data', async (t, server) => {
  const [writer, ...readers] = await connect(server, 5);
  let done = false;
  const write = async (): Promise<void> => {
    for (let turn = 1; turn <= 300; turn++) {
      await writer?.pipeline([
        ['SET', `data:${turn % 7}`, `${turn}`],
        ['SET', `flag:${turn % 7}`, `${turn}`],
      ]);
    }
    done = true;
  };
  const read = async (client: WireClient): Promise<void> => {
    for (let turn = 0; !done; turn++) {
      const slot = turn % 7;
      const [flag, data] = await client.pipeline([
        ['GET', `flag:${slot}`],
        ['GET', `data:${slot}`],
      ]);
      const value = (text = 'nil') => (text === 'nil' ? 0 : Number(text.replaceAll('"', '')));
      if (value(data) < value(flag)) t.fail(`flag ${flag} and data ${data}`);
    }
  };
  await Promise.all([write(), ...readers.map(read)]);
  t.true(done);
});

onEveryWay('INCR answers 1 and DECR 0 in transactions over shared keys', async (t, server) => {
  const clients = await connect(server, 20);
  await together(clients, async (client, number) => {
    const random = new Random(SEED + number);
    for (let turn = 0; turn < 25; turn++) {
      const keys = [...new Set(random.several(random.between(1, 5), () => random.pick(KEYS)))];
      const replies = await client.pipeline([
        ['MULTI'],
        ...keys.map((key) => ['INCR', key]),
        ...keys.map((key) => ['DECR', key]),
        ['EXEC'],
      ]);
      const expected = [...keys.map(() => ':1'), ...keys.map(() => ':0')].join(', ');
      if (replies.at(-1) !== `[${expected}]`) t.fail(`${replies.at(-1)} is not [${expected}]`);
    }
  });
  for (const key of KEYS) {
    const left = await clients[0]?.call(['GET', key]);
    t.true(left === 'nil' || left === '"0"', `${key} is ${left}`);
  }
});

onEveryWay('forwards and backwards over the same keys: no deadlock', async (t, server) => {
  const clients = await connect(server, 8);
  const keys = KEYS.slice(0, 12);
  await together(clients, async (client, number) => {
    const order = number % 2 === 0 ? keys : [...keys].reverse();
    for (let turn = 0; turn < 30; turn++) {
      const replies = await client.pipeline([
        ['MULTI'],
        ...order.map((key) => ['INCRBY', key, '1']),
        ['EXEC'],
      ]);
      t.regex(replies.at(-1) ?? '', /^\[:\d+(, :\d+)*\]$/);
    }
  });
  for (const key of keys) t.is(await clients[0]?.call(['GET', key]), `"${8 * 30}"`);
});

onEveryWay('a pipeline over all shards: in order, writes seen by the next read', async (t, s) => {
  const clients = await connect(s, 6);
  await together(clients, async (client, number) => {
    for (let turn = 0; turn < 20; turn++) {
      const commands: string[][] = [];
      const expected: string[] = [];
      for (let i = 0; i < 30; i++) {
        const key = `own:${number}:${i % 9}`;
        commands.push(['SET', key, `${turn}.${i}`], ['GET', key], ['PING'], ['NOSUCH']);
        expected.push('+OK', `"${turn}.${i}"`, '+PONG', '');
      }
      const replies = await client.pipeline(commands);
      replies.forEach((reply, i) => {
        const wanted = expected[i] ?? '';
        if (wanted !== '' && reply !== wanted) t.fail(`reply ${i}: ${reply} is not ${wanted}`);
      });
    }
  });
  t.pass();
});

onEveryWay('optimistic counters lose nothing', async (t, server) => {
  const clients = await connect(server, 8);
  let won = 0;
  await together(clients, async (client) => {
    for (let turn = 0; turn < 40; turn++) {
      await client.call(['WATCH', 'counter', 'other']);
      const [, text = '0'] = /^"(\d+)"$/.exec(await client.call(['GET', 'counter'])) ?? [];
      const replies = await client.pipeline([
        ['MULTI'],
        ['SET', 'counter', `${Number(text) + 1}`],
        ['EXEC'],
      ]);
      if (replies.at(-1) === '[+OK]') won += 1;
    }
  });
  t.is(await clients[0]?.call(['GET', 'counter']), `"${won}"`);
  t.true(won > 0);
});

onEveryWay('dispatch is counted on the way it took', async (t, server) => {
  const [client] = await connect(server, 1);
  await client?.pipeline(KEYS.map((key) => ['SET', key, 'v']));
  await client?.pipeline([['MGET', ...KEYS]]);
  const info = (await client?.call(['INFO', 'dispatch'])) ?? '';
  const sum = [...info.matchAll(/total_dispatch_\w+:(\d+)/g)].reduce(
    (total, [, count]) => total + Number(count),
    0,
  );
  t.true(sum >= KEYS.length + 1, info);
});
