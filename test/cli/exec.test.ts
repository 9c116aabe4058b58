import test from 'ava';
import { childEnvironment, runChild } from '../../src/cli/exec.ts';

const node = (script: string): string[] => [process.execPath, '-e', script];

test('the command finds the server in its environment', (t) => {
  const url = 'redis://127.0.0.1:7000';
  const tcp = { host: '127.0.0.1', port: 7000, unixSocket: undefined, url };
  t.deepEqual(childEnvironment(tcp, { A: 'b' }), {
    A: 'b',
    REDIS_URL: 'redis://127.0.0.1:7000',
    REDIS_HOST: '127.0.0.1',
    REDIS_PORT: '7000',
  });
  const local = { host: '127.0.0.1', port: 0, unixSocket: '/x', url: 'unix:///x' };
  t.deepEqual(childEnvironment(local, {}), { REDIS_URL: 'unix:///x', REDIS_SOCKET: '/x' });
});

test("the command's exit code is passed on, a signal's as 128 + n", async (t) => {
  t.is(await runChild(node('process.exit(7)'), process.env), 7);
  t.is(await runChild(node("process.kill(process.pid, 'SIGKILL')"), process.env), 137);
  t.is(await runChild(node('process.exit(Number(process.env.N))'), { N: '3' }), 3);
});

test('a command that does not exist is an error', async (t) => {
  await t.throwsAsync(runChild(['no-such-command'], process.env), {
    code: 'ERR_MOON_USAGE',
    message: /'no-such-command' was not found/,
  });
});
