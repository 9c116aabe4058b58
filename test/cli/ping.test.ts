import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { ping, targetOfConfig, targetOfUrl, type PingTarget } from '../../src/cli/ping.ts';

/** A server that answers each command by the function given, one byte at a time. */
async function fake(
  t: ExecutionContext,
  answer: (command: string) => string | undefined,
  path?: string,
): Promise<PingTarget> {
  const server: Server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      const words = data.toString().split('\r\n').filter((_, i) => i > 0 && i % 2 === 0);
      const reply = answer(words.join(' '));
      if (reply === undefined) socket.destroy();
      else for (const char of reply) socket.write(char);
    });
  });
  await new Promise<void>((resolve) => {
    if (path === undefined) server.listen(0, '127.0.0.1', resolve);
    else server.listen(path, resolve);
  });
  t.teardown(() => server.close());
  const port = path === undefined ? (server.address() as AddressInfo).port : 0;
  const none = { username: undefined, password: undefined };
  return { host: '127.0.0.1', port, unixSocket: path, ...none };
}

const options = { ready: false, timeoutMs: 500, url: undefined };

test('PONG is enough', async (t) => {
  await t.notThrowsAsync(ping(await fake(t, () => '+PONG\r\n'), options));
});

test('a password is sent first', async (t) => {
  const seen: string[] = [];
  const target = await fake(t, (command) => {
    seen.push(command);
    return command.startsWith('AUTH') ? '+OK\r\n' : '+PONG\r\n';
  });
  await ping({ ...target, username: 'ann', password: 'secret' }, options);
  t.deepEqual(seen, ['AUTH ann secret', 'PING']);
});

test('ready means that nothing is being loaded', async (t) => {
  const server = (info: string) =>
    fake(t, (command) => (command === 'PING' ? '+PONG\r\n' : `$${info.length}\r\n${info}\r\n`));
  const ready = { ...options, ready: true };
  await t.notThrowsAsync(ping(await server('# Persistence\r\nloading:0\r\nx:1\r\n'), ready));
  const loading = await server('# P\r\nloading:1\r\nloading_loaded_perc:41.5\r\n');
  await t.throwsAsync(ping(loading, ready), { message: /not ready[^]*loading: 41\.5 %/ });
});

test('errors, silence, a closed connection and a closed port are failures', async (t) => {
  const cases: [PingTarget, RegExp][] = [
    [await fake(t, () => '-LOADING wait\r\n'), /LOADING wait/],
    [await fake(t, () => ''), /no answer within 500 ms/],
    [await fake(t, () => undefined), /closed the connection/],
    [{ ...(await fake(t, () => '')), port: 1 }, /ECONNREFUSED/],
  ];
  for (const [target, message] of cases) {
    await t.throwsAsync(ping(target, options), { code: 'ERR_MOON_CALL', message });
  }
});

test('unix sockets', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'moon-ping-'));
  t.teardown(() => {
    rmSync(folder, { recursive: true });
  });
  await t.notThrowsAsync(ping(await fake(t, () => '+PONG\r\n', join(folder, 's')), options));
});

test('the target follows from the configuration', (t) => {
  const target = (values: Record<string, string>) =>
    targetOfConfig(new Map(Object.entries(values)), '/srv');
  t.like(target({ port: '7000', bind: '0.0.0.0' }), { host: '127.0.0.1', port: 7000 });
  t.like(target({ port: '7000', bind: '-::1 127.0.0.1' }), { host: '::1' });
  t.like(target({ port: '7000', bind: '* -::*' }), { host: '127.0.0.1', password: undefined });
  t.like(target({ port: '0', unixsocket: 'x.sock' }), { unixSocket: '/srv/x.sock' });
  t.like(target({ port: '1', unixsocket: 'x', requirepass: 'p' }), {
    unixSocket: undefined,
    password: 'p',
  });
});

test('the target follows from a URL', (t) => {
  t.like(targetOfUrl('redis://ann:p%40w@[::1]:7000/0'), {
    host: '::1',
    port: 7000,
    username: 'ann',
    password: 'p@w',
  });
  t.like(targetOfUrl('redis://localhost'), { host: 'localhost', port: 6379, password: undefined });
  t.like(targetOfUrl('unix:///run/x.sock'), { unixSocket: '/run/x.sock' });
  for (const text of ['x', 'http://a', '']) {
    t.throws(() => targetOfUrl(text), { code: 'ERR_MOON_USAGE' });
  }
});
