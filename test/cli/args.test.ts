import test from 'ava';
import { parseArgs, parseConfigArgs } from '../../src/cli/args.ts';

const brief = (...words: string[]) => {
  const { confFile, stdin, settings } = parseConfigArgs(words);
  return { confFile, stdin, flags: settings.map(({ name, words }) => [name, ...words]) };
};

test('a conf file, flags with their values, and standard input', (t) => {
  t.deepEqual(brief(), { confFile: undefined, stdin: false, flags: [] });
  t.deepEqual(brief('a.conf', '--port', '7000', '--bind', '127.0.0.1', '::1'), {
    confFile: 'a.conf',
    stdin: false,
    flags: [['port', '7000'], ['bind', '127.0.0.1', '::1']],
  });
  const flags = [['port', '1']];
  t.deepEqual(brief('-', '--port', '1'), { confFile: undefined, stdin: true, flags });
  t.deepEqual(brief('a.conf', '-'), { confFile: 'a.conf', stdin: true, flags: [] });
});

test('flags as redis-memory-server and redis-server users write them', (t) => {
  const words = ['--save', '', '--appendonly', 'no', '--bind', '127.0.0.1', '--port', '1'];
  t.deepEqual(brief(...words).flags, [
    ['save', ''],
    ['appendonly', 'no'],
    ['bind', '127.0.0.1'],
    ['port', '1'],
  ]);
  t.deepEqual(brief('--save').flags, [['save', '']]);
  t.deepEqual(brief('--list-max-listpack-size', '-2').flags, [['list-max-listpack-size', '-2']]);
  t.deepEqual(brief('--PORT=7000', '--requirepass=a=b').flags, [
    ['port', '7000'],
    ['requirepass', 'a=b'],
  ]);
});

test('a stray word is an error that points to the help', (t) => {
  for (const words of [['a.conf', 'b.conf'], ['-p', '1'], ['a', '-x', '--port', '1']]) {
    t.throws(() => parseArgs(words), { code: 'ERR_MOON_USAGE', message: /--help/ });
  }
});

test('subcommands', (t) => {
  t.is(parseArgs(['--version']).command, 'version');
  t.is(parseArgs(['-v']).command, 'version');
  t.is(parseArgs(['-h']).command, 'help');
  t.is(parseArgs([]).command, 'serve');
  t.like(parseArgs(['exec', '--port', '1', '--', 'npm', 'test', '--', '-x']), {
    command: 'exec',
    child: ['npm', 'test', '--', '-x'],
  });
  t.like(parseArgs(['ping', '--ready', '--timeout-ms', '50', 'x.conf']), {
    command: 'ping',
    ping: { ready: true, timeoutMs: 50, url: undefined },
    config: { confFile: 'x.conf' },
  });
  const config = { confFile: 'x.conf' };
  t.like(parseArgs(['check', 'conf', 'x.conf']), { command: 'check', config });
  for (const words of [
    ['exec', 'npm', 'test'],
    ['exec', '--'],
    ['check'],
    ['ping', '--timeout-ms', 'x'],
    ['ping', '--url'],
  ]) {
    t.throws(() => parseArgs(words), { code: 'ERR_MOON_USAGE' }, words.join(' '));
  }
});
