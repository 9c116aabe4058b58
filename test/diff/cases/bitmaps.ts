// Bitmap commands, compared with redis-server byte by byte. A case starts with an empty database.
import { differs, type DiffCase, type Step } from '../types.ts';

const INT64_MAX = '9223372036854775807';
const INT64_MIN = '-9223372036854775808';

const each = <T>(values: readonly T[], steps: (value: T) => Step[]): Step[] =>
  values.flatMap(steps);

const state = (key: string): Step[] => [['GET', key], ['OBJECT', 'ENCODING', key], ['TTL', key]];

/** Neither a bit's position nor, with a '#' before it, a field's. */
const NO_OFFSETS = [
  '', 'a', '-1', '1.5', ' 1', '01', '+1', '4294967296', '99999999999', INT64_MAX, INT64_MIN,
  '9223372036854775808', '#', '#-1', '#a', '##1',
];

// ---- single bits -------------------------------------------------------------------------------

const bitCases: DiffCase[] = [
  {
    name: 'setbit-getbit',
    steps: [
      ['SETBIT', 'k', '7', '1'], ...state('k'), ['SETBIT', 'k', '7', '1'],
      ['SETBIT', 'k', '7', '0'], ['SETBIT', 'k', '30', '0'], ['STRLEN', 'k'],
      ['SETBIT', 'k', '0', '1'], ['GET', 'k'],
      ...each(['0', '1', '7', '8', '31', '32', '4294967295'], (bit): Step[] => [
        ['GETBIT', 'k', bit], ['GETBIT', 'none', bit],
      ]),
      ['SET', 'n', '1'], ['GETBIT', 'n', '2'], ['GETBIT', 'n', '7'], ['GETBIT', 'n', '8'],
      ['SETBIT', 'n', '6', '1'], ...state('n'), ['INCR', 'n'],
      ['SET', 't', 'v', 'EX', '100'], ['SETBIT', 't', '100', '1'], ...state('t'),
      ['SETBIT', 'far', '1000000', '1'], ['STRLEN', 'far'], ['GETBIT', 'far', '1000000'],
      ['GETBIT', 'far', '999999'], ['BITCOUNT', 'far'], ['BITPOS', 'far', '1'],
      ['SETBIT', 'far', '500000', '1'], ['BITPOS', 'far', '1'],
    ],
  },
  {
    name: 'setbit-getbit-errors',
    steps: [
      ...each(NO_OFFSETS, (offset): Step[] => [
        ['SETBIT', 'k', offset, '1'], ['SETBIT', 'k', offset, '2'], ['GETBIT', 'k', offset],
        ['GETBIT', 'none', offset],
      ]),
      ...each(['2', '-1', '', 'a', '01', '1.0', ' 1', INT64_MAX, '9223372036854775808'],
        (value): Step[] => [['SETBIT', 'k', '0', value], ['SETBIT', 'k', '-1', value]]),
      ['EXISTS', 'k'], ['SETBIT', 'k', '1'], ['SETBIT', 'k', '1', '1', '1'], ['GETBIT', 'k'],
      ['GETBIT', 'k', '1', '1'],
    ],
  },
  {
    name: 'setbit-every-bit',
    steps: [
      ...Array.from({ length: 70 }, (_, i): Step => ['SETBIT', 'k', `${(i * 37) % 70}`, '1']),
      ['GET', 'k'],
      ...Array.from({ length: 70 }, (_, i): Step[] => [
        ['SETBIT', 'k', `${(i * 11) % 70}`, '0'], ['BITCOUNT', 'k'], ['BITPOS', 'k', '0'],
        ['BITPOS', 'k', '1'],
      ]).flat(),
    ],
  },
];

// ---- ranges ------------------------------------------------------------------------------------

const RANGE_VALUES: readonly (string | Buffer)[] = [
  Buffer.from([0x00, 0xff, 0xf0]), Buffer.from([0xff, 0xff, 0xff]), Buffer.from([0x00, 0x00]),
  'foobar', '123', Buffer.from([0xff]), '',
];

const RANGE_INDEXES = [
  '0', '1', '2', '3', '5', '8', '13', '23', '24', '100', '-1', '-2', '-3', '-4', '-9', '-24',
  '-100', INT64_MAX, INT64_MIN,
];

const UNITS: readonly (readonly string[])[] = [[], ['BYTE'], ['BIT'], ['bit'], ['Byte']];

const rangeSteps = (value: string | Buffer): Step[] => [
  ['SET', 'k', value], ['BITCOUNT', 'k'], ['BITPOS', 'k', '0'], ['BITPOS', 'k', '1'],
  ...each(RANGE_INDEXES, (start) => [
    ['BITPOS', 'k', '0', start], ['BITPOS', 'k', '1', start],
    ...each(RANGE_INDEXES, (end) => each(UNITS.slice(0, 3), (unit): Step[] => [
      ['BITCOUNT', 'k', start, end, ...unit],
      ['BITPOS', 'k', '0', start, end, ...unit], ['BITPOS', 'k', '1', start, end, ...unit],
    ])),
  ]),
];

const LONG = Buffer.concat([Buffer.alloc(100, 0), Buffer.from('ab'), Buffer.alloc(100, 255)]);

const rangeCases: DiffCase[] = [
  ...RANGE_VALUES.map((value, i): DiffCase => ({
    name: `bitcount-bitpos ${i}`,
    steps: rangeSteps(value),
  })),
  {
    name: 'bitcount-bitpos-long',
    steps: [
      ['SET', 'k', LONG], ['BITCOUNT', 'k'],
      ...Array.from({ length: 120 }, (_, i): Step[] => {
        const start = `${i * 13}`;
        const end = `${1615 - i * 7}`;
        return [
          ['BITCOUNT', 'k', start, end, 'BIT'], ['BITPOS', 'k', '1', start, end, 'BIT'],
          ['BITPOS', 'k', '0', start, end, 'BIT'], ['BITPOS', 'k', '1', `${i}`],
          ['BITPOS', 'k', '0', `${i}`], ['BITCOUNT', 'k', `${i}`, `-${i}`],
        ];
      }).flat(),
    ],
  },
  {
    name: 'bitcount-errors',
    steps: [
      ['SET', 'k', 'foobar'],
      ...each(['k', 'none'], (key): Step[] => [
        ['BITCOUNT', key, '1'], ['BITCOUNT', key, '1', '2', 'FOO'], ['BITCOUNT', key, 'a', '2'],
        ['BITCOUNT', key, '1', 'b'], ['BITCOUNT', key, '1', '2', 'BIT', 'x'],
        ['BITCOUNT', key, '-1', '-2', 'FOO'], ['BITCOUNT', key, '5', '1', 'FOO'],
        ['BITCOUNT', key, 'a', 'b', 'FOO'], ['BITCOUNT', key, '1', '2', ''],
      ]),
      ['BITCOUNT'],
    ],
  },
  {
    name: 'bitpos-errors',
    steps: [
      ['SET', 'k', 'foobar'],
      ...each(['k', 'none'], (key): Step[] => [
        ['BITPOS', key, '2'], ['BITPOS', key, '-1'], ['BITPOS', key, 'a'], ['BITPOS', key, ''],
        ['BITPOS', key, '1', 'a'], ['BITPOS', key, '1', '0', 'b'],
        ['BITPOS', key, '1', '0', '1', 'FOO'], ['BITPOS', key, '1', 'a', 'b', 'FOO'],
        ['BITPOS', key, '1', '0', 'b', 'FOO'], ['BITPOS', key, '1', '0', 'b', 'BIT'],
        ['BITPOS', key, '1', '0', '1', 'BIT', 'x'], ['BITPOS', key, '0', '0', '1', 'BIT', 'x'],
        ['BITPOS', key, '1', '0', 'BIT'], ['BITPOS', key, '01'],
      ]),
      ['BITPOS', 'k'], ['BITPOS'],
    ],
  },
  {
    name: 'bit-units',
    steps: [['SET', 'k', 'foobar'],
      ...each(UNITS, (unit): Step[] => [
        ['BITCOUNT', 'k', '1', '9', ...unit], ['BITPOS', 'k', '1', '1', '9', ...unit],
      ])],
  },
];

// ---- BITOP -------------------------------------------------------------------------------------

const OPERATIONS = ['AND', 'OR', 'XOR'];
const pattern = (seed: number, size: number): Buffer =>
  Buffer.from(Array.from({ length: size }, (_, i) => (i * seed + (i >> 3)) & 255));

const MANY = Array.from({ length: 40 }, (_, i) => `many${i}`);

const bitopCases: DiffCase[] = [
  {
    name: 'bitop',
    steps: [
      ['MSET', 'a', 'foobar', 'b', 'abcdef', 'short', 'xy', 'n', '12', 'empty', '',
        'long', pattern(7, 5000), 'longer', pattern(13, 9001), 'huge', pattern(3, 40000)],
      ...each(OPERATIONS, (op) => each(
        [['a', 'b'], ['a'], ['a', 'a'], ['a', 'short'], ['short', 'a'], ['a', 'n'],
          ['a', 'empty'], ['empty'], ['none'], ['none', 'a'], ['a', 'none', 'b'],
          ['long', 'longer'], ['longer', 'long', 'a'], ['huge', 'long'], ['huge', 'huge'],
          ['none', 'empty']],
        (sources): Step[] => [['BITOP', op, 'd', ...sources], ...state('d')],
      )),
      ...each(['a', 'n', 'empty', 'none', 'long', 'huge'], (source): Step[] => [
        ['BITOP', 'NOT', 'd', source], ...state('d'),
      ]),
      ['BITOP', 'not', 'd', 'a'], ['BITOP', 'And', 'd', 'a', 'b'], ['GET', 'd'],
    ],
  },
  {
    name: 'bitop-many-sources',
    steps: [
      ['MSET', ...MANY.flatMap((key, i) => [key, pattern(i + 1, 10 + i)])],
      ['MSET', 'many3', '77', 'many20', '123456', 'many30', '-5'],
      ...each(OPERATIONS, (op) => each([15, 16, 17, 40], (count): Step[] => [
        ['BITOP', op, 'd', ...MANY.slice(0, count)], ['GET', 'd'],
      ])),
    ],
  },
  {
    name: 'bitop-onto-itself',
    steps: [
      ['SET', 'a', 'foobar', 'EX', '100'], ['BITOP', 'NOT', 'a', 'a'], ...state('a'),
      ['BITOP', 'OR', 'a', 'a', 'a'], ...state('a'), ['SET', 'n', '5'],
      ['BITOP', 'XOR', 'a', 'a', 'n'], ...state('a'), ['BITOP', 'AND', 'a', 'none'],
      ['EXISTS', 'a'], ['BITOP', 'AND', 'a', 'none'],
    ],
  },
  {
    name: 'bitop-errors',
    steps: [
      ['SET', 'a', 'x'], ['BITOP', 'NAND', 'd', 'a'], ['BITOP', '', 'd', 'a'],
      ['BITOP', 'NOT', 'd', 'a', 'a'], ['BITOP', 'AND', 'd'], ['BITOP', 'ANDX', 'd', 'a'],
      ['BITOP', 'AND'], ['EXISTS', 'd'],
    ],
  },
];

// ---- BITFIELD ----------------------------------------------------------------------------------

const TYPES = ['u1', 'u8', 'i8', 'u5', 'i5', 'u16', 'i32', 'u63', 'i64', 'i1', 'u33', 'i63'];
const OFFSETS = ['0', '3', '8', '13', '#0', '#1', '#3'];
const OPERANDS = [
  '0', '1', '-1', '5', '127', '128', '255', '256', '-128', '-129', '65535', '4294967296',
  INT64_MAX, INT64_MIN,
];
/** Redis saturates this one to the wrong side; see bitfield-saturate. */
const fitsRedis = (type: string, overflow: readonly string[], operand: string): boolean =>
  !(overflow.includes('SAT') && operand === INT64_MIN && type.startsWith('i') && type !== 'i64');
const OVERFLOWS: readonly (readonly string[])[] = [
  [], ['OVERFLOW', 'WRAP'], ['OVERFLOW', 'SAT'], ['OVERFLOW', 'FAIL'],
];
const BAD_TYPES = [
  '', 'u', 'i', 'u0', 'i0', 'u64', 'i65', 'x8', 'U8', 'I8', '8', 'u-1', 'u8x', 'u 8', 'u08', 'ii8',
];

const fieldCases: DiffCase[] = [
  {
    name: 'bitfield-get',
    steps: [
      ['SET', 'k', Buffer.from([0xa5, 0x5a, 0xff, 0x00, 0x80, 0x7f, 0x01, 0xfe, 0x33, 0xcc])],
      ['SET', 'n', '123'],
      ...each(TYPES, (type) => each([...OFFSETS, '79', '80', '100', '4294967295'],
        (offset): Step[] => [
          ['BITFIELD', 'k', 'GET', type, offset], ['BITFIELD_RO', 'k', 'GET', type, offset],
          ['BITFIELD', 'none', 'GET', type, offset], ['BITFIELD_RO', 'n', 'GET', type, offset],
        ])),
      ['EXISTS', 'none'], ['BITFIELD', 'k'], ['BITFIELD_RO', 'k'], ['BITFIELD', 'none'],
      ['BITFIELD', 'k', 'OVERFLOW', 'SAT'], ['OBJECT', 'ENCODING', 'n'],
    ],
  },
  ...TYPES.map((type): DiffCase => ({
    name: `bitfield-set-incrby ${type}`,
    steps: each(OVERFLOWS, (overflow) => [
      ['DEL', 'k'],
      ...each(OFFSETS, (offset) => each(OPERANDS, (operand): Step[] => [
        ...(fitsRedis(type, overflow, operand)
          ? [['BITFIELD', 'k', ...overflow, 'SET', type, offset, operand, 'GET', type, offset]]
          : []),
        ['BITFIELD', 'k', ...overflow, 'INCRBY', type, offset, operand],
      ])),
      ['GET', 'k'],
    ]),
  })),
  {
    name: 'bitfield-saturate',
    steps: [
      ['BITFIELD', 'k', 'OVERFLOW', 'SAT', 'SET', 'i8', '0', '-9000000000000000000'],
      ['BITFIELD', 'k', 'GET', 'i8', '0'],
      ['BITFIELD', 'k', 'OVERFLOW', 'SAT', 'SET', 'i8', '0', INT64_MIN],
      differs('bitfield-saturate', ['BITFIELD', 'k', 'GET', 'i8', '0'], '*1\r\n:-128\r\n'),
    ],
  },
  {
    name: 'bitfield-several',
    steps: [
      ['BITFIELD', 'k', 'SET', 'u8', '0', '200', 'INCRBY', 'u8', '0', '100', 'GET', 'i8', '0'],
      ['BITFIELD', 'k', 'OVERFLOW', 'FAIL', 'INCRBY', 'u8', '0', '250', 'OVERFLOW', 'SAT',
        'INCRBY', 'u8', '0', '250', 'OVERFLOW', 'WRAP', 'INCRBY', 'u8', '0', '250'],
      ...state('k'), ['BITFIELD', 'k', 'get', 'u4', '#1', 'set', 'u4', '#40', '9'],
      ['STRLEN', 'k'], ['GET', 'k'], ['SET', 't', '11', 'EX', '100'],
      ['BITFIELD', 't', 'INCRBY', 'u8', '0', '1'], ...state('t'),
      ['BITFIELD', 'new', 'OVERFLOW', 'FAIL', 'SET', 'u8', '100', '256'], ['GET', 'new'],
      ['BITFIELD', 'far', 'SET', 'i64', '1000003', '-2', 'GET', 'i64', '1000003'],
      ['STRLEN', 'far'], ['BITCOUNT', 'far'],
    ],
  },
  {
    name: 'bitfield-errors',
    steps: [
      ...each(['BITFIELD', 'BITFIELD_RO'], (command) => [
        ...each(BAD_TYPES, (type): Step[] => [
          [command, 'k', 'GET', type, '0'], [command, 'k', 'SET', type, '0', '1'],
        ]),
        ...each(NO_OFFSETS, (offset): Step[] => [
          [command, 'k', 'GET', 'u8', offset], [command, 'k', 'INCRBY', 'u8', offset, '1'],
        ]),
        ...each(['', 'a', '1.5', '9223372036854775808'], (operand): Step[] => [
          [command, 'k', 'SET', 'u8', '0', operand], [command, 'k', 'INCRBY', 'i8', '0', operand],
        ]),
        ...each<Step>([
          ['GET'], ['GET', 'u8'], ['SET', 'u8', '0'], ['INCRBY', 'u8', '0'], ['OVERFLOW'],
          ['OVERFLOW', 'FOO'], ['FOO'], ['FOO', 'u8', '0'], ['GET', 'u8', '0', 'GET'],
          ['SET', 'u8', '0', '1', 'GET', 'u64', '0'], ['SET', 'u8', '0', '1'],
          ['GET', 'u8', '0', 'INCRBY', 'u8', '0', '1'], ['OVERFLOW', '', 'GET', 'u8', '0'],
          ['GET', 'u8', '#536870912'], ['GET', 'u8', '#536870911'], ['GET', 'u1', '4294967295'],
        ], (words): Step[] => [[command, 'k', ...words]]),
      ]),
      ['GET', 'k'], ['BITFIELD'], ['BITFIELD_RO'],
    ],
  },
];

export const bitmaps: DiffCase[] = [...bitCases, ...rangeCases, ...bitopCases, ...fieldCases];
