// What the command does without a server: versions, help, the configuration and its mistakes.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { moonVersion, redisVersion } from '../../src/version.ts';
import { run } from './run.ts';

const folder = mkdtempSync(join(tmpdir(), 'moon-command-'));
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

test.after.always(() => {
  rmSync(folder, { recursive: true, force: true });
});

test('--version is a line that tools can read', async (t) => {
  const { code, stdout } = await run(t, ['--version']);
  t.is(code, 0);
  t.true(stdout.startsWith(`moon-server ${moonVersion} v=${redisVersion} bits=64`));
  // redis-memory-server reads the third word, others look for v=
  t.is(stdout.split(' ')[2], `v=${redisVersion}`);
  t.is((await run(t, ['-v'])).stdout, stdout);
});

test('--help names the commands', async (t) => {
  const { code, stdout } = await run(t, ['--help']);
  t.is(code, 0);
  t.regex(stdout, /check conf/);
  t.true(stdout.split('\n').every((line) => line.length <= 100));
});

test('check conf prints every value with its source', async (t) => {
  const lines = ['port 7001', 'timeout 5', 'requirepass "my secret"', 'bind 127.0.0.1 ::1'];
  const conf = file('a.conf', lines.join('\n'));
  const args = ['check', 'conf', conf, '--hz', '20', '--protected-mode=no'];
  const { code, stdout, stderr } = await run(t, args, { env: { MOON_TIMEOUT: '7' } });
  t.is(stderr, '');
  t.is(code, 0);
  t.regex(stdout, new RegExp(`^port 7001 +# conf: ${conf}:1$`, 'm'));
  t.regex(stdout, /^timeout 7 +# env: MOON_TIMEOUT$/m);
  t.regex(stdout, /^hz 20 +# cli: --hz$/m);
  t.regex(stdout, /^databases 16 +# default$/m);
  t.regex(stdout, /^bind 127\.0\.0\.1 ::1 +# conf: /m);
  t.regex(stdout, /^save "" +# default$/m);
  t.notRegex(stdout, /my secret/);
});

test('what check conf prints is a conf file', async (t) => {
  const { stdout } = await run(t, ['check', 'conf', '--maxmemory', '1gb', '--bind', '*', '-::*']);
  const again = file('again.conf', stdout.replace(/ +# .*$/gm, ''));
  const second = await run(t, ['check', 'conf', again]);
  const values = (text: string) => text.split('\n').map((line) => line.split(' #')[0]);
  t.deepEqual(values(second.stdout), values(stdout));
  t.regex(second.stdout, /^maxmemory 1073741824 /m);
});

test('all mistakes are told at once, in the frame of Redis', async (t) => {
  const conf = file('bad.conf', 'portt 1\n\nbind "x\nhz abc\n');
  const { code, stderr, stdout } = await run(t, [conf, '--daemonize', 'yes']);
  t.is(code, 1);
  t.is(stdout, '');
  t.regex(stderr, /\*\*\* FATAL CONFIG FILE ERROR \(moon-server .*\) \*\*\*/);
  t.true(stderr.includes(`Reading the configuration file, at ${conf}:1\n>>> 'portt 1'`));
  t.regex(stderr, /Did you mean 'port'\?/);
  t.regex(stderr, />>> 'bind "x'\nUnbalanced quotes in configuration line/);
  t.regex(stderr, />>> 'hz abc'\nargument couldn't be parsed into an integer/);
  t.regex(stderr, />>> 'daemonize "yes"'\n.*stays in the foreground/);
});

test('standard input is a conf file too', async (t) => {
  const { stderr } = await run(t, ['-'], { stdin: 'port 7391 x\n' });
  t.regex(stderr, /at stdin:1\n>>> 'port 7391 x'\nwrong number of arguments/);
});

test('mistakes on the command line and in the environment', async (t) => {
  const cases: [string[], Record<string, string>, RegExp][] = [
    [['--prot', '1'], {}, /Reading the command line\n.*\nUnknown directive 'prot'\. Did you mean/],
    [['--port'], {}, /wrong number of arguments/],
    [[], { MOON_PROT: '1' }, /Reading the environment\n>>> 'MOON_PROT'\n.*Did you mean MOON_PORT/],
    [['/nope.conf'], {}, /can't open config file '\/nope\.conf': No such file or directory/],
    [['a', 'b'], {}, /'b' is not expected here\n.*moon-server --help/],
    [['exec', 'x'], {}, /moon-server exec -- npm test/],
  ];
  for (const [args, env, message] of cases) {
    const { code, stderr } = await run(t, args, { env });
    t.is(code, 1, args.join(' '));
    t.regex(stderr, message);
  }
});

test('ping without a server fails and says where it looked', async (t) => {
  const { code, stderr } = await run(t, ['ping', '--ready', '--port', '1', '--timeout-ms', '300']);
  t.is(code, 1);
  t.regex(stderr, /The server at 127\.0\.0\.1:1 is not ready/);
});
