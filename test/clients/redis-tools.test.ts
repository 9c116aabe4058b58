// redis-cli and redis-benchmark as people use them: at the prompt, in scripts, to look around.
import test, { type ExecutionContext } from 'ava';
import { execFile } from 'node:child_process';
import type { TestServer } from '../helpers/servers.ts';
import { fleet } from './fleet.ts';

const servers = fleet([1, 2]);
const TIMEOUT_MS = 60_000;

interface Output {
  readonly code: number;
  readonly text: string;
}

function run(file: string, args: readonly string[], input = ''): Promise<Output> {
  return new Promise((resolve) => {
    const options = { timeout: TIMEOUT_MS, maxBuffer: 64 * 1024 * 1024 };
    const child = execFile(file, args, options, (error, stdout, stderr) => {
      const code = error === null ? 0 : typeof error.code === 'number' ? error.code : -1;
      resolve({ code, text: stdout + stderr });
    });
    child.stdin?.on('error', () => undefined).end(input);
  });
}

const cli = (server: TestServer, args: readonly string[], input?: string): Promise<Output> =>
  run('redis-cli', ['-p', `${server.port}`, ...args], input);

type Work = (t: ExecutionContext, server: TestServer) => Promise<void>;

const tool = (name: string, work: Work): void => {
  test.serial(name, (t) => servers.each((server) => work(t, server)));
};

tool('redis-cli: one command a call', async (t, server) => {
  t.is((await cli(server, ['SET', 'k', 'a b'])).text, 'OK\n');
  t.is((await cli(server, ['GET', 'k'])).text, 'a b\n');
  t.is((await cli(server, ['--no-raw', 'GET', 'k'])).text, '"a b"\n');
  t.is((await cli(server, ['--no-raw', 'INCR', 'n'])).text, '(integer) 1\n');
  t.is((await cli(server, ['--no-raw', 'MGET', 'k', 'none'])).text, '1) "a b"\n2) (nil)\n');
  t.is((await cli(server, ['-x', 'SET', 'stdin'], 'from the pipe')).text, 'OK\n');
  t.is((await cli(server, ['-n', '3', 'GET', 'k'])).text, '\n');
  t.is((await cli(server, ['--csv', 'MGET', 'k', 'n'])).text, '"a b","1"\n');
  t.is((await cli(server, ['-r', '3', 'INCR', 'n'])).text, '2\n3\n4\n');
  t.is((await cli(server, ['-e', 'INCR', 'k'])).code, 1);
  t.is((await run('redis-cli', ['-s', server.path, 'PING'])).text, 'PONG\n');
});

tool('redis-cli: RESP3', async (t, server) => {
  const hello = await cli(server, ['-3', '--no-raw', 'HELLO']);
  t.regex(hello.text, /"proto" => \(integer\) 3\n/);
  t.regex((await cli(server, ['-3', 'CONFIG', 'GET', 'hz'])).text, /^hz 10\n$/);
  t.regex((await cli(server, ['-3', 'INFO', 'server'])).text, /^redis_version:7\./m);
  t.is((await cli(server, ['-3', '--no-raw', 'GET', 'none'])).text, '(nil)\n');
});

tool('redis-cli: a session at the prompt', async (t, server) => {
  const lines = [
    'SET "a key" "line\\n"', 'GET "a key"', 'SELECT 2', 'SET b 1', 'MULTI', 'INCR b', 'EXEC',
    'NOSUCH', '3 PING', 'HELLO 3', 'GET none', 'SELECT 0', 'DBSIZE',
  ];
  const { code, text } = await cli(server, ['--no-raw'], `${lines.join('\n')}\n`);
  t.is(code, 0);
  for (const expected of [
    '"line\\n"\n', 'QUEUED\n1) (integer) 2\n', "(error) ERR unknown command 'NOSUCH'",
    'PONG\nPONG\nPONG\n', '(nil)\n', '(integer) 1\n',
  ]) {
    t.true(text.includes(expected), `${JSON.stringify(expected)} is not in\n${text}`);
  }
});

tool('redis-cli: mass insertion', async (t, server) => {
  const commands = Array.from({ length: 20_000 }, (_, i) => `SET key:${i} ${i}\r\n`).join('');
  const { code, text } = await cli(server, ['--pipe'], commands);
  t.is(code, 0);
  t.regex(text, /errors: 0, replies: 20000/);
  t.is((await cli(server, ['DBSIZE'])).text, '20000\n');
  const some = await cli(server, ['--pipe'], 'SET a 1\r\nNOSUCH\r\nGET a\r\n');
  t.regex(some.text, /errors: 1, replies: 3/);
});

tool('redis-cli: looking at the keys', async (t, server) => {
  const pairs = Array.from({ length: 500 }, (_, i) => [`key:${i}`, 'v'.repeat(i % 50)]).flat();
  await cli(server, ['MSET', ...pairs, 'huge', 'x'.repeat(5000)]);
  const scan = await cli(server, ['--scan', '--pattern', 'key:*']);
  t.is(new Set(scan.text.trim().split('\n')).size, 500);
  const big = await cli(server, ['--bigkeys', '-i', '0']);
  t.regex(big.text, /Biggest string found '"huge"' has 5000 bytes/);
  const memory = await cli(server, ['--memkeys', '-i', '0']);
  t.regex(memory.text, /Sampled 501 keys in the keyspace/);
  await cli(server, ['CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lfu']);
  const hot = await cli(server, ['--hotkeys', '-i', '0']);
  await cli(server, ['CONFIG', 'SET', 'maxmemory-policy', 'noeviction']);
  t.regex(hot.text, /Sampled 501 keys in the keyspace/);
});

tool('redis-cli: help and hints read the command table', async (t, server) => {
  const docs = await cli(server, ['COMMAND', 'DOCS', 'set']);
  t.regex(docs.text, /summary/);
  t.is((await cli(server, [], 'help get\nPING\n')).code, 0);
  t.regex((await cli(server, [], 'help getex\n')).text, /GETEX/);
});

tool('redis-cli: a password', async (t, server) => {
  await cli(server, ['CONFIG', 'SET', 'requirepass', 'open sesame']);
  const auth = ['-a', 'open sesame', '--no-auth-warning'];
  try {
    t.regex((await cli(server, ['GET', 'a'])).text, /NOAUTH/);
    t.is((await cli(server, [...auth, 'PING'])).text, 'PONG\n');
    const user = ['--user', 'default', '--pass', 'open sesame', '--no-auth-warning'];
    t.is((await cli(server, [...user, 'PING'])).text, 'PONG\n');
  } finally {
    await cli(server, [...auth, 'CONFIG', 'SET', 'requirepass', '']);
  }
});

const benchmark = (server: TestServer, args: readonly string[]): Promise<Output> =>
  run('redis-benchmark', ['-p', `${server.port}`, '-q', ...args]);

tool('redis-benchmark: its own tests', async (t, server) => {
  const tests = ['ping', 'set', 'get', 'incr', 'mset'];
  for (const shape of [['-c', '20'], ['-c', '50', '-P', '16', '-r', '1000'], ['-c', '1']]) {
    const args = ['-t', tests.join(), '-n', '3000', '--csv', ...shape];
    const { code, text } = await benchmark(server, args);
    t.is(code, 0, text);
    const rows = [...text.matchAll(/^"(?!test")([^"]+)","([\d.]+)"/gm)];
    t.is(rows.length, 6, text);
    t.true(rows.every(([, , perSecond]) => Number(perSecond) > 0), text);
  }
});

tool('redis-benchmark: commands of one\'s own, threads, RESP3', async (t, server) => {
  const own = ['-n', '5000', '-c', '10', '-P', '8', '-r', '500'];
  for (const args of [
    [...own, '--threads', '2', 'SET', 'key:__rand_int__', '__rand_int__'],
    [...own, '-3', 'GET', 'key:__rand_int__'],
    [...own, '--dbnum', '2', 'SET', 'k', 'v'],
    [...own, '-d', '20000', '-t', 'set,get'],
  ]) {
    const { code, text } = await benchmark(server, args);
    t.is(code, 0, text);
    t.regex(text, /requests per second/);
    t.notRegex(text, /error/i);
  }
  const keys = Number((await cli(server, ['DBSIZE'])).text);
  t.true(keys > 450 && keys <= 500, `${keys} of 500 keys`);
});
