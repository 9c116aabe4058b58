// Random commands of each family. They meet often: few keys, and values that matter to somebody.
// Deadlines are absolute and far, or past, or so far off that only their presence is compared.
import type { Random } from '../../helpers/random.ts';
import { unordered, shape, type AnyStep, type Step, type Word } from '../types.ts';

export type Family = (random: Random) => AnyStep;

const KEYS: readonly Word[] = [
  'a',
  'b',
  'c',
  'd',
  'e',
  'f',
  '{a}1',
  '{a}2',
  'x'.repeat(23),
  'y'.repeat(24),
  'z'.repeat(80),
  Buffer.from([0x00, 0xff, 0x0d, 0x0a]),
  '',
];

const NUMBERS = [
  '0',
  '1',
  '-1',
  '7',
  '10',
  '99',
  '100',
  '-128',
  '255',
  '65536',
  '2147483647',
  '-2147483649',
  '9223372036854775807',
  '-9223372036854775808',
  '9223372036854775808',
  '01',
  '+1',
  ' 1',
  '1.5',
  '-0',
  '',
  'abc',
  '1e3',
];

const FLOATS = [
  '0.1',
  '-0.25',
  '3',
  '1e3',
  '10.50',
  '-3.0',
  '123456789.125',
  '1e-9',
  '0.30000000000000004',
  '1e17',
  '-1e17',
  'inf',
  'nan',
  'x',
  '',
  '0x10',
];

const FAR_S = '33177117420';
const FAR_MS = '33177117420123';

const key = (random: Random): Word => random.pick(KEYS);
const number = (random: Random): string => random.pick(NUMBERS);
const small = (random: Random): string => `${random.between(-3, 12)}`;

export function value(random: Random): Word {
  switch (random.below(9)) {
    case 0:
      return number(random);
    case 1:
      return `${random.between(-1000, 1000)}`;
    case 2:
      return random.pick(FLOATS);
    case 3:
      return 'v'.repeat(random.pick([0, 1, 14, 15, 16, 23, 24, 44, 45, 64]));
    case 4:
      return Buffer.from(random.several(random.below(20), () => random.below(256)));
    case 5:
      return random.chance(20) ? 'w'.repeat(random.pick([4095, 16383, 16384, 20000])) : 'w';
    default:
      return random.pick(['foo', 'bar', 'hello world', 'foobar', 'ohmytext', 'mynewtext']);
  }
}

// No moment that has passed: such a key is stored, and counted by DBSIZE until something deletes
// it, which is a matter of time. Cases of strings.ts have it.
const deadline = (random: Random): readonly string[] =>
  random.pick([
    ['EX', '100000'],
    ['PX', '100000000'],
    ['EXAT', FAR_S],
    ['PXAT', FAR_MS],
    ['EX', '0'],
    ['PX', '-1'],
    ['EX', 'x'],
    ['EX'],
  ]);

const some = (random: Random, options: readonly (readonly string[])[]): string[] =>
  random
    .shuffle(options)
    .slice(0, random.pick([0, 0, 1, 1, 2, 3]))
    .flat();

const set = (random: Random): Step => [
  'SET',
  key(random),
  value(random),
  ...some(random, [['NX'], ['XX'], ['GET'], ['KEEPTTL'], deadline(random), ['nosuch']]),
];

const pairs = (random: Random): Word[] =>
  random.several(random.between(1, 4), () => [key(random), value(random)]).flat();

const keys = (random: Random): Word[] => random.several(random.between(1, 4), () => key(random));

const STRINGS: readonly ((random: Random) => AnyStep)[] = [
  set,
  set,
  set,
  (r) => ['GET', key(r)],
  (r) => ['GET', key(r)],
  (r) => ['GETSET', key(r), value(r)],
  (r) => ['GETDEL', key(r)],
  (r) => ['GETEX', key(r), ...some(r, [['PERSIST'], deadline(r), ['KEEPTTL']])],
  (r) => ['SETNX', key(r), value(r)],
  (r) => ['SETEX', key(r), r.pick(['100000', '0', '-1', 'x']), value(r)],
  (r) => ['PSETEX', key(r), r.pick(['100000000', '0', '-1', 'x']), value(r)],
  (r) => ['MSET', ...pairs(r)],
  (r) => ['MSETNX', ...pairs(r)],
  (r) => ['MGET', ...keys(r)],
  (r) => ['APPEND', key(r), value(r)],
  (r) => ['STRLEN', key(r)],
  (r) => ['SETRANGE', key(r), r.chance(9) ? number(r) : `${r.below(60)}`, r.pick(['', 'x', 'abc'])],
  (r) => [r.pick(['GETRANGE', 'SUBSTR']), key(r), small(r), small(r)],
  (r) => [r.pick(['INCR', 'DECR']), key(r)],
  (r) => [r.pick(['INCRBY', 'DECRBY']), key(r), number(r)],
  (r) => ['INCRBYFLOAT', key(r), r.pick(FLOATS)],
  (r) => [
    'LCS',
    key(r),
    key(r),
    ...some(r, [['LEN'], ['IDX'], ['WITHMATCHLEN'], ['MINMATCHLEN', small(r)]]),
  ],
  (r) => ['OBJECT', 'ENCODING', key(r)],
  (r) => [r.pick(['DEL', 'UNLINK', 'EXISTS']), ...keys(r)],
  (r) => ['PEXPIREAT', key(r), FAR_MS],
  (r) => ['TYPE', key(r)],
];

/** No position in the millions: the strings would be the only thing the servers are busy with. */
const NO_BITS = ['-1', '4294967296', '9223372036854775807', '01', '', 'x', '1.5', '65536'];

const bit = (random: Random): string =>
  random.chance(12) ? random.pick(NO_BITS) : `${random.below(random.pick([8, 64, 3000]))}`;

const range = (random: Random): string[] =>
  random.pick([
    [],
    [small(random)],
    [small(random), small(random)],
    [small(random), small(random), random.pick(['BYTE', 'BIT', 'bit', 'x'])],
  ]);

const fieldType = (random: Random): string =>
  random.chance(15)
    ? random.pick(['u64', 'i65', 'u0', 'x', 'i'])
    : `${random.pick(['u', 'i'])}${random.between(1, 63)}`;

const fieldOffset = (random: Random): string => `${random.pick(['', '#'])}${random.below(40)}`;

const field = (random: Random): string[] =>
  random.pick([
    () => ['GET', fieldType(random), fieldOffset(random)],
    () => ['SET', fieldType(random), fieldOffset(random), settable(random)],
    () => ['INCRBY', fieldType(random), fieldOffset(random), number(random)],
    () => ['OVERFLOW', random.pick(['WRAP', 'SAT', 'FAIL', 'wrap', 'x'])],
  ])();

// Not the least number: saturating it is a wanted difference, `bitfield-saturate`.
function settable(random: Random): string {
  const chosen = number(random);
  return chosen === '-9223372036854775808' ? '-4611686018427387904' : chosen;
}

const BITMAPS: readonly ((random: Random) => AnyStep)[] = [
  (r) => ['SETBIT', key(r), bit(r), r.pick(['0', '1', '1', '2'])],
  (r) => ['SETBIT', key(r), bit(r), r.pick(['0', '1'])],
  (r) => ['GETBIT', key(r), bit(r)],
  (r) => ['BITCOUNT', key(r), ...range(r)],
  (r) => ['BITPOS', key(r), r.pick(['0', '1']), ...range(r)],
  (r) => ['BITOP', r.pick(['AND', 'OR', 'XOR', 'NOT', 'x']), key(r), ...keys(r)],
  (r) => ['BITOP', r.pick(['AND', 'OR', 'XOR']), key(r), ...keys(r)],
  (r) => ['BITFIELD', key(r), ...r.several(r.between(1, 4), () => field(r)).flat()],
  (r) => ['BITFIELD', key(r), ...r.several(r.between(1, 4), () => field(r)).flat()],
  (r) => ['BITFIELD_RO', key(r), 'GET', fieldType(r), fieldOffset(r)],
  (r) => ['GET', key(r)],
  set,
  (r) => ['SET', key(r), Buffer.from(r.several(r.below(40), () => r.below(256)))],
  (r) => ['DEL', ...keys(r)],
  (r) => ['STRLEN', key(r)],
  (r) => ['OBJECT', 'ENCODING', key(r)],
  (r) => ['INCR', key(r)],
];

const condition = (random: Random): string[] =>
  some(random, [['NX'], ['XX'], ['GT'], ['LT'], ['nosuch']]);

/** GT and LT would ask which of two equal spans began later. */
const presence = (random: Random): string[] => some(random, [['NX'], ['XX'], ['nosuch']]);

const DATABASES = ['0', '1', '2', '3', '16', '-1', 'x'];

/** Past deadlines delete at once, so DBSIZE does not depend on when. */
const GENERIC: readonly ((random: Random) => AnyStep)[] = [
  (r) => ['SET', key(r), value(r), ...r.pick([[], ['EX', '100000'], ['PXAT', FAR_MS]])],
  (r) => ['SET', key(r), value(r)],
  (r) => ['MSET', ...pairs(r)],
  (r) => ['GET', key(r)],
  (r) => ['MGET', ...keys(r)],
  (r) => [r.pick(['DEL', 'UNLINK', 'EXISTS', 'TOUCH']), ...keys(r)],
  (r) => ['TYPE', key(r)],
  (r) => [r.pick(['RENAME', 'RENAMENX']), key(r), key(r)],
  (r) => ['COPY', key(r), key(r), ...some(r, [['DB', r.pick(DATABASES)], ['REPLACE'], ['nosuch']])],
  (r) => ['COPY', key(r), key(r), 'REPLACE'],
  (r) => ['MOVE', key(r), r.pick(DATABASES)],
  (r) => ['EXPIRE', key(r), r.pick(['100000', '200000', '-1', '0', 'x']), ...presence(r)],
  (r) => ['PEXPIRE', key(r), r.pick(['100000000', '-5', '0', '1.5']), ...presence(r)],
  (r) => ['EXPIREAT', key(r), r.pick([FAR_S, '33177117421', '1', '-7']), ...condition(r)],
  (r) => ['PEXPIREAT', key(r), r.pick([FAR_MS, '33177117420999', '0']), ...condition(r)],
  (r) => ['PERSIST', key(r)],
  (r) => ['DBSIZE'].concat(r.chance(30) ? ['x'] : []),
  (r) => unordered(['KEYS', r.pick(['*', 'a', '[a-c]', '?', '{a}*', '*y', '\\*', ''])]),
  (r) => shape(['MEMORY', 'USAGE', key(r)]),
  (r) => ['OBJECT', 'ENCODING', key(r)],
  (r) => ['APPEND', key(r), value(r)],
  (r) => ['INCR', key(r)],
  (r) =>
    r.chance(12)
      ? [r.pick(['FLUSHDB', 'FLUSHALL']), ...r.pick([[], ['SYNC'], ['ASYNC']])]
      : ['PING'],
  (r) => (r.chance(6) ? ['SWAPDB', r.pick(DATABASES), r.pick(DATABASES)] : ['ECHO', value(r)]),
  (r) => (r.chance(3) ? ['SELECT', r.pick(DATABASES)] : ['SELECT', '0']),
];

const TRANSACTIONS: readonly ((random: Random) => AnyStep)[] = [
  () => ['MULTI'],
  () => ['EXEC'],
  () => ['EXEC'],
  (r) => ['WATCH', ...keys(r)],
  (r) => ['WATCH', key(r)],
  (r) => (r.chance(3) ? ['UNWATCH'] : ['PING']),
  (r) => (r.chance(3) ? ['DISCARD'] : ['EXEC']),
  (r) => (r.chance(8) ? ['RESET'] : ['GET', key(r)]),
  (r) => (r.chance(8) ? r.pick([['NOSUCH'], ['GET'], ['CONFIG', 'NOSUCH']]) : ['INCR', key(r)]),
];

/** Not compared inside an array of EXEC: they stand alone there, in an order of their own. */
const plain = (step: AnyStep): AnyStep => ('comparison' in step ? ['PING'] : step);

export const families: Readonly<Record<string, Family>> = {
  strings: (random) => random.pick(STRINGS)(random),
  bitmaps: (random) => random.pick(BITMAPS)(random),
  keys: (random) => random.pick(GENERIC)(random),
  transactions: (random) =>
    plain(random.pick(random.pick([TRANSACTIONS, TRANSACTIONS, GENERIC, STRINGS]))(random)),
};

/** Deadlines that pass between two bursts. */
export const mortal: Family = (random) => {
  const [k, soon] = [key(random), `${random.between(80, 120)}`];
  return random.pick<AnyStep>([
    ['SET', k, value(random), 'PX', soon],
    ['SET', k, '5', 'PX', soon],
    ['SET', k, '5'],
    ['PSETEX', k, soon, 'v'],
    ['PEXPIRE', k, soon],
    ['GETEX', k, 'PX', soon],
    ['PERSIST', k],
    ['RENAME', k, key(random)],
    ['COPY', k, key(random), 'REPLACE'],
    ['MOVE', k, '1'],
    ['APPEND', k, 'x'],
    ['SET', k, 'kept', 'KEEPTTL'],
    ['DEL', k],
    ['MSET', k, '1', key(random), '2'],
  ]);
};

export const afterwards: Family = (random) => {
  const k = key(random);
  return random.pick<AnyStep>([
    ['GET', k],
    ['EXISTS', k],
    ['TTL', k],
    ['TYPE', k],
    ['INCR', k],
    ['APPEND', k, 'z'],
    ['SETNX', k, 'n'],
    ['SET', k, 'v', 'XX'],
    ['SET', k, 'v', 'NX', 'GET'],
    ['SET', k, 'v', 'KEEPTTL'],
    ['GETDEL', k],
    ['RENAME', k, key(random)],
    ['RENAMENX', key(random), k],
    ['COPY', k, key(random)],
    ['STRLEN', k],
    ['SETBIT', k, '9', '1'],
    ['BITCOUNT', k],
    ['DEL', k],
    ['PERSIST', k],
    ['MGET', k],
    ['EXPIRE', k, '100000'],
    ['EXPIRETIME', k],
    ['OBJECT', 'ENCODING', k],
    ['TOUCH', k],
    ['MOVE', k, '1'],
    ['GETSET', k, 'g'],
    ['MSETNX', k, 'm'],
    ['LCS', k, key(random)],
    ['BITOP', 'OR', key(random), k],
  ]);
};
