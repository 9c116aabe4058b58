import test from 'ava';
import { optionName, resolveOptions, type ServerOptions } from '../../src/config/options.ts';
import { MoonError } from '../../src/errors.ts';
import { startServer } from '../../src/index.ts';

const resolve = (options: unknown) => resolveOptions(options as ServerOptions, { port: '0' }, '/');

const values = (options: unknown) => resolve(options).config.values;

test('directives by their camelCase names, values by their nature', (t) => {
  t.is(optionName('io-busy-poll-us'), 'ioBusyPollUs');
  const found = values({
    port: 7000,
    ioDriver: 'epoll',
    protectedMode: false,
    maxmemory: '256mb',
    bind: ['127.0.0.1', '::1'],
    timeout: undefined,
    save: '',
    'maxmemory-policy': 'allkeys-lru',
  });
  t.is(found.get('port'), '7000');
  t.is(found.get('io-driver'), 'epoll');
  t.is(found.get('protected-mode'), 'no');
  t.is(found.get('maxmemory'), '268435456');
  t.is(found.get('bind'), '127.0.0.1 ::1');
  t.is(found.get('timeout'), '0');
  t.is(found.get('maxmemory-policy'), 'allkeys-lru');
  t.is(values({}).get('port'), '0');
  t.is(values({ maxmemory: 1024n }).get('maxmemory'), '1024');
});

test('a misspelled option is refused with a guess', (t) => {
  const cases: [string, RegExp][] = [
    ['maxMemory', /unknown option 'maxMemory'\. Did you mean 'maxmemory'\?/],
    ['ioDrivr', /Did you mean 'ioDriver'\?/],
    ['signl', /Did you mean 'signal'\?/],
    ['onlog', /Did you mean 'onLog'\?/],
    ['xyzzy', /unknown option 'xyzzy'\.\n/],
  ];
  for (const [option, message] of cases) {
    t.throws(() => resolve({ [option]: 1 }), { code: 'ERR_MOON_OPTION_UNKNOWN', message });
  }
});

test('a value that does not fit is refused by name', (t) => {
  const cases: [object, RegExp][] = [
    [{ port: 'x' }, /port does not fit\n {2}found: {2}'x'/],
    [{ port: 70000 }, /between 0 and 65535/],
    [{ port: null }, /found: {2}null/],
    [{ port: {} }, /found: {2}\{\}/],
    [{ port: NaN }, /found: {2}NaN/],
    [{ bind: [['a']] , signal: 1 }, /signal does not fit/],
    [{ ioDriver: 'uring' }, /auto, io_uring, epoll/],
    [{ daemonize: true }, /foreground/],
    [{ appendonly: 'yes' }, /memory only/],
    [{ dir: '/nope/nope' }, /Can't chdir/],
    [{ onLog: 'x' }, /a function/],
  ];
  for (const [options, message] of cases) {
    t.throws(() => resolve(options), { code: 'ERR_MOON_OPTION_INVALID', message });
  }
  t.throws(() => resolve(null), { code: 'ERR_MOON_OPTION_INVALID' });
});

test('a secret is not repeated in the error', (t) => {
  const error = t.throws(() => resolve({ requirepass: 'a\0secret' }), { instanceOf: MoonError });
  t.notRegex(error?.message ?? '', /secret/);
});

test('startServer() rejects options before anything native is loaded', async (t) => {
  const options = { prot: 1 } as ServerOptions;
  await t.throwsAsync(startServer(options), { code: 'ERR_MOON_OPTION_UNKNOWN', message: /'port'/ });
});

test('startServer() does not start with a signal that has aborted', async (t) => {
  const signal = AbortSignal.abort(new Error('too late'));
  await t.throwsAsync(startServer({ signal }), { message: 'too late' });
});
