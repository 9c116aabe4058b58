// String commands, compared with redis-server byte by byte. A case starts with an empty database.
// Deadlines are asked for with EXPIRETIME, or with TTL where the answer is a whole number of
// seconds right after it was set: nothing here depends on how fast the servers are.
import { approximately, differs, type AnyStep, type DiffCase, type Step } from '../types.ts';

const BINARY = Buffer.from([0x00, 0xff, 0x0d, 0x0a, 0x24, 0x2d, 0x31, 0x0d, 0x0a, 0x80]);
const INT64_MAX = '9223372036854775807';
const INT64_MIN = '-9223372036854775808';
const FAR_S = '99999999999';
const FAR_MS = '99999999999999';

/** Texts that are no integer by Redis's strict rules, or out of range. */
const NO_INTEGERS = [
  '', ' ', 'abc', '1.5', '1e3', '0x10', '+1', '01', '-0', '-', ' 1', '1 ', '1\n', '--1',
  '9223372036854775808', '-9223372036854775809', '99999999999999999999999',
];

const each = <T, S extends AnyStep = Step>(values: readonly T[], steps: (value: T) => S[]): S[] =>
  values.flatMap(steps);

/** The state of one key: value, encoding, deadline. */
const state = (key: string): Step[] => [
  ['GET', key],
  ['OBJECT', 'ENCODING', key],
  ['EXPIRETIME', key],
];

// ---- SET ---------------------------------------------------------------------------------------

const SET_OPTIONS: readonly (readonly string[])[] = [
  ['NX'], ['XX'], ['GET'], ['KEEPTTL'], ['EX', '100'], ['PX', '100000'],
  ['EXAT', FAR_S], ['PXAT', FAR_MS],
];

const subsets = <T>(items: readonly T[]): T[][] =>
  items.reduce<T[][]>((sets, item) => [...sets, ...sets.map((set) => [...set, item])], [[]]);

const isAbsolute = (command: Step): boolean =>
  command.some((word) => /^(EX|PX)AT$/.test(`${word}`));

/** Sets up the three states that SET may find, runs the command in each, and looks. */
const inEveryState = (command: Step): AnyStep[] => {
  const left: Step = ['TTL', 'k'];
  const look: AnyStep[] = [['GET', 'k'], isAbsolute(command) ? approximately(5, left) : left];
  return [
    ['DEL', 'k'], command, ...look,
    ['SET', 'k', 'old'], command, ...look,
    ['SET', 'k', 'old', 'EX', '500'], command, ...look,
  ];
};

const EXPIRE_WORDS = ['EX', 'PX', 'EXAT', 'PXAT'];
const BAD_DEADLINES = [
  '0', '-1', INT64_MIN, INT64_MAX, '9223372036854776', '9223372036854775', ...NO_INTEGERS,
];

const setCases: DiffCase[] = [
  { name: 'set-get', steps: [['SET', 'k', 'v'], ['GET', 'k'], ['GET', 'none'], ['get', 'k']] },
  {
    name: 'set-values',
    steps: each<string | Buffer>(
      ['', 'v', BINARY, '123', '-5', '0', '-0', '007', '1.5', INT64_MAX, INT64_MIN, ' 1',
        '9223372036854775808', 'x'.repeat(15), 'x'.repeat(16), 'x'.repeat(44), 'x'.repeat(45),
        'x'.repeat(254), 'x'.repeat(255), 'x'.repeat(4000), '\r\n', '1'.repeat(21)],
      (value) => [['SET', 'k', value], ...state('k'), ['STRLEN', 'k']],
    ),
  },
  {
    name: 'set-binary-keys',
    steps: each<string | Buffer>(['', BINARY, 'k'.repeat(23), 'k'.repeat(24), 'k'.repeat(300)],
      (key) => [['SET', key, 'v'], ['GET', key], ['EXISTS', key], ['DEL', key], ['GET', key]]),
  },
  {
    name: 'set-large-values',
    steps: each([16383, 16384, 16385, 100000], (size) => [
      ['SET', 'k', 'v'.repeat(size)], ['STRLEN', 'k'], ['GET', 'k'],
      ['SET', 'k', 'w'.repeat(size), 'GET'], ['GET', 'k'],
      ['GETSET', 'k', 'x'.repeat(size)], ['GETEX', 'k', 'EX', '100'], ['MGET', 'k', 'k'],
      ['APPEND', 'k', 'tail'], ['GETRANGE', 'k', '-8', '-1'], ['SETRANGE', 'k', '0', 'head'],
      ['GETRANGE', 'k', '0', '20000'], ['GETRANGE', 'k', '1', '16384'], ['GETDEL', 'k'],
      ['APPEND', 'k', 'y'.repeat(size)], ['GET', 'k'], ['MSET', 'k', 'z'.repeat(size), 'l', 's'],
      ['MGET', 'k', 'l'], ['SET', 'k', 'small'], ['GET', 'k'],
    ]),
  },
  ...subsets(SET_OPTIONS).map((set): DiffCase => ({
    name: `set-options ${set.map((option) => option[0]).join(' ')}`,
    steps: [
      ...inEveryState(['SET', 'k', 'new', ...set.flat()]),
      ...inEveryState(['SET', 'k', '42', ...[...set].reverse().flat()]),
    ],
  })),
  {
    name: 'set-options-twice',
    steps: each(SET_OPTIONS, (option) => inEveryState(['SET', 'k', 'v', ...option, ...option])),
  },
  {
    name: 'set-options-last-unit-counts',
    steps: [['SET', 'k', 'v', 'EX', '50', 'EX', '70'], ['TTL', 'k'],
      ['SET', 'k', 'v', 'EX', 'bad', 'EX', '70'], ['SET', 'k', 'v', 'EX', '70', 'EX', 'bad'],
      ['SET', 'k', 'v', 'EX', '70', 'EX']],
  },
  {
    name: 'set-options-any-case',
    steps: [['set', 'k', 'v', 'ex', '100'], ['SeT', 'k', 'v', 'Xx', 'gEt', 'KeepTtl'],
      ['TTL', 'k'], ['SET', 'k', 'v', 'pXaT', FAR_MS], ['EXPIRETIME', 'k']],
  },
  {
    name: 'set-options-unknown',
    steps: each(
      ['FOO', '', 'E', 'EXX', 'EXATT', 'KEEPTTLX', 'KEEPTT', 'PERSIST', '\0NX', 'N\0',
        'LONGERTHANEIGHT', 'EX ', '%X', 'E\x18'],
      (word) => [['SET', 'k', 'v', word], ['SET', 'k', 'v', word, '100'], ['EXISTS', 'k']],
    ),
  },
  {
    name: 'set-options-zero-byte',
    steps: [
      differs('option-zero-byte', ['SET', 'k', 'v', 'NX\0'], '-ERR syntax error\r\n'),
      differs('option-zero-byte', ['SET', 'k', 'v', 'EX\0junk', '100'], '-ERR syntax error\r\n'),
    ],
  },
  {
    name: 'set-expire-errors',
    steps: each(EXPIRE_WORDS, (word) => [
      ...each(BAD_DEADLINES, (text): Step[] =>
        text === '9223372036854775' || text === INT64_MAX
          ? [['SET', 'k', 'v', word, text], ['DEL', 'k']]
          : [['SET', 'k', 'v', word, text], ['EXISTS', 'k'], ['DEL', 'k'],
              ['SET', 'k', 'v', word, text, 'NX', 'GET']]),
      ['SET', 'k', 'v', word],
      ['SET', 'k', 'v', 'NX', word],
    ]),
  },
  {
    name: 'set-far-deadlines',
    steps: [
      ['SET', 'k', 'v', 'PXAT', INT64_MAX], ['PEXPIRETIME', 'k'], ['EXPIRETIME', 'k'],
      ['SET', 'k', 'v', 'EXAT', '9223372036854775'], ['PEXPIRETIME', 'k'], ['GET', 'k'],
      ['SET', 'k', 'w', 'KEEPTTL'], ['PEXPIRETIME', 'k'], ['GETEX', 'k', 'PERSIST'],
      ['PEXPIRETIME', 'k'], ['GETEX', 'k', 'PXAT', '281474976710655'], ['PEXPIRETIME', 'k'],
      ['GETEX', 'k', 'PXAT', '281474976710656'], ['PEXPIRETIME', 'k'], ['INCR', 'k'],
    ],
  },
  {
    name: 'set-past-deadlines',
    steps: each([['EXAT', '1'], ['PXAT', '1'], ['PXAT', '1000000000000']], (option) => [
      ['SET', 'k', 'v', ...option], ['GET', 'k'], ['EXISTS', 'k'], ['TTL', 'k'],
      ['SET', 'k', 'v'], ['SET', 'k', 'w', 'GET', ...option], ['GET', 'k'],
      ['SET', 'k', 'v', ...option], ['SET', 'k', 'w', 'NX'], ['GET', 'k'],
      ['SET', 'k', 'v', ...option], ['SET', 'k', 'w', 'XX'], ['GET', 'k'],
      ['SET', 'k', '5', ...option], ['INCR', 'k'], ['TTL', 'k'],
      ['SET', 'k', 'v', ...option], ['APPEND', 'k', 'w'], ['TTL', 'k'],
      ['SET', 'k', 'v', ...option], ['MSETNX', 'k', 'a', 'l', 'b'], ['DEL', 'k', 'l'],
    ]),
  },
  {
    name: 'setnx',
    steps: [['SETNX', 'k', 'v'], ['SETNX', 'k', 'w'], ...state('k'), ['SET', 'k', 'v', 'EX', '100'],
      ['SETNX', 'k', 'w'], ['TTL', 'k'], ['SETNX', 'n', '12'], ...state('n'), ['SETNX', 'k']],
  },
  {
    name: 'setex',
    steps: [
      ['SETEX', 'k', '100', 'v'], ['TTL', 'k'], ['GET', 'k'], ['PSETEX', 'k', '50000', '12'],
      ['TTL', 'k'], ['OBJECT', 'ENCODING', 'k'], ['SET', 'k', 'v'], ['TTL', 'k'],
      ...each(BAD_DEADLINES.filter((text) => text !== '9223372036854775'), (text): Step[] => [
        ['SETEX', 'k', text, 'w'], ['PSETEX', 'k', text, 'w'], ['GET', 'k'],
      ]),
      ['SETEX', 'k', '100'], ['PSETEX', 'k', '100', 'v', 'x'],
    ],
  },
  {
    name: 'getset',
    steps: [['GETSET', 'k', 'a'], ['GETSET', 'k', 'b'], ['SET', 'k', '10', 'EX', '100'],
      ['GETSET', 'k', '11'], ...state('k'), ['GETSET', 'k', ''], ['GETSET', 'k', BINARY],
      ['GETSET', 'k', 'x'], ['GETSET', 'k']],
  },
];

// ---- GET and its relatives ---------------------------------------------------------------------

const GETEX_OPTIONS: readonly (readonly string[])[] = [
  ['PERSIST'], ['EX', '100'], ['PX', '100000'], ['EXAT', FAR_S], ['PXAT', FAR_MS],
];

const readCases: DiffCase[] = [
  {
    name: 'getdel',
    steps: [['GETDEL', 'k'], ['SET', 'k', 'v', 'EX', '100'], ['GETDEL', 'k'], ['EXISTS', 'k'],
      ['SET', 'k', '17'], ['GETDEL', 'k'], ['GETDEL', 'k'], ['GETDEL', 'k', 'x'], ['GETDEL']],
  },
  {
    name: 'getex',
    steps: [
      ['GETEX', 'none'], ['GETEX', 'none', 'EX', 'bad'], ['GETEX', 'none', 'EX', '0'],
      ['GETEX', 'none', 'FOO'], ['SET', 'k', 'v'], ['GETEX', 'k'], ['TTL', 'k'],
      ['GETEX', 'k', 'EX', '100'], ['TTL', 'k'], ['GETEX', 'k'], ['TTL', 'k'],
      ['GETEX', 'k', 'PERSIST'], ['TTL', 'k'], ['GETEX', 'k', 'PERSIST'], ['TTL', 'k'],
      ['GETEX', 'k', 'pxat', FAR_MS], ['PEXPIRETIME', 'k'], ['GETEX', 'k', 'EXAT', FAR_S],
      ['EXPIRETIME', 'k'], ['GETEX', 'k', 'EXAT', '1'], ['EXISTS', 'k'],
      ['SET', 'k', '12'], ['GETEX', 'k', 'PXAT', '1'], ['GETEX', 'k'], ['GETEX'],
    ],
  },
  {
    name: 'getex-options',
    steps: [
      ['SET', 'k', 'v'],
      ...subsets(GETEX_OPTIONS).flatMap((set): AnyStep[] => {
        const left: Step = ['TTL', 'k'];
        const look = isAbsolute(set.flat()) ? approximately(5, left) : left;
        return [['GETEX', 'k', ...set.flat()], look,
          ['GETEX', 'k', ...[...set].reverse().flat()], look];
      }),
      ...each(GETEX_OPTIONS, (option): Step[] => [['GETEX', 'k', ...option, ...option]]),
      ...each(['KEEPTTL', 'NX', 'XX', 'GET', '', 'PERSISTX'], (word): Step[] => [
        ['GETEX', 'k', word], ['GETEX', 'k', word, 'EX', '100'],
      ]),
    ],
  },
  {
    name: 'getex-expire-errors',
    steps: [
      ['SET', 'k', 'v', 'EX', '500'],
      ...each(EXPIRE_WORDS, (word): Step[] => [
        ['GETEX', 'k', word],
        ...each(BAD_DEADLINES.filter((text) => !text.startsWith('92233720368547')),
          (text): Step[] => [['GETEX', 'k', word, text], ['TTL', 'k']]),
      ]),
      ['GETEX', 'k', 'EX', '9223372036854776'], ['GETEX', 'k', 'EX', INT64_MAX],
      ['GETEX', 'k', 'PX', INT64_MAX], ['GETEX', 'k', 'EXAT', INT64_MAX],
    ],
  },
  {
    name: 'mget-mset',
    steps: [
      ['MSET', 'a', '1', 'b', BINARY, 'c', ''], ['MGET', 'a', 'b', 'c', 'none', 'a'],
      ['MSET', 'a', 'x', 'a', 'y'], ['GET', 'a'], ['SET', 'a', 'v', 'EX', '100'],
      ['MSET', 'a', '2'], ...state('a'), ['MSET'], ['MSET', 'a'], ['MSET', 'a', '1', 'b'],
      ['MGET'], ['MSETNX', 'a', '5', 'z', '6'], ['MGET', 'a', 'z'],
      ['MSETNX', 'x', '1', 'y', '2', 'x', '3'], ['MGET', 'x', 'y'], ['OBJECT', 'ENCODING', 'x'],
      ['MSETNX', 'x'], ['MSETNX', 'x', '1', 'y'], ['MSETNX', 'y', '1'],
      ['MSET', '{t}a', '1', '{t}b', '2'], ['MGET', '{t}b', '{t}a'],
    ],
  },
  {
    name: 'mget-mset-many',
    steps: [
      ['MSET', ...Array.from({ length: 200 }, (_, i) => [`k${i}`, `v${i}`]).flat()],
      ['MGET', ...Array.from({ length: 210 }, (_, i) => `k${i}`)],
      ['MSETNX', 'new', '1', 'k100', '2'], ['EXISTS', 'new'], ['DBSIZE'],
    ],
  },
  {
    name: 'strlen',
    steps: [['STRLEN', 'none'], ['SET', 'k', ''], ['STRLEN', 'k'], ['SET', 'k', '-12345'],
      ['STRLEN', 'k'], ['SET', 'k', INT64_MIN], ['STRLEN', 'k'], ['SET', 'k', BINARY],
      ['STRLEN', 'k'], ['STRLEN'], ['STRLEN', 'k', 'k']],
  },
];

// ---- parts of a value --------------------------------------------------------------------------

const INDEXES = [
  '0', '1', '4', '5', '6', '100', '-1', '-2', '-5', '-6', '-100', INT64_MAX, INT64_MIN,
];

const partCases: DiffCase[] = [
  ...(['GETRANGE', 'SUBSTR'] as const).map((command): DiffCase => ({
    name: command.toLowerCase(),
    steps: [
      ['SET', 's', 'Hello'], ['SET', 'n', '-1234'], ['SET', 'empty', ''],
      ...each(INDEXES, (start) => each(INDEXES, (end): Step[] => [
        [command, 's', start, end], [command, 'n', start, end],
      ])),
      ...each(['s', 'empty', 'none'], (key): Step[] => [
        [command, key, '0', '-1'], [command, key, '-1', '0'], [command, key, '5', '3'],
        [command, key, 'a', '1'], [command, key, '1', 'b'], [command, key, '1.0', '2'],
      ]),
      [command, 's', '0'], [command, 's', '0', '1', '2'],
    ],
  })),
  {
    name: 'append',
    steps: [
      ['APPEND', 'k', ''], ...state('k'), ['APPEND', 'k', 'a'], ['APPEND', 'k', BINARY],
      ...state('k'), ['APPEND', 'n', '12'], ...state('n'), ['APPEND', 'n', '3'], ...state('n'),
      ['INCR', 'n'], ...state('n'), ['SET', 't', 'v', 'EX', '100'], ['APPEND', 't', 'w'],
      ['TTL', 't'], ['SET', 'e', '5'], ['APPEND', 'e', ''], ...state('e'), ['APPEND', 'e'],
      ['SET', 'long', 'x'.repeat(44)], ['APPEND', 'long', 'y'], ...state('long'),
    ],
  },
  {
    name: 'append-growth',
    steps: [
      ...Array.from({ length: 60 }, (_, i): Step => ['APPEND', 'k', 'z'.repeat(i * 20)]),
      ['STRLEN', 'k'], ['GET', 'k'],
    ],
  },
  {
    name: 'setrange',
    steps: [
      ['SETRANGE', 'none', '5', ''], ['EXISTS', 'none'], ['SETRANGE', 'k', '0', 'abc'],
      ...state('k'), ['SETRANGE', 'k', '1', 'X'], ...state('k'), ['SETRANGE', 'k', '6', 'yz'],
      ...state('k'), ['SETRANGE', 'k', '3', ''], ['GET', 'k'], ['SETRANGE', 'n', '3', '9'],
      ['GET', 'n'], ['SET', 'n', '12345', 'EX', '100'], ['SETRANGE', 'n', '1', '0'],
      ['GET', 'n'], ['TTL', 'n'], ['OBJECT', 'ENCODING', 'n'], ['INCR', 'n'],
      ['SETRANGE', 'k', '-1', 'x'], ['SETRANGE', 'k', '-1', ''], ['SETRANGE', 'none', '-1', ''],
      ['SETRANGE', 'k', '536870912', 'x'], ['SETRANGE', 'k', '536870911', 'xy'],
      ['SETRANGE', 'k', INT64_MAX, 'x'], ['SETRANGE', 'none', '536870912', 'x'],
      ['SETRANGE', 'k', '536870912', ''], ['SETRANGE', 'none', '536870912', ''],
      ...each(NO_INTEGERS, (text): Step[] => [['SETRANGE', 'k', text, 'x']]),
      ['SETRANGE', 'k', '1'], ['GET', 'k'], ['EXISTS', 'none'],
      ['SETRANGE', 'far', '100000', 'x'], ['STRLEN', 'far'], ['GET', 'far'],
    ],
  },
];

// ---- counters ----------------------------------------------------------------------------------

const NO_COUNTERS = [...NO_INTEGERS, '1'.repeat(30), INT64_MAX + '0'];

const counterCases: DiffCase[] = [
  {
    name: 'incr-decr',
    steps: [
      ['INCR', 'k'], ['INCR', 'k'], ...state('k'), ['DECR', 'k'], ['DECRBY', 'k', '5'],
      ['INCRBY', 'k', '-7'], ['INCRBY', 'k', '100'], ...state('k'), ['DECR', 'd'],
      ['DECRBY', 'e', '-3'], ['SET', 't', '9999', 'EX', '100'], ['INCR', 't'], ['TTL', 't'],
      ['INCRBY', 'k', '0'], ['SET', 'k', '2147483647'], ['INCR', 'k'], ['DECR', 'k'],
      ['SET', 'k', '-2147483648'], ['DECR', 'k'], ...state('k'), ['INCR'], ['INCR', 'k', '1'],
      ['INCRBY', 'k'], ['DECRBY', 'k'],
    ],
  },
  {
    name: 'incr-limits',
    steps: [
      ['SET', 'k', INT64_MAX], ['INCR', 'k'], ['INCRBY', 'k', INT64_MAX], ['GET', 'k'],
      ['DECRBY', 'k', INT64_MAX], ['INCRBY', 'k', INT64_MAX], ['DECR', 'k'],
      ['SET', 'k', INT64_MIN], ['DECR', 'k'], ['INCRBY', 'k', INT64_MIN],
      ['DECRBY', 'k', INT64_MAX], ['INCRBY', 'k', INT64_MAX], ...state('k'),
      ['DECRBY', 'k', INT64_MIN], ['INCRBY', 'none', INT64_MIN], ['DECRBY', 'none', INT64_MIN],
      ['GET', 'none'],
    ],
  },
  {
    name: 'incr-bad-values',
    steps: each(NO_COUNTERS, (text): Step[] => [
      ['SET', 'k', text], ['INCR', 'k'], ['DECR', 'k'], ['INCRBY', 'k', '5'], ['GET', 'k'],
      ['SET', 'n', '1'], ['INCRBY', 'n', text], ['DECRBY', 'n', text], ['GET', 'n'],
    ]),
  },
  {
    name: 'incr-of-texts',
    steps: [['SETRANGE', 'k', '0', '41'], ['INCR', 'k'], ...state('k'), ['APPEND', 'k', '0'],
      ['INCR', 'k'], ...state('k')],
  },
  {
    name: 'incrbyfloat',
    steps: [
      ...each(['10.5', '0.1', '-5', '5.0e3', '0', '-0', '3', '1e-17', '1e-20', '0x10', '0x1p-2',
        '.5', '5.', '+2', '123456789012345678', '1e18', '-1e18', '0.00000000000000001'],
        (text): Step[] => [
          ['INCRBYFLOAT', 'k', text], ...state('k'),
          ['SET', 'v', text], ['INCRBYFLOAT', 'v', '1'], ...state('v'),
          ['DEL', 'n'], ['INCRBYFLOAT', 'n', text], ...state('n'),
        ]),
      ['SET', 't', '3.0', 'EX', '100'], ['INCRBYFLOAT', 't', '1'], ['GET', 't'], ['TTL', 't'],
      ['INCR', 't'], ['GET', 't'], ['SET', 'i', '3'], ['INCRBYFLOAT', 'i', '0.25'],
      ['INCRBYFLOAT', 'i', '-0.25'], ...state('i'), ['INCR', 'i'], ...state('i'),
      ['INCRBYFLOAT', 'k'], ['INCRBYFLOAT', 'k', '1', '2'],
    ],
  },
  {
    name: 'incrbyfloat-limits',
    steps: [
      ['SET', 'k', '1e4000'], ['INCRBYFLOAT', 'k', '1'], ['STRLEN', 'k'],
      ['SET', 'k', '1.18e4932'], ['INCRBYFLOAT', 'k', '1.18e4932'], ['STRLEN', 'k'],
      ['SET', 'k', '1'], ['INCRBYFLOAT', 'k', 'inf'], ['INCRBYFLOAT', 'k', '-inf'],
      ['INCRBYFLOAT', 'k', 'infinity'], ['INCRBYFLOAT', 'k', 'nan'], ['SET', 'k', 'inf'],
      ['INCRBYFLOAT', 'k', '-inf'], ['INCRBYFLOAT', 'k', '1'], ['SET', 'k', 'nan'],
      ['INCRBYFLOAT', 'k', '1'], ['GET', 'k'], ['INCRBYFLOAT', 'none', '1e5000'],
      ['INCRBYFLOAT', 'none', '1e-5000'], ['EXISTS', 'none'],
      ...each([INT64_MAX, INT64_MIN], (text): Step[] => [
        ['SET', 'k', text], ['INCRBYFLOAT', 'k', '1'], ['INCRBYFLOAT', 'k', '-1'],
      ]),
    ],
  },
  {
    name: 'incrbyfloat-bad-values',
    steps: each(['', ' ', 'abc', '1 ', ' 1', '1.5x', '--1', '1e', '0x', '1,5', '1\0',
      '1'.repeat(5200)], (text): Step[] => [
      ['SET', 'k', text], ['INCRBYFLOAT', 'k', '1'], ['SET', 'n', '1'],
      ['INCRBYFLOAT', 'n', text], ['GET', 'n'], ['INCRBYFLOAT', 'none', text], ['EXISTS', 'none'],
    ]),
  },
];

// ---- LCS ---------------------------------------------------------------------------------------

const LCS_PAIRS: readonly (readonly [string, string])[] = [
  ['ohmytext', 'mynewtext'], ['abcabc', 'abcabc'], ['abc', 'xyz'], ['', 'abc'], ['aaaa', 'aa'],
  ['abcdefabcdef', 'fedcbafedcba'], ['1234', '2341'], ['aXbXcX', 'abcX'], ['ab', 'ba'],
  ['GATTACAGATTACAGATTACA'.repeat(6), 'GCATGCUGCATGCU'.repeat(9)],
  ['x'.repeat(64), 'x'.repeat(65)], ['xy'.repeat(70), 'yx'.repeat(70)],
];

const LCS_OPTIONS: readonly (readonly string[])[] = [
  [], ['LEN'], ['IDX'], ['IDX', 'WITHMATCHLEN'], ['IDX', 'MINMATCHLEN', '2'],
  ['IDX', 'MINMATCHLEN', '3', 'WITHMATCHLEN'], ['idx', 'minmatchlen', '0'],
  ['IDX', 'MINMATCHLEN', '-5'], ['IDX', 'MINMATCHLEN', INT64_MAX], ['WITHMATCHLEN'],
  ['MINMATCHLEN', '4'], ['LEN', 'MINMATCHLEN', '4', 'WITHMATCHLEN'], ['LEN', 'LEN'],
  ['LEN', 'IDX'], ['IDX', 'LEN', 'FOO'], ['FOO'], ['MINMATCHLEN'], ['MINMATCHLEN', 'x'],
  ['MINMATCHLEN', '1.5', 'IDX'], ['IDX', 'MINMATCHLEN', '1', 'MINMATCHLEN', '4'],
];

const lcsCases: DiffCase[] = [
  ...LCS_PAIRS.map(([a, b]): DiffCase => ({
    name: `lcs ${a.slice(0, 12)} ${b.slice(0, 12)}`,
    steps: [['MSET', 'a', a, 'b', b],
      ...each(LCS_OPTIONS, (options): Step[] => [
        ['LCS', 'a', 'b', ...options], ['LCS', 'b', 'a', ...options],
      ])],
  })),
  {
    name: 'lcs-missing-keys',
    steps: [['SET', 'a', 'abc'],
      ...each(LCS_OPTIONS, (options): Step[] => [
        ['LCS', 'a', 'none', ...options], ['LCS', 'none', 'a', ...options],
        ['LCS', 'none', 'nothing', ...options], ['LCS', 'a', 'a', ...options],
      ]), ['LCS'], ['LCS', 'a']],
  },
  {
    name: 'lcs-memory-limit',
    steps: [['SETRANGE', 'a', '12000', 'x'], ['SETRANGE', 'b', '12000', 'x'],
      ['LCS', 'a', 'b'], ['LCS', 'a', 'b', 'LEN'], ['LCS', 'a', 'b', 'IDX'],
      ['LCS', 'a', 'b', 'LEN', 'IDX'], ['SET', 'c', 'x'], ['LCS', 'a', 'c', 'IDX']],
  },
];

export const strings: DiffCase[] = [
  ...setCases, ...readCases, ...partCases, ...counterCases, ...lcsCases,
];
