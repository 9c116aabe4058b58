// startServer() with the native server: what a program relies on.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { MoonError, ReplyError, startServer, type ServerOptions } from '../../src/index.ts';
import { RawClient } from './raw-client.ts';

async function open(t: ExecutionContext, options: ServerOptions = {}) {
  const server = await startServer(options);
  t.teardown(() => server.close());
  return server;
}

for (const ioDriver of ['auto', 'epoll'] as const) {
  for (const shards of [1, 2, 4]) {
    test(`it listens before it resolves: ${shards} shards, ${ioDriver}`, async (t) => {
      const server = await open(t, { shards, ioDriver });
      t.true(server.port > 0);
      t.is(server.facts.shards, shards);
      t.regex(server.facts.ioDriver, ioDriver === 'epoll' ? /^epoll$/ : /^(io_uring|epoll)$/);
      t.not(server.facts.ioDriverReason, '');
      t.is(server.url, `redis://127.0.0.1:${server.port}`);
      const client = await RawClient.open(server);
      t.deepEqual(await client.run(['SET', 'k', 'v'], ['GET', 'k']), ['OK', 'v']);
      t.is(await server.call('GET', 'k'), 'v');
      client.close();
    });
  }
}

test('the defaults suit tests: loopback, any port, few shards, nothing printed', async (t) => {
  const [one, other] = [await open(t), await open(t)];
  t.not(one.port, other.port);
  t.true(one.facts.shards >= 1 && one.facts.shards <= 2);
  await one.call('SET', 'k', '1');
  t.is(await other.call('GET', 'k'), null);
  t.is((await one.config.get('bind'))['bind'], '127.0.0.1');
});

test('call() gives values as RESP3 has them', async (t) => {
  const server = await open(t);
  t.is(await server.call('SET', 'n', 41), 'OK');
  t.is(await server.call('INCR', 'n'), 42);
  t.is(await server.call('GET', 'none'), null);
  const bytes = Buffer.from([0, 255, 10, 13]);
  await server.call('SET', 'b', bytes);
  t.deepEqual(await server.callBuffer('GET', 'b'), bytes);
  t.deepEqual(await server.call('MGET', 'n', 'none'), ['42', null]);
  t.true((await server.call('CONFIG', 'GET', 'hz')) instanceof Map);
  const error = await t.throwsAsync(server.call('INCR', 'b'), { instanceOf: ReplyError });
  t.is(error?.code, 'ERR');
  t.is(error?.message, 'ERR value is not an integer or out of range');
});

test('pipeline() is in order, with errors in place, and leaves nothing behind', async (t) => {
  const server = await open(t);
  const replies = await server.pipeline([
    ['SELECT', 3],
    ['INCR', 'n'],
    ['NOSUCH'],
    ['MULTI'],
    ['INCR', 'n'],
    ['INCRBY', 'n', 'x'],
    ['EXEC'],
    ['GET', 'n'],
  ]);
  t.is(replies[0], 'OK');
  t.is(replies[1], 1);
  t.true(replies[2] instanceof ReplyError);
  const results = replies[6] as unknown[];
  t.is(results[0], 2);
  t.true(results[1] instanceof ReplyError);
  t.is(replies[7], '2');
  t.is(await server.call('GET', 'n'), null, 'each call begins in database 0');
});

test('many calls at once all get their own answers', async (t) => {
  const server = await open(t, { shards: 2 });
  const count = 2000;
  const keys = Array.from({ length: count }, (_, i) => `key:${i}`);
  await Promise.all(keys.map((key, i) => server.call('SET', key, i)));
  const values = await Promise.all(keys.map((key) => server.call('GET', key)));
  t.deepEqual(values, keys.map((_, i) => String(i)));
  t.is(await server.call('DBSIZE'), count);
});

test('large values pass both ways', async (t) => {
  const server = await open(t);
  const large = Buffer.alloc(8 * 1024 * 1024, 'x');
  await server.call('SET', 'large', large);
  t.true(large.equals(await server.callBuffer<Buffer>('GET', 'large')));
});

test('info, stats and config', async (t) => {
  const server = await open(t, { maxmemory: '64mb', requirepass: 'secret' });
  t.regex(await server.info('server'), /\r\nredis_version:7\.2\./);
  await server.call('SET', 'a', '1');
  const stats = await server.stats();
  t.is(stats['db0_keys'], 1);
  t.true((stats['used_memory'] ?? 0) > 0);
  t.is((await server.config.get('maxmemory'))['maxmemory'], String(64 * 1024 * 1024));
  const changes: unknown[] = [];
  const changed = new Promise<void>((resolve) => {
    server.on('configChanged', (change) => {
      changes.push(change);
      resolve();
    });
  });
  await server.config.set({ maxmemoryPolicy: 'allkeys-lru' });
  await changed;
  t.deepEqual(changes, [{ name: 'maxmemory-policy', value: 'allkeys-lru' }]);
  t.regex(server.url, /^redis:\/\/:secret@/);
});

test('a unix socket beside or instead of TCP', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'moon-socket-'));
  const path = join(folder, 'a.sock');
  t.teardown(() => {
    rmSync(folder, { recursive: true });
  });
  const server = await open(t, { unixsocket: path, bind: '' });
  t.is(server.unixSocket, path);
  t.is(server.port, 0);
  t.is(server.url, `unix://${path}`);
  const client = await RawClient.open({ path });
  t.deepEqual(await client.run(['PING']), ['PONG']);
});

test('a port that is taken', async (t) => {
  const blocker = createServer();
  await new Promise<void>((resolve) => blocker.listen(0, '127.0.0.1', resolve));
  t.teardown(() => blocker.close());
  const { port } = blocker.address() as AddressInfo;
  const error = await t.throwsAsync(startServer({ port }), { instanceOf: MoonError });
  t.is(error?.code, 'ERR_MOON_ADDRESS_IN_USE');
  t.true(
    error?.message.startsWith(
      `Could not create server TCP listening socket 127.0.0.1:${port}: bind: ` +
        'Address already in use',
    ),
    error?.message,
  );
});

test('two servers cannot have one port, though each listens with SO_REUSEPORT', async (t) => {
  const { port } = await open(t, { shards: 2 });
  await t.throwsAsync(startServer({ port, shards: 2 }), { code: 'ERR_MOON_ADDRESS_IN_USE' });
});

test('close() drains: what was sent before is answered, then the connection ends', async (t) => {
  const server = await open(t);
  const client = await RawClient.open(server);
  await client.run(['PING']);
  const answered = client.run(...Array.from({ length: 500 }, (_, i) => ['INCR', `k${i % 7}`]));
  await answered;
  await server.close();
  await client.closed;
  await t.throwsAsync(RawClient.open(server), { code: 'ECONNREFUSED' });
  await t.throwsAsync(server.call('PING'), { code: 'ERR_MOON_CLOSED' });
  await server.close();
});

test('calls under way when the server closes are answered or refused, never lost', async (t) => {
  const server = await open(t, { shards: 2 });
  const calls = Array.from({ length: 500 }, (_, i) => server.call('SET', `k${i}`, i));
  const closing = server.close();
  const results = await Promise.allSettled(calls);
  await closing;
  for (const result of results) {
    if (result.status === 'fulfilled') t.is(result.value, 'OK');
    else t.like(result.reason, { code: 'ERR_MOON_CLOSED' });
  }
});

test('SHUTDOWN from a client closes the server, not the process', async (t) => {
  const server = await open(t);
  const closed = new Promise<void>((resolve) => server.once('closed', resolve));
  const client = await RawClient.open(server);
  t.deepEqual(
    (await client.run(['SHUTDOWN', 'ABORT'])).map((reply) => (reply as ReplyError).message),
    ['ERR No shutdown in progress.'],
  );
  await t.throwsAsync(client.run(['SHUTDOWN', 'NOSAVE']), { message: /closed/ });
  await closed;
  t.false(server.isRunning);
});

test('an AbortSignal and await using end the server', async (t) => {
  const controller = new AbortController();
  const server = await open(t, { signal: controller.signal });
  const closed = new Promise<void>((resolve) => server.once('closed', resolve));
  controller.abort();
  await closed;
  let port: number;
  {
    await using scoped = await startServer();
    port = scoped.port;
    t.is(await scoped.call('PING'), 'PONG');
  }
  await t.throwsAsync(RawClient.open({ port }), { code: 'ECONNREFUSED' });
});

test('the log goes to whom it was promised', async (t) => {
  const lines: string[] = [];
  const server = await open(t, { onLog: (line) => void lines.push(line), loglevel: 'debug' });
  const client = await RawClient.open(server);
  await client.run(['DEBUG', 'NOSUCH']);
  await server.close();
  t.true(lines.every((line) => /^\d+:M .* [.\-*#] .*\n$/.test(line)), lines.join(''));
});
