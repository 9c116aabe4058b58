// Our own wire cases on every combination of shards and driver, all of them at once.
import test from 'ava';
import { axes, startAll, TARGET_IS_REDIS, type TestServer } from '../helpers/servers.ts';
import { concurrency } from './concurrency.ts';
import { connections } from './connections.ts';
import { expiry } from './expiry.ts';
import { memory } from './memory.ts';
import { protocol } from './protocol.ts';
import { scanning } from './scanning.ts';
import { server as serverCases } from './server.ts';
import { Session, type WireCase } from './session.ts';
import { stringCases } from './strings.ts';
import { transactions } from './transactions.ts';

const areas: Readonly<Record<string, readonly WireCase[]>> = {
  strings: stringCases,
  expiry,
  transactions,
  protocol,
  scanning,
  connections,
  server: serverCases,
  memory,
  concurrency,
};

let servers: readonly TestServer[] = [];

test.before('servers start', async () => {
  servers = await startAll(axes());
});
test.after.always('servers stop', async () => {
  await Promise.all(servers.map((server) => server.stop()));
});

/** Null when it passed. */
async function play(server: TestServer, { run }: WireCase): Promise<string | null> {
  const session = new Session(server);
  try {
    await session.rows(
      [
        ['FLUSHALL', '+OK'],
        ['CONFIG RESETSTAT', '+OK'],
      ],
      'before',
    );
    await run(session);
    return null;
  } catch (error) {
    const ended = server.alive ? '' : `\n${await server.ended}\n${server.log.slice(-3000)}`;
    return `${server.name}: ${error instanceof Error ? error.message : String(error)}${ended}`;
  } finally {
    await session.end();
  }
}

for (const [area, cases] of Object.entries(areas)) {
  for (const one of cases) {
    if (TARGET_IS_REDIS && one.since72) continue;
    test.serial(`${area}: ${one.name}`, async (t) => {
      const results = await Promise.all(servers.map((server) => play(server, one)));
      const problems = results.filter((result) => result !== null);
      if (problems.length > 0) t.fail(`\n${problems.join('\n')}`);
      else t.pass();
    });
  }
}
