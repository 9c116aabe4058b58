import anyTest, { type TestFn } from 'ava';
import {
  encodeDocs,
  encodeHelp,
  encodeInfo,
  legacyKeys,
  usageOf,
} from '../../src/commands/encode.ts';
import { allRows, commands } from '../../src/commands/index.ts';
import {
  block,
  int,
  keyAt,
  keysFrom,
  oneOf,
  optional,
  str,
  word,
} from '../../src/commands/rows.ts';
import type { CommandRow } from '../../src/commands/types.ts';
import type { Reply } from '../../src/native/resp.ts';
import { ask, decode, withOracle, type OracleContext } from './oracle.ts';

const test = anyTest as TestFn<OracleContext>;
withOracle(test);

/** Of Redis 7.2; redis-server 7.0 does not know them. */
const newerThanOracle = ['client|no-touch', 'client|setinfo'];

/** Subcommands of Redis that come with later rooms. */
const notYet = [
  'client|caching',
  'client|getredir',
  'client|pause',
  'client|tracking',
  'client|trackinginfo',
  'client|unblock',
  'client|unpause',
];

/** Deprecated since Redis 7.2, or by another text there. */
const deprecatedOtherwise = ['getset', 'psetex', 'quit', 'setex', 'setnx'];

/** Arguments that Redis 7.2 documents and 7.0 does not. */
const documentedOtherwise = ['command|getkeys', 'command|getkeysandflags'];

const isMap = (reply: Reply | undefined): reply is Map<Reply, Reply> => reply instanceof Map;

const list = (reply: Reply | undefined): Reply[] => (Array.isArray(reply) ? reply : []);

/** An element of COMMAND INFO, subcommands by name and without those of other versions. */
function comparableInfo(reply: Reply): Reply[] {
  const parts = list(reply).slice(0, 10);
  parts[8] = list(parts[8]).map((spec) => {
    if (!isMap(spec) || !spec.has('notes')) return spec;
    // The words are ours, that there are some is not.
    return new Map(spec).set('notes', '');
  });
  parts[9] = list(parts[9])
    .map(comparableInfo)
    .filter(([name]) => !newerThanOracle.concat(notYet).includes(String(name)))
    .sort(([a], [b]) => (String(a) < String(b) ? -1 : 1));
  return parts;
}

test('COMMAND INFO says of each row what redis-server says', async (t) => {
  const rows = allRows.filter((row) => !newerThanOracle.includes(row.name));
  const bytes = await ask(t.context.redis, 3, ['COMMAND', 'INFO', ...rows.map((row) => row.name)]);
  const wanted = list(decode(bytes));
  rows.forEach((row, index) => {
    const ours = comparableInfo(decode(encodeInfo(row, 3)));
    t.deepEqual(ours, comparableInfo(wanted[index] ?? null), row.name);
  });
});

for (const protocol of [2, 3] as const) {
  test(`COMMAND INFO has redis-server's bytes in RESP${protocol}`, async (t) => {
    const same = (row: CommandRow): boolean =>
      row.subcommands.length === 0 &&
      row.keys.every((spec) => spec.notes === undefined) &&
      !newerThanOracle.includes(row.name);
    const rows = allRows.filter(same);
    const names = rows.map((row) => row.name);
    const bytes = await ask(t.context.redis, protocol, ['COMMAND', 'INFO', ...names]);
    const ours = rows.map((row) => encodeInfo(row, protocol)).join('');
    t.is(`*${rows.length}\r\n${ours}`, bytes.toString());
    t.true(rows.length > 90);
  });
}

const ownWords = ['summary', 'complexity'];
const absent = ['display_text'];

/** COMMAND DOCS without sentences and without what Redis 7.2 adds. */
function comparableDocs(reply: Reply, name: string): Reply {
  if (Array.isArray(reply)) return reply.map((each) => comparableDocs(each, name));
  if (!isMap(reply)) return reply;
  const pairs = [...reply].flatMap(([key, value]): [Reply, Reply][] => {
    const field = String(key);
    if (absent.includes(field)) return [];
    if (ownWords.includes(field)) return [[key, '']];
    if (field === 'history') {
      return [[key, list(value).map((change) => list(change).slice(0, 1))]];
    }
    if (field === 'subcommands') return [];
    if (deprecatedOtherwise.includes(name) && /^(doc_flags|deprecated_|replaced_by)/.test(field)) {
      return [];
    }
    return [[key, comparableDocs(value, name)]];
  });
  return new Map(pairs);
}

test('COMMAND DOCS has the shape of redis-server', async (t) => {
  const skipped = [...newerThanOracle, ...documentedOtherwise];
  for (const row of allRows.filter(({ name }) => !skipped.includes(name))) {
    const bytes = await ask(t.context.redis, 3, ['COMMAND', 'DOCS', row.name]);
    const wanted = comparableDocs(decode(bytes), row.name);
    const ours = comparableDocs(decode(`%1\r\n${encodeDocs(row, 3)}`), row.name);
    t.deepEqual(ours, wanted, row.name);
    if (!isMap(ours) || !isMap(wanted)) continue;
    const keysOf = (docs: Map<Reply, Reply>): Reply[] => {
      const inner = docs.get(row.name);
      return isMap(inner) ? [...inner.keys()] : [];
    };
    t.deepEqual(keysOf(ours), keysOf(wanted), `${row.name}: order of the fields`);
  }
});

/** RESP3's maps as RESP2 has them. */
const flattened = (reply: Reply): Reply => {
  if (Array.isArray(reply)) return reply.map(flattened);
  return isMap(reply) ? [...reply].flatMap((pair) => pair.map(flattened)) : reply;
};

test('both protocols say the same', (t) => {
  for (const row of allRows) {
    t.deepEqual(flattened(decode(encodeInfo(row, 3))), decode(encodeInfo(row, 2)), row.name);
    const docs3 = flattened(decode(`%1\r\n${encodeDocs(row, 3)}`));
    t.deepEqual(docs3, decode(`*2\r\n${encodeDocs(row, 2)}`), row.name);
  }
});

test('rows are sound', (t) => {
  const names = allRows.map((row) => row.name);
  t.is(new Set(names).size, names.length);
  for (const row of allRows) {
    t.regex(row.name, /^[a-z_]+(\|[a-z-]+)?$/);
    t.regex(row.summary, /^[A-Z].*\.$/, row.name);
    t.true(row.summary.length <= 100, row.name);
    const findable = row.keys.length > 0;
    if (row.route === 'by-keys') t.true(findable, row.name);
    if (row.route === 'by-key' && row.subcommands.length === 0) {
      t.true(findable && row.keys.length === 1, row.name);
    }
    if (row.route !== 'by-key' && row.route !== 'by-keys') t.false(findable, row.name);
    t.is(row.flags.includes('write') && row.flags.includes('readonly'), false, row.name);
    const specs = JSON.stringify(row.args).match(/"keySpec":\d+/g) ?? [];
    for (const spec of specs) t.true(Number(spec.slice(10)) < row.keys.length, row.name);
  }
  for (const row of commands) t.false(row.name.includes('|'), row.name);
});

test('the old triple of key positions', (t) => {
  t.deepEqual(legacyKeys([]), { first: 0, last: 0, step: 0 });
  t.deepEqual(legacyKeys([keyAt(2, 'RO')]), { first: 2, last: 2, step: 1 });
  t.deepEqual(legacyKeys([keysFrom(1, -1, 'RO', 2)]), { first: 1, last: -1, step: 2 });
  t.deepEqual(legacyKeys([keyAt(1, 'RO'), keyAt(2, 'OW')]), { first: 1, last: 2, step: 1 });
  t.deepEqual(legacyKeys([keyAt(1, 'OW'), keyAt(3, 'RO')]), { first: 1, last: 1, step: 1 });
});

test('usage in the notation of manuals', (t) => {
  t.is(usageOf(str('value')), '<value>');
  t.is(usageOf(optional(int('count', { token: 'COUNT' }))), '[COUNT <count>]');
  t.is(usageOf(optional(oneOf('how', [word('NX'), word('XX')]))), '[NX|XX]');
  t.is(usageOf(oneOf('on', [word('ON'), word('OFF')])), '(ON|OFF)');
  t.is(usageOf(str('id', { token: 'ID', multiple: true })), 'ID <id> [<id> ...]');
  const pair = block('pair', [str('name'), str('value')], { multiple: true });
  t.is(usageOf(pair), '<name> <value> [<name> <value> ...]');
});

test('HELP names each subcommand once', (t) => {
  for (const row of commands.filter(({ subcommands }) => subcommands.length > 0)) {
    const lines = list(decode(encodeHelp(row))).map(String);
    const first = `${row.name.toUpperCase()} <subcommand> [<arg> [value] [opt] ...].`;
    t.is(lines[0], `${first} Subcommands are:`);
    const named = lines.slice(1).filter((line) => !line.startsWith(' '));
    t.deepEqual(
      named.map((line) => `${row.name}|${line.split(' ')[0]?.toLowerCase() ?? ''}`).sort(),
      row.subcommands.map(({ name }) => name).sort(),
    );
    t.deepEqual(lines.slice(-2), ['HELP', '    Prints this help.']);
  }
});
