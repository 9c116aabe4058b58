import test from 'ava';
import { Shutdown, type Closable } from '../../src/cli/shutdown.ts';
import { createLogger } from '../../src/log/logger.ts';

function setUp(attached = true) {
  const lines: string[] = [];
  const exits: number[] = [];
  const closes: unknown[] = [];
  let finish: () => void = () => undefined;
  const closed = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const server: Closable = {
    close(options) {
      closes.push(options);
      return closed;
    },
  };
  const logger = createLogger((line) => lines.push(line), 'notice');
  const host = { on: () => undefined, exit: (code: number) => void exits.push(code) };
  let cleanUps = 0;
  const shutdown = new Shutdown(logger, 10_000, () => void cleanUps++, host);
  if (attached) shutdown.attach(server);
  return { shutdown, lines, exits, closes, finish, cleanUps: () => cleanUps };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test('the first signal closes in order and exits with 0, each step logged', async (t) => {
  const { shutdown, lines, exits, closes, finish, cleanUps } = setUp();
  shutdown.onSignal('SIGTERM');
  await settle();
  t.deepEqual(closes, [{ timeoutMs: 10_000, force: false }]);
  t.deepEqual(exits, []);
  finish();
  await settle();
  t.deepEqual(exits, [0]);
  t.is(cleanUps(), 1);
  const log = lines.join('');
  t.regex(log, /Received SIGTERM scheduling shutdown\.\.\./);
  t.regex(log, /Not accepting connections any more; running commands have 10 s/);
  t.regex(log, /bye bye\.\.\.\n$/);
});

test('the echo of a Ctrl-C changes nothing, a second signal forces, a third exits', (t) => {
  const { shutdown, exits, closes } = setUp();
  const start = Date.now();
  shutdown.onSignal('SIGINT', start);
  shutdown.onSignal('SIGINT', start + 20);
  t.is(closes.length, 1);
  shutdown.onSignal('SIGINT', start + 1000);
  t.deepEqual(closes[1], { force: true });
  shutdown.onSignal('SIGINT', start + 1020);
  t.deepEqual(exits, []);
  shutdown.onSignal('SIGTERM', start + 2000);
  t.deepEqual(exits, [1]);
});

test('a signal before the server is up ends the process at once', (t) => {
  const { shutdown, exits } = setUp(false);
  shutdown.onSignal('SIGTERM');
  t.deepEqual(exits, [143]);
});

test("a client's SHUTDOWN takes the same way, once", async (t) => {
  const { shutdown, exits, closes, finish } = setUp();
  shutdown.onRequest(true);
  shutdown.onRequest(false);
  t.deepEqual(closes, [{ timeoutMs: 10_000, force: true }]);
  finish();
  await settle();
  t.deepEqual(exits, [0]);
});
