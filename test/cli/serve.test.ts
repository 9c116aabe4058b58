// The server as a process: banner, phrases tools wait for, signals, exit codes, exec, ping.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { type ExecutionContext } from 'ava';
import { RawClient } from '../api/raw-client.ts';
import { launch, run, type RunOptions, type Running } from './run.ts';

const folder = mkdtempSync(join(tmpdir(), 'moon-serve-'));

test.after.always(() => {
  rmSync(folder, { recursive: true, force: true });
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function serve(
  t: ExecutionContext,
  args: readonly string[] = [],
  options: RunOptions = {},
): Promise<{ running: Running; port: number }> {
  const port = await freePort();
  const flags = ['--port', String(port), '--bind', '127.0.0.1', '--shards', '2', ...args];
  const running = launch(t, flags, options);
  await running.printed(/Ready to accept connections\n/);
  return { running, port };
}

test('the banner tells what one asks first', async (t) => {
  const { running, port } = await serve(t, ['--maxmemory', '100mb']);
  const log = running.stdout;
  t.regex(log, /^\d+:M \d\d \w{3} \d{4} \d\d:\d\d:\d\d\.\d{3} \* moon-server \d+\.\d+\.\d+/);
  t.regex(log, /I\/O driver: (io_uring|epoll) \(.+\)/);
  t.regex(log, /Threads: 2 shards, \d+ slices/);
  t.regex(log, /Memory limit: .+ \((cgroup|host).*\); maxmemory 100\.00M, noeviction/);
  t.regex(log, /Persistence: none/);
  t.regex(log, /Configuration: no conf file; directory \//);
  t.regex(log, new RegExp(`Endpoints: redis://127\\.0\\.0\\.1:${port}\n`));
});

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} stops it in order, step by step`, async (t) => {
    const { running, port } = await serve(t);
    const client = await RawClient.open({ port });
    t.deepEqual(await client.run(['PING']), ['PONG']);
    running.child.kill(signal);
    const { code, stdout, stderr } = await running.finished;
    t.is(code, 0);
    t.is(stderr, '');
    await client.closed;
    t.regex(stdout, new RegExp(`Received ${signal} scheduling shutdown\\.\\.\\.`));
    t.regex(stdout, /Not accepting connections any more/);
    t.regex(stdout, /All connections are closed/);
    t.regex(stdout, /bye bye\.\.\.\n$/);
  });
}

test('SHUTDOWN stops the process with 0', async (t) => {
  const { running, port } = await serve(t);
  const client = await RawClient.open({ port });
  await t.throwsAsync(client.run(['SHUTDOWN', 'NOSAVE']));
  const { code, stdout } = await running.finished;
  t.is(code, 0);
  t.regex(stdout, /User requested shutdown\.\.\./);
});

test('SIGHUP changes nothing', async (t) => {
  const { running, port } = await serve(t);
  running.child.kill('SIGHUP');
  const client = await RawClient.open({ port });
  t.deepEqual(await client.run(['PING']), ['PONG']);
});

test('called as redis-memory-server calls its binary', async (t) => {
  const { port } = await serve(t, ['--save', '', '--appendonly', 'no']);
  const client = await RawClient.open({ port });
  t.deepEqual(await client.run(['PING']), ['PONG']);
});

test("a port that is taken is said in Redis's words, exit code 1", async (t) => {
  const { port } = await serve(t);
  const { code, stdout } = await run(t, ['--port', String(port), '--bind', '127.0.0.1']);
  t.is(code, 1);
  const line = `# Warning: Could not create server TCP listening socket 127.0.0.1:${port}: bind: `
    + 'Address already in use\n';
  t.true(stdout.includes(line), stdout);
  t.true(stdout.includes(`# Failed listening on port ${port} (TCP), aborting.\n`), stdout);
});

test('conf file, environment, secret file, pid file, log file', async (t) => {
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const port = await freePort();
  const conf = file(
    'a.conf',
    `port ${port}\nbind 127.0.0.1\ndir ${folder}\npidfile a.pid\nlogfile a.log\nhz 20\n`,
  );
  const secret = file('secret', 'pass word\n');
  const env = { MOON_REQUIREPASS_FILE: secret, MOON_HZ: '30' };
  const running = launch(t, [conf], { env });
  const ping = ['ping', conf, '--ready', '--timeout-ms', '2000'];
  let ready = await run(t, ping, { env });
  for (let i = 0; i < 20 && ready.code !== 0; i++) ready = await run(t, ping, { env });
  t.is(ready.stdout, 'PONG\n');
  t.regex((await run(t, ping)).stderr, /NOAUTH/);
  const client = await RawClient.open({ port });
  const replies = await client.run(
    ['AUTH', 'pass word'],
    ['CONFIG', 'GET', 'hz'],
    ['INFO', 'server'],
  );
  t.deepEqual(replies.slice(0, 2), ['OK', ['hz', '30']]);
  t.true(String(replies[2]).includes(`config_file:${conf}\r\n`));
  t.is(readFileSync(join(folder, 'a.pid'), 'utf8'), `${running.child.pid}\n`);
  running.child.kill('SIGTERM');
  t.is((await running.finished).code, 0);
  t.false(existsSync(join(folder, 'a.pid')));
  t.is(running.stdout, '');
  t.regex(readFileSync(join(folder, 'a.log'), 'utf8'), /Ready to accept connections\n/);
});

test('a bad directive from below ends with 1 and says why', async (t) => {
  const { code, stdout } = await run(t, ['--port', '0', '--bind', '127.0.0.1']);
  t.is(code, 1);
  t.regex(stdout, /not listen anywhere/);
});

test('exec: a server around a command', async (t) => {
  const script = `
    const { port } = new URL(process.env.REDIS_URL);
    const socket = require('node:net').connect(port, '127.0.0.1');
    socket.end('PING\\r\\n').on('data', (data) => {
      process.stdout.write(process.env.REDIS_PORT === port ? data : 'port differs');
      process.exitCode = 5;
    });`;
  const { code, stdout, stderr } = await run(t, ['exec', '--', process.execPath, '-e', script]);
  t.is(stdout, '+PONG\r\n');
  t.is(stderr, '');
  t.is(code, 5);
});

test('exec: a signal reaches the command, and the server ends after it', async (t) => {
  const script = `process.on('SIGTERM', () => process.exit(9)); console.log('up');
    setInterval(() => {}, 1000);`;
  const running = launch(t, ['exec', '--', process.execPath, '-e', script]);
  await running.printed(/up\n/);
  running.child.kill('SIGTERM');
  t.is((await running.finished).code, 9);
});
