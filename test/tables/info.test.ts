import anyTest, { type TestFn } from 'ava';
import { infoTemplate, type InfoPiece } from '../../src/admin/info-template.ts';
import { counters } from '../../src/metrics/counters.ts';
import { ask, decode, withOracle, type OracleContext } from './oracle.ts';

const test = anyTest as TestFn<OracleContext>;
withOracle(test);

/** Fields of redis-server that say nothing about this server. */
const leftOut = [
  'clients_in_timeout_table',
  'expired_stale_perc',
  'total_eviction_exceeded_time',
  'current_eviction_exceeded_time',
  'reply_buffer_shrinks',
  'reply_buffer_expands',
];

const ourSections = ['Dispatch', 'Shards'];

const shown = (piece: InfoPiece): string => {
  if (piece.kind === 'text') return piece.text;
  return piece.kind === 'block' ? `${piece.block}:x\r\n` : 'x';
};

const fieldsOf = (text: string): string[] =>
  text
    .split('\r\n')
    .filter((line) => line.includes(':'))
    .map((line) => line.slice(0, line.indexOf(':')));

const ourText = infoTemplate
  .filter(({ name }) => !ourSections.includes(name))
  .map(({ pieces }) => pieces.map(shown).join(''))
  .join('\r\n');

async function oracleText(t: { context: OracleContext }): Promise<string> {
  return String(decode(await ask(t.context.redis, 2, ['INFO', 'everything'])));
}

test('INFO has the fields of redis-server in its order', async (t) => {
  const ours = new Set(fieldsOf(ourText));
  const theirs = fieldsOf(await oracleText(t)).filter((name) => !/^(cmdstat|latency_p)/.test(name));
  t.deepEqual(
    theirs.filter((name) => !ours.has(name)),
    leftOut,
  );
  const common = new Set(theirs);
  t.deepEqual(
    [...ours].filter((name) => common.has(name)),
    theirs.filter((name) => ours.has(name)),
  );
});

test('INFO has the sections of redis-server in its order', async (t) => {
  const headings = (text: string): string[] =>
    [...text.matchAll(/^# (\w+)/gm)].map(([, name]) => name ?? '');
  t.deepEqual(headings(ourText), headings(await oracleText(t)));
  const names = infoTemplate.map(({ name }) => name);
  t.deepEqual(
    infoTemplate.filter(({ inDefault }) => !inDefault).map(({ name }) => name),
    ['Commandstats', 'Latencystats'],
  );
  t.is(new Set(names).size, names.length);
});

test('counters have one name each, in INFO and in Prometheus', (t) => {
  t.is(new Set(counters.map(({ name }) => name)).size, counters.length);
  t.is(new Set(counters.map(({ prometheus }) => prometheus)).size, counters.length);
  const inInfo = new Set(
    infoTemplate.flatMap(({ pieces }) =>
      pieces.flatMap((piece) => (piece.kind === 'counter' ? [piece.counter] : [])),
    ),
  );
  for (const row of counters) {
    t.true(inInfo.has(row.name), `${row.name} is counted and never shown`);
    t.regex(row.prometheus, /^(redis|moon)_[a-z_]+$/);
    t.regex(row.help, /\.$/);
  }
});
