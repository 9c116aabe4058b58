// Random commands to us and to redis-server: replies are compared, and at the end of each round
// what all keys hold. MOON_SEED=n repeats a run, MOON_FUZZ_COMMANDS=n makes it longer.
import test from 'ava';
import { setTimeout as delay } from 'node:timers/promises';
import { Random, SEED } from '../../helpers/random.ts';
import { DRIVERS, startMoon, startRedis, type TestServer } from '../../helpers/servers.ts';
import type { AnyStep } from '../types.ts';
import { Difference, Round } from './arena.ts';
import { afterwards, families, mortal, type Family } from './families.ts';

const COMMANDS = Number(process.env.MOON_FUZZ_COMMANDS ?? 240_000);
const ROUND_COMMANDS = 1500;
const DATABASES = 4;
/** Of all commands, in percent. */
const SHARE: Readonly<Record<string, number>> = {
  strings: 30,
  bitmaps: 20,
  keys: 25,
  transactions: 25,
};
const MORTAL_ROUNDS = 20;

let servers: readonly TestServer[] = [];

test.before('servers start', async (t) => {
  t.log(`MOON_SEED=${SEED}`);
  const [first = 'epoll', last = first] = DRIVERS;
  servers = await Promise.all([
    startRedis(),
    startMoon({ shards: 1, driver: last }),
    startMoon({ shards: 4, driver: first }),
  ]);
});
test.after.always('servers stop', async () => {
  await Promise.all(servers.map((server) => server.stop()));
});

async function randomRound(family: Family, random: Random, connections: number): Promise<void> {
  const round = await Round.begin(servers, connections, random.pick([2, 3]));
  for (let sent = 0; sent < ROUND_COMMANDS;) {
    const steps = random.several(random.pick([1, 3, 10, 60, 200]), () => family(random));
    await round.burst(random.below(connections), steps);
    sent += steps.length;
  }
  await round.compareContents(DATABASES);
  await round.end();
}

async function mortalRound(random: Random): Promise<void> {
  const round = await Round.begin(servers, 2, 2);
  await round.burst(
    0,
    random.several(40, () => mortal(random)),
  );
  const watched = random.several(3, () => random.pick(['a', 'b', 'c', 'd', 'e']));
  await round.burst(1, [['WATCH', ...watched]]);
  await delay(250);
  await round.burst(1, [['MULTI'], ['PING'], ['EXEC']]);
  await round.burst(
    0,
    random.several(60, (): AnyStep => afterwards(random)),
  );
  await round.compareContents(2);
  await round.end();
}

/** Runs rounds, each by a seed of its own; the first difference says how to see it again. */
async function rounds(
  name: string,
  count: number,
  play: (random: Random) => Promise<void>,
): Promise<string | null> {
  for (let i = 0; i < count; i++) {
    try {
      await play(new Random(SEED).branch(`${name} ${i}`));
    } catch (error) {
      if (!(error instanceof Difference)) throw error;
      return `MOON_SEED=${SEED}, ${name}, round ${i}: ${error.message}`;
    }
  }
  return null;
}

for (const [name, share] of Object.entries(SHARE)) {
  test.serial(`random commands: ${name}`, async (t) => {
    const family = families[name] as Family;
    const connections = name === 'transactions' ? 3 : 1;
    const count = Math.ceil((COMMANDS * share) / 100 / ROUND_COMMANDS);
    t.is(await rounds(name, count, (random) => randomRound(family, random, connections)), null);
  });
}

test.serial('random commands: deadlines that pass', async (t) => {
  t.is(await rounds('deadlines', MORTAL_ROUNDS, mortalRound), null);
});
