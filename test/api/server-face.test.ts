// The face of the server against a binding that is a fake: what it sends down, how it reads what
// comes up, how it ends. The real one is met in server.test.ts.
import { setImmediate as turn } from 'node:timers/promises';
import test from 'ava';
import type { DirectiveOptions } from '../../src/config/option-names.ts';
import { loadLayers } from '../../src/config/load.ts';
import { ReplyError } from '../../src/errors.ts';
import { createLogger } from '../../src/log/logger.ts';
import type {
  NativeBinding,
  NativeError,
  NativeInfo,
  NativeOptions,
} from '../../src/native/binding.ts';
import { decodeReplies } from '../../src/native/resp.ts';
import { boot, type BootRequest } from '../../src/server/boot.ts';

interface Fake {
  /** Commands that came down, decoded. */
  readonly commands: unknown[];
  readonly stops: [string, number][];
  readonly controlReplies: [number, string][];
  options?: NativeOptions;
  event(name: string, payload: object): void;
  /** Lets the stop that is under way come to its end. */
  finishStop(): void;
}

const facts: NativeInfo = {
  port: 7001,
  addresses: ['127.0.0.1'],
  unixSocket: '',
  ioDriver: 'epoll',
  ioDriverReason: 'io-driver epoll',
  shards: 2,
  slices: 8,
  memoryLimit: 1,
  memoryLimitSource: 'host',
  warnings: [{ code: 'EARLY', message: 'early', cure: 'wait' }],
};

interface FakeSettings {
  readonly replies?: string;
  readonly error?: NativeError;
  readonly info?: Partial<NativeInfo>;
  readonly holdStop?: boolean;
  readonly callError?: string;
}

function fakeBinding(settings: FakeSettings): { binding: NativeBinding; fake: Fake } {
  const stops: [string, number][] = [];
  let waiting: (() => void)[] = [];
  const fake: Fake = {
    commands: [],
    stops,
    controlReplies: [],
    event: () => undefined,
    finishStop() {
      for (const done of waiting.splice(0)) done();
    },
  };
  const binding: NativeBinding = {
    tablesHash: 'fake',
    start(_tables, options, onEvent, done) {
      fake.options = options;
      fake.event = (name, payload) => {
        onEvent(name, JSON.stringify(payload));
      };
      if (settings.error !== undefined) {
        const { error } = settings;
        setImmediate(() => { done(error, null); });
        return;
      }
      fake.event('log', { level: 'notice', message: 'from below' });
      const server = {
        info: JSON.stringify({ ...facts, ...settings.info }),
        call(request: Uint8Array, count: number, reply: (e: string | null, r: Uint8Array) => void) {
          fake.commands.push(...decodeReplies(request, count));
          const text = settings.replies ?? '+OK\r\n'.repeat(count);
          setImmediate(() => { reply(settings.callError ?? null, Buffer.from(text)); });
        },
        stop(mode: string, timeoutMs: number, stopped: () => void) {
          stops.push([mode, timeoutMs]);
          waiting.push(stopped);
          if (settings.holdStop !== true) setImmediate(() => { fake.finishStop(); });
        },
        respondControl(id: number, reply: Uint8Array) {
          fake.controlReplies.push([id, Buffer.from(reply).toString()]);
        },
        setRef: () => undefined,
      };
      setImmediate(() => { done(null, server); });
    },
  };
  return { binding, fake };
}

async function start(settings: FakeSettings = {}, more: Partial<BootRequest> = {}) {
  const { binding, fake } = fakeBinding(settings);
  const lines: string[] = [];
  const server = await boot({
    values: loadLayers([], { requirepass: 'p@ss' }, '/').values,
    logger: createLogger((line) => lines.push(line), 'notice'),
    configFile: '',
    workingDirectory: '/',
    anyPort: true,
    binding,
    ...more,
  });
  return { server, fake, lines };
}

test('where the server is, and what it says of itself', async (t) => {
  const { server, fake } = await start();
  t.is(server.port, 7001);
  t.is(server.host, '127.0.0.1');
  t.is(server.url, 'redis://:p%40ss@127.0.0.1:7001');
  t.is(server.unixSocket, undefined);
  t.is(server.facts.ioDriver, 'epoll');
  t.regex(fake.options?.runId ?? '', /^[0-9a-f]{40}$/);
  t.is(fake.options?.anyPort, true);
  await server.close();
});

test('addresses that one cannot connect to become ones that one can', async (t) => {
  const all = await start({ info: { addresses: ['*', '-::*'] } });
  t.is(all.server.host, '127.0.0.1');
  const six = await start({ info: { addresses: ['::'] } });
  t.is(six.server.url, 'redis://:p%40ss@[::1]:7001');
  const local = await start({ info: { port: 0, addresses: [], unixSocket: '/tmp/x' } });
  t.is(local.server.url, 'unix://:p%40ss@/tmp/x');
});

test('call() answers with the value or rejects with the error reply', async (t) => {
  const { server, fake } = await start({ replies: '$1\r\nv\r\n' });
  t.is(await server.call('GET', 'k'), 'v');
  t.deepEqual(await server.callBuffer('GET', 'k'), Buffer.from('v'));
  t.deepEqual(fake.commands, [['GET', 'k'], ['GET', 'k']]);
  const wrong = await start({ replies: '-WRONGTYPE no\r\n' });
  const error = await t.throwsAsync(wrong.server.call('INCR', 'k'), { instanceOf: ReplyError });
  t.like(error, { code: 'WRONGTYPE', command: 'INCR', message: 'WRONGTYPE no' });
});

test('pipeline() answers each command, errors in their places', async (t) => {
  const { server } = await start({ replies: ':1\r\n-ERR no\r\n+OK\r\n' });
  const replies = await server.pipeline([['INCR', 'n'], ['BAD'], ['SET', 'a', 1]]);
  t.is(replies[0], 1);
  t.true(replies[1] instanceof ReplyError && replies[1].command === 'BAD');
  t.is(replies[2], 'OK');
  t.deepEqual(await server.pipeline([]), []);
});

test('info, stats and config', async (t) => {
  const info = '# Memory\r\nused_memory:10\r\nused_memory_human:10B\r\nratio:1.5\r\n'
    + 'perc:1.50%\r\ndb0:keys=3,expires=1\r\n';
  const { server, fake } = await start({ replies: `$${info.length}\r\n${info}\r\n` });
  t.is(await server.info('memory', 'keyspace'), info);
  const stats = { used_memory: 10, ratio: 1.5, perc: 1.5, db0_keys: 3, db0_expires: 1 };
  t.deepEqual(await server.stats(), stats);
  t.deepEqual(fake.commands, [['INFO', 'memory', 'keyspace'], ['INFO', 'everything']]);
  const config = await start({ replies: '%1\r\n+hz\r\n+10\r\n' });
  t.deepEqual(await config.server.config.get('h*'), { hz: '10' });
  await config.server.config.set({ maxmemory: '1kb', protectedMode: true });
  t.deepEqual(config.fake.commands[1], [
    'CONFIG', 'SET', 'maxmemory', '1024', 'protected-mode', 'yes',
  ]);
  const misspelled = config.server.config.set({ maxmem: 1 } as DirectiveOptions);
  await t.throwsAsync(misspelled, { code: 'ERR_MOON_OPTION_UNKNOWN' });
  await t.throwsAsync(config.server.config.set({ hz: NaN }), { code: 'ERR_MOON_OPTION_INVALID' });
});

test('warnings of the start are kept, later ones are also told; the log follows', async (t) => {
  const { server, fake, lines } = await start();
  t.deepEqual(server.warnings.map(({ code }) => code), ['EARLY']);
  const told: string[] = [];
  server.on('warning', ({ code }) => told.push(code));
  fake.event('warning', { code: 'LATE', message: 'late' });
  await turn();
  t.deepEqual(told, ['LATE']);
  t.is(server.warnings.length, 2);
  const log = lines.join('');
  t.regex(log, / \* from below\n/);
  t.regex(log, / # WARNING early wait\n/);
  t.regex(log, / # WARNING late\n/);
});

test('ready is told after the caller could listen; events pass', async (t) => {
  const { server, fake } = await start();
  const seen: unknown[] = [];
  server.on('ready', () => seen.push('ready'));
  server.on('configChanged', (change) => seen.push(change));
  server.on('stall', (stall) => seen.push(stall));
  fake.event('configChanged', { name: 'hz', value: '20' });
  fake.event('stall', { shard: 1, ms: 30 });
  await turn();
  t.deepEqual(seen, ['ready', { name: 'hz', value: '20' }, { shard: 1, ms: 30 }]);
});

test('CONFIG SET loglevel changes our side of the log', async (t) => {
  const { fake, lines } = await start();
  fake.event('configChanged', { name: 'loglevel', value: 'nothing' });
  const before = lines.length;
  fake.event('log', { level: 'warning', message: 'unheard' });
  t.is(lines.length, before);
});

test('close() is idempotent, tells once, and calls are refused from then on', async (t) => {
  const { server, fake } = await start();
  let closed = 0;
  server.on('closed', () => closed++);
  const others = [server.close({ timeoutMs: 5 }), server[Symbol.asyncDispose]()];
  await Promise.all([server.close(), ...others]);
  await server.close();
  await turn();
  t.is(closed, 1);
  t.deepEqual(fake.stops, [['graceful', 5]]);
  t.false(server.isRunning);
  await t.throwsAsync(server.call('PING'), { code: 'ERR_MOON_CLOSED' });
});

test('a forced close hurries the one under way', async (t) => {
  const { server, fake } = await start({ holdStop: true });
  const first = server.close({ timeoutMs: 60_000 });
  const second = server.close({ force: true });
  fake.finishStop();
  await Promise.all([first, second]);
  t.deepEqual(fake.stops.map(([mode]) => mode), ['graceful', 'now']);
  await t.throwsAsync(async () => server.close({ timeoutMs: -1 }), {
    code: 'ERR_MOON_OPTION_INVALID',
  });
});

test('a call that the closing server drops rejects as closed', async (t) => {
  const { server } = await start({ callError: 'closed' });
  await t.throwsAsync(server.call('PING'), { code: 'ERR_MOON_CLOSED' });
  const other = await start({ callError: 'out of memory' });
  await t.throwsAsync(other.server.call('PING'), {
    code: 'ERR_MOON_CALL',
    message: /out of memory/,
  });
});

test('a server that ends by itself is closed', async (t) => {
  const { server, fake } = await start();
  await turn();
  const closed = new Promise<void>((resolve) => server.once('closed', resolve));
  fake.event('closed', { reason: 'gone' });
  await closed;
  t.deepEqual(fake.stops, [['now', 0]]);
});

test('an abort closes', async (t) => {
  const controller = new AbortController();
  const { server } = await start({}, { signal: controller.signal });
  const closed = new Promise<void>((resolve) => server.once('closed', resolve));
  controller.abort();
  await closed;
  t.false(server.isRunning);
});

test('an abort while starting closes and rejects with its reason', async (t) => {
  const controller = new AbortController();
  const { binding, fake } = fakeBinding({});
  const starting = start({}, { signal: controller.signal, binding });
  controller.abort(new Error('changed my mind'));
  await t.throwsAsync(starting, { message: 'changed my mind' });
  t.deepEqual(fake.stops, [['now', 0]]);
});

test('start errors carry our code, the sentence from below and the way out', async (t) => {
  const taken = 'Could not create server TCP listening socket 127.0.0.1:6379: bind: '
    + 'Address already in use';
  await t.throwsAsync(start({ error: { code: 'EADDRINUSE', message: taken } }), {
    code: 'ERR_MOON_ADDRESS_IN_USE',
    message: new RegExp(`^${taken}\n`),
  });
  await t.throwsAsync(start({ error: { code: 'EACCES', message: 'x', cure: 'do y' } }), {
    code: 'ERR_MOON_LISTEN',
    message: /to fix: do y/,
  });
  await t.throwsAsync(start({ error: { code: 'tables', message: 'bad' } }), {
    code: 'ERR_MOON_START',
  });
});

const shutdowns: [string[], string][] = [
  [['bogus'], '-ERR syntax error\r\n'],
  [['save', 'nosave'], '-ERR syntax error\r\n'],
  [['abort', 'now'], '-ERR syntax error\r\n'],
  [['abort'], '-ERR No shutdown in progress.\r\n'],
  [['save'], '-ERR Errors trying to SHUTDOWN. Check logs.\r\n'],
];

for (const [options, reply] of shutdowns) {
  test(`SHUTDOWN ${options.join(' ')} is answered and changes nothing`, async (t) => {
    const { server, fake } = await start();
    fake.event('control', { id: 7, args: ['shutdown', ...options] });
    await turn();
    t.deepEqual(fake.controlReplies, [[7, reply]]);
    t.true(server.isRunning);
  });
}

test('SHUTDOWN closes the server of a program, and goes to the one who asked for it', async (t) => {
  const { server, fake } = await start();
  const closed = new Promise<void>((resolve) => server.once('closed', resolve));
  fake.event('control', { id: 1, args: ['SHUTDOWN', 'NOSAVE', 'NOW'] });
  await closed;
  t.deepEqual(fake.controlReplies, [[1, '']]);
  t.deepEqual(fake.stops.map(([mode]) => mode), ['now']);
  const asked: unknown[] = [];
  const own = await start({}, { onShutdownRequest: (_, request) => asked.push(request) });
  own.fake.event('control', { id: 2, args: ['SHUTDOWN'] });
  await turn();
  t.deepEqual(asked, [{ now: false }]);
  t.true(own.server.isRunning);
});
