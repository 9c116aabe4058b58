import anyTest, { type TestFn } from 'ava';
import { settings } from '../../src/config/index.ts';
import { ask, decode, withOracle, type OracleContext } from './oracle.ts';

const test = anyTest as TestFn<OracleContext>;
withOracle(test);

/** Where our default is another one, and why. */
const otherDefaults: Readonly<Record<string, string>> = {
  bind: 'loopback is the safe default',
  dir: 'redis-server shows its working directory',
  'enable-debug-command': 'the oracle runs with it',
  port: 'the oracle has a free one',
  unixsocket: 'the oracle has one',
};

/** Directives of Redis 7.2 that redis-server 7.0 does not have. */
const newerThanOracle = ['server-cpulist', 'set-max-listpack-entries', 'set-max-listpack-value'];

const ours = [
  'cpu-affinity',
  'cross-shard-fast-path',
  'io-busy-poll-us',
  'io-driver',
  'shards',
  'slices-per-shard',
  'stall-threshold-ms',
];

async function oracleValues(t: { context: OracleContext }): Promise<Map<string, string>> {
  const reply = decode(await ask(t.context.redis, 3, ['CONFIG', 'GET', '*']));
  if (!(reply instanceof Map)) throw new Error('CONFIG GET * gave no map');
  return new Map([...reply].map(([name, value]) => [String(name), String(value)]));
}

test('names are Redis’s or known to be ours', async (t) => {
  const known = await oracleValues(t);
  for (const name of settings.flatMap((row) => [row.name, ...row.aliases])) {
    const expected = known.has(name) || newerThanOracle.includes(name) || ours.includes(name);
    t.true(expected, name);
  }
});

test('defaults are redis-server’s', async (t) => {
  const known = await oracleValues(t);
  for (const row of settings) {
    const value = known.get(row.name);
    if (value === undefined || row.name in otherDefaults) continue;
    t.is(row.default, value, row.name);
  }
});

test('rows are sound', (t) => {
  const names = settings.flatMap((row) => [row.name, ...row.aliases]);
  t.is(new Set(names).size, names.length);
  for (const row of settings) {
    t.regex(row.name, /^[a-z][a-z0-9-]*$/);
    t.regex(row.help, /[.!]$/, row.name);
    t.true(row.min <= row.max, row.name);
    t.is(row.flags.includes('only-default'), row.refusal !== undefined, row.name);
    const words = row.words.map(({ word }) => word);
    if (row.type === 'enum') t.true(words.includes(row.default), row.name);
    if (row.type === 'bool') t.true(['yes', 'no'].includes(row.default), row.name);
    if (row.type === 'int' || row.type === 'memory') {
      const value = BigInt(row.default);
      t.true(value >= row.min && value <= row.max, row.name);
    }
  }
});

test('what redis-server cannot change while it runs, we do not promise to', async (t) => {
  const immutable = settings.filter(({ flags }) => flags.includes('immutable'));
  const known = await oracleValues(t);
  const changeableThere: string[] = [];
  for (const { name } of immutable.filter((row) => known.has(row.name))) {
    const value = known.get(name) ?? '';
    const reply = decode(await ask(t.context.redis, 3, ['CONFIG', 'SET', name, value]));
    if (reply === 'OK') changeableThere.push(name);
  }
  // Sockets are bound once here.
  t.deepEqual(changeableThere, ['bind', 'port']);
});
