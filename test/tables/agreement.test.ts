// The tables and the C++ that serves them, compared as texts: the start would refuse what does not
// agree, this says it without a build.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { infoTemplate } from '../../src/admin/info-template.ts';
import { allRows } from '../../src/commands/index.ts';
import { settings } from '../../src/config/index.ts';
import { counters } from '../../src/metrics/counters.ts';
import { encodeTables, tablesHash } from '../../src/native/encode-tables.ts';
import { constantName } from '../../src/native/generate-headers.ts';
import { TableWriter, TextPool } from '../../src/native/table-writer.ts';
import { ROOT } from '../helpers/servers.ts';

const read = (path: string): string => readFileSync(join(ROOT, 'src-native', path), 'utf8');

const sources = readdirSync(join(ROOT, 'src-native'), { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.(cc|h)$/.test(path) && !/_(test|fuzz|bench)\.cc$/.test(path))
  .map((path) => ({ path, text: read(path) }));

/** The texts of a TypeScript file, or of all in a folder. */
const typescriptIn = (place: string): string[] =>
  place.endsWith('.ts')
    ? [readFileSync(join(ROOT, place), 'utf8')]
    : readdirSync(join(ROOT, place))
        .filter((name) => name.endsWith('.ts'))
        .flatMap((name) => typescriptIn(join(place, name)));

const registered = (room: string): string[] =>
  sources
    .filter(({ path }) => path.startsWith(room))
    .flatMap(({ text }) => [...text.matchAll(/\badd\(\s*"([a-z_]+)"/g)])
    .map(([, name]) => name ?? '')
    .sort();

test('each row has a handler and each handler a row', (t) => {
  const wanted = new Set(allRows.map(({ handler }) => handler).filter((name) => name !== ''));
  t.deepEqual(registered('commands/'), [...wanted].sort());
});

test('each gauge of INFO is registered and each registered one is shown', (t) => {
  const wanted = new Set(
    infoTemplate.flatMap(({ pieces }) =>
      pieces.flatMap((piece) => {
        if (piece.kind === 'gauge') return [piece.gauge];
        return piece.kind === 'block' ? [piece.block] : [];
      }),
    ),
  );
  t.deepEqual(registered('server/'), [...wanted].sort());
});

test('each counter is counted somewhere', (t) => {
  const counts = /(?<!total\(|get\()\bCounter::(k\w+)/g;
  const counted = new Set(
    sources.flatMap(({ text }) => [...text.matchAll(counts)].map(([, name]) => name)),
  );
  const idle = counters.filter(({ name }) => !counted.has(constantName(name)));
  t.deepEqual(
    idle.map(({ name }) => name),
    [],
  );
});

/** Directives of rooms that are still to come; nothing reads them before. */
const forLaterRooms = new Set([
  'busy-reply-threshold',
  'dbfilename',
  'hash-max-listpack-entries',
  'hash-max-listpack-value',
  'hll-sparse-max-bytes',
  'list-compress-depth',
  'list-max-listpack-size',
  'set-max-intset-entries',
  'set-max-listpack-entries',
  'set-max-listpack-value',
  'slowlog-log-slower-than',
  'slowlog-max-len',
  'stream-node-max-bytes',
  'stream-node-max-entries',
  'zset-max-listpack-entries',
  'zset-max-listpack-value',
]);

test('each directive has an effect', (t) => {
  const readInCpp = new Set(
    sources.flatMap(({ text }) => [...text.matchAll(/\bSetting::(k\w+)/g)].map(([, name]) => name)),
  );
  const control = ['cli', 'config/load.ts', 'native', 'server']
    .flatMap((place) => typescriptIn(join('src', place)))
    .join('\n');
  for (const { name, refusal } of settings) {
    const read = readInCpp.has(constantName(name)) || control.includes(`'${name}'`);
    const expected = refusal === undefined && !forLaterRooms.has(name);
    if (expected) t.true(read, `${name} is accepted and nobody reads it`);
    if (forLaterRooms.has(name)) t.false(read, `${name} is read: take it off the list`);
  }
});

test('constants have one spelling each', (t) => {
  for (const names of [settings, counters, allRows]) {
    const constants = names.map(({ name }) => constantName(name));
    t.is(new Set(constants).size, constants.length);
  }
  t.is(constantName('proto-max-bulk-len'), 'kProtoMaxBulkLen');
  t.is(constantName('client|no-evict'), 'kClientNoEvict');
  t.is(constantName('io-driver', 'io_uring'), 'kIoDriverIoUring');
});

test('the blob carries the hash, which current values do not change', (t) => {
  const plain = encodeTables(new Map());
  const other = encodeTables(new Map([['maxmemory', '1gb']]));
  t.regex(tablesHash(), /^[0-9a-f]{16}$/);
  for (const blob of [plain, other]) {
    t.is(blob.subarray(0, 24).toString(), `MOONTBL1${tablesHash()}`);
  }
  t.false(plain.equals(other));
  t.true(plain.length < 256 * 1024, 'the blob is memory of each server');
});

test('the writer: numbers, texts, lists, shared texts', (t) => {
  const writer = new TableWriter();
  writer.u8(1).u16(2).i16(-1).u32(3).i64(-2n).text('é');
  writer.list(['a', 'b'], (item) => writer.text(item));
  t.is(
    writer.finish().toString('hex'),
    '010200ffff03000000feffffffffffffff02000000c3a9020001000000610100000062',
  );
  const pool = new TextPool();
  t.deepEqual(pool.add('container(sub)'), { offset: 0, length: 14 });
  t.deepEqual(pool.add('(sub)'), { offset: 9, length: 5 });
  t.deepEqual(pool.add('more'), { offset: 14, length: 4 });
  t.is(pool.finish().toString(), 'container(sub)more');
});
