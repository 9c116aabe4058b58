import { existsSync, readFileSync } from 'node:fs';
import test from 'ava';
import { settings } from '../../src/config/index.ts';
import { loadConfText } from '../../src/config/load-conf.ts';
import { loadEnv, variableName } from '../../src/config/load-env.ts';
import { withoutRow } from '../../src/config/load-redis.ts';
import type { Loaded, SettingSource } from '../../src/config/load-settings.ts';
import { memoryBytes, parseWords } from '../../src/config/load-values.ts';
import { directives, loadLayers } from '../../src/config/load.ts';
import { optionNamesSource } from '../../src/config/option-names-source.ts';
import { read } from '../tidy/tree.ts';

const layer = (source: SettingSource, ...lines: string[][]): Loaded => ({
  settings: lines.map(([name = '', ...words]) => ({
    name,
    words,
    origin: { source, where: source },
  })),
  problems: [],
  notes: [],
});

const load = (...layers: Loaded[]) => loadLayers(layers, {}, '/');

const value = (name: string, ...words: string[]) => {
  const row = directives.find(name);
  return row === undefined ? 'no row' : parseWords(row, words);
};

test('every default fits its own row', (t) => {
  const { problems, values } = load();
  t.deepEqual(problems, []);
  t.is(values.size, settings.length);
  t.is(values.get('port'), '6379');
});

test('command line over environment over conf file over default', (t) => {
  const conf = layer('conf', ['port', '1'], ['timeout', '1'], ['hz', '11'], ['hz', '12']);
  const env = layer('env', ['port', '2'], ['timeout', '2']);
  const cli = layer('cli', ['port', '3']);
  for (const layers of [[conf, env, cli], [cli, env, conf]]) {
    const { values, entries } = load(...layers);
    t.is(values.get('port'), '3');
    t.is(values.get('timeout'), '2');
    t.is(values.get('hz'), '12');
    t.is(values.get('databases'), '16');
    t.is(entries.get('timeout')?.origin.source, 'env');
    t.is(entries.get('databases')?.origin.source, 'default');
  }
});

test('a preset stands in for the defaults', (t) => {
  const { values, entries } = loadLayers([layer('cli', ['hz', '20'])], { port: '0', hz: '5' }, '/');
  t.is(values.get('port'), '0');
  t.is(values.get('hz'), '20');
  t.is(entries.get('port')?.origin.source, 'preset');
});

test('values are parsed by type and become canonical', (t) => {
  t.deepEqual(value('protected-mode', 'NO'), { text: 'no' });
  t.deepEqual(value('port', '07'), { text: '7' });
  t.deepEqual(value('unixsocketperm', '0700'), { text: '700' });
  t.deepEqual(value('maxmemory', '256mb'), { text: '268435456' });
  t.deepEqual(value('maxmemory-clients', '5%'), { text: '5%' });
  t.deepEqual(value('hz', '5000'), { text: '500' });
  t.deepEqual(value('maxmemory-policy', 'AllKeys-LRU'), { text: 'allkeys-lru' });
  t.deepEqual(value('bind', '127.0.0.1', ' ::1  10.0.0.1 '), { text: '127.0.0.1 ::1 10.0.0.1' });
  t.deepEqual(value('notify-keyspace-events', 'KEA'), { text: 'KEA' });
  t.deepEqual(value('requirepass', 'a b "c"'), { text: 'a b "c"' });
});

test('values that do not fit say why', (t) => {
  const cases: [string, string[], RegExp][] = [
    ['protected-mode', ['on'], /'yes' or 'no'/],
    ['port', ['65536'], /between 0 and 65535 inclusive/],
    ['port', ['x'], /parsed into an integer/],
    ['port', [], /wrong number of arguments/],
    ['port', ['1', '2'], /wrong number of arguments/],
    ['unixsocketperm', ['8'], /octal number/],
    ['unixsocketperm', ['1000'], /between 0 and 777 inclusive/],
    ['maxmemory', ['4 gb'], /memory value/],
    ['maxmemory', ['-1'], /memory value/],
    ['maxmemory-clients', ['101%'], /less or equal to 100/],
    ['maxmemory-policy', ['lru'], /one of the following: volatile-lru/],
    ['notify-keyspace-events', ['KQ'], /Invalid event class/],
    ['dbfilename', ['a/b'], /can't be a path/],
    ['client-output-buffer-limit', ['normal', '0', '0'], /Wrong number/],
    ['client-output-buffer-limit', ['master', '0', '0', '0'], /Invalid client class/],
    ['client-output-buffer-limit', ['normal', 'x', '0', '0'], /Error in hard/],
    ['latency-tracking-info-percentiles', ['50', '101'], /sit between/],
    ['daemonize', ['yes'], /foreground/],
    ['appendonly', ['yes'], /memory only/],
    ['save', ['900', '1'], /memory only/],
  ];
  for (const [name, words, message] of cases) {
    const parsed = value(name, ...words);
    t.regex(typeof parsed === 'object' && 'error' in parsed ? parsed.error : '', message, name);
  }
});

test("memory units are Redis's", (t) => {
  const cases: [string, bigint | null][] = [
    ['0', 0n], ['10b', 10n], ['1k', 1000n], ['1KB', 1024n], ['2m', 2000000n], ['2mb', 2097152n],
    ['4gb', 4294967296n], ['1tb', null], ['1.5gb', null], ['', null], ['mb', null], ['-1', null],
  ];
  for (const [text, bytes] of cases) t.is(memoryBytes(text), bytes, text);
});

test('unknown directives are errors that guess what was meant; all are told at once', (t) => {
  const { problems } = load(layer('cli', ['portt', '1'], ['xyzzy', '1'], ['port', 'x']));
  t.deepEqual(problems.map(({ message }) => message), [
    "Unknown directive 'portt'. Did you mean 'port'?",
    "Unknown directive 'xyzzy'.",
    "argument couldn't be parsed into an integer",
  ]);
  t.is(problems[0]?.line, 'portt "1"');
});

test('output limits add up over the classes that are given', (t) => {
  const limits = ['client-output-buffer-limit'];
  const { values } = load(
    layer('conf', [...limits, 'replica', '1mb', '0', '0'], [...limits, 'pubsub', '1', '1', '1']),
  );
  t.is(values.get('client-output-buffer-limit'), 'normal 0 0 0 slave 1048576 0 0 pubsub 1 1 1');
});

test('save "" and a bare --save are accepted', (t) => {
  t.deepEqual(load(layer('cli', ['save', ''])).problems, []);
});

test("Redis's tuning of what is not here stays, its promises are refused", (t) => {
  const { problems, notes } = load(
    layer('conf', ['repl-timeout', '60'], ['tls-port', '0'], ['appendfsync', 'always']),
  );
  t.deepEqual(problems, []);
  t.regex(notes[0]?.message ?? '', /no effect here: repl-timeout, tls-port, appendfsync$/);
  const refused = load(
    layer(
      'conf',
      ['replicaof', 'a', '1'],
      ['tls-port', '6380'],
      ['tls-cert-file', 'x'],
      ['rename-command', 'FLUSHALL', ''],
      ['loadmodule', 'x.so'],
      ['user', 'ann', 'on'],
    ),
  );
  t.is(refused.problems.length, 6);
});

test('a directive that has a row has left the list of those without', (t) => {
  t.deepEqual(withoutRow().filter((name) => directives.find(name) !== undefined), []);
});

const debianConf = '/etc/redis/redis.conf';
const testDebian = existsSync(debianConf) ? test : test.skip;
testDebian('the redis.conf of a Debian machine is understood', (t) => {
  const text = readFileSync(debianConf, 'utf8');
  const { problems } = load(loadConfText(text, 'redis.conf', { workingDirectory: '/' }));
  const wrong = problems.map(({ line }) => line?.split(' ')[0]).filter((name) => name !== 'dir');
  t.deepEqual(wrong, ['daemonize']);
});

test('dir is the working directory and must exist', (t) => {
  t.is(load(layer('cli', ['dir', 'usr'])).workingDirectory, '/usr');
  t.regex(load(layer('cli', ['dir', 'nope'])).problems[0]?.message ?? '', /Can't chdir to 'nope'/);
});

const env = (variables: Record<string, string>) =>
  loadEnv(variables, directives, {
    readFile(path) {
      if (path === '/run/secret') return 'p w\n';
      throw new Error(`no ${path}`);
    },
    readDirectory: () => [],
  });

test('variables are directives, one word or several', (t) => {
  const { settings: found, problems } = env({
    MOON_IO_DRIVER: 'epoll',
    MOON_BIND: '127.0.0.1 "::1"',
    MOON_REQUIREPASS: `a "b'`,
    MOON_SAVE: '',
    PATH: '/bin',
  });
  t.deepEqual(problems, []);
  t.deepEqual(
    Object.fromEntries(found.map(({ name, words }) => [name, words])),
    { 'io-driver': ['epoll'], bind: ['127.0.0.1', '::1'], requirepass: [`a "b'`], save: [''] },
  );
  t.is(variableName('io-driver'), 'MOON_IO_DRIVER');
});

test('secrets come from files', (t) => {
  t.deepEqual(env({ MOON_REQUIREPASS_FILE: '/run/secret' }).settings[0]?.words, ['p w']);
  const both = env({ MOON_REQUIREPASS_FILE: '/run/secret', MOON_REQUIREPASS: 'x' });
  t.regex(both.problems[0]?.message ?? '', /both set/);
  const gone = env({ MOON_REQUIREPASS_FILE: '/nope' });
  t.regex(gone.problems[0]?.message ?? '', /'\/nope' cannot be read/);
});

test('misspelled variables are errors, strangers are mentioned, service links skipped', (t) => {
  const wrong = env({ MOON_PROT: '1' }).problems[0]?.message;
  t.is(wrong, 'Unknown variable MOON_PROT. Did you mean MOON_PORT?');
  const stranger = env({ MOON_TOOLCHAIN_HOME: 'x' });
  t.deepEqual(stranger.problems, []);
  t.regex(stranger.notes[0]?.message ?? '', /MOON_TOOLCHAIN_HOME .* ignored/);
  const links = env({
    MOON_PORT: 'tcp://10.0.0.1:6379',
    MOON_SERVICE_HOST: '10.0.0.1',
    MOON_PORT_6379_TCP_ADDR: '10.0.0.1',
    MOON_SERVER_PREBUILD: '/x',
  });
  t.deepEqual(links, { settings: [], problems: [], notes: [] });
});

test('conf/moon.conf, uncommented, is a configuration of defaults', (t) => {
  const text = read('conf/moon.conf');
  const lines = text.split('\n').filter((line) => /^# [a-z-]+ \S/.test(line));
  const names = settings.map(({ name }) => name);
  const active = lines.map((line) => line.slice(2)).filter((line) => {
    return names.includes(line.split(' ')[0] ?? '') && !/[.,:]$/.test(line);
  });
  const { problems, values } = load(
    loadConfText(active.join('\n'), 'moon.conf', { workingDirectory: '/' }),
  );
  t.deepEqual(problems, []);
  t.true(active.length >= settings.length);
  t.deepEqual(values, load().values);
  t.true(text.split('\n').every((line) => line.length <= 100));
});

test('the typed options are those of the tables: npm run generate', (t) => {
  t.is(read('src/config/option-names.ts'), optionNamesSource(settings));
});
