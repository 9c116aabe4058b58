// Commands on the bits of strings.
import {
  block,
  commandsOf,
  int,
  key,
  keyAt,
  keysFrom,
  oneOf,
  optional,
  str,
  word,
} from './rows.ts';
import type { CommandRow } from './types.ts';

const row = commandsOf('bitmap');

export const bitmaps: readonly CommandRow[] = [
  row('SETBIT', {
    summary: 'Sets or clears one bit of a string and returns what it was.',
    since: '2.2.0',
    complexity: 'O(1)',
    arity: 4,
    route: 'by-key',
    flags: 'write denyoom',
    acl: 'bitmap',
    keys: [keyAt(1, 'RW access update')],
    args: [key(), int('offset'), int('value')],
  }),
  row('GETBIT', {
    summary: 'Returns one bit of a string.',
    since: '2.2.0',
    complexity: 'O(1)',
    arity: 3,
    route: 'by-key',
    flags: 'readonly fast',
    acl: 'bitmap',
    keys: [keyAt(1, 'RO access')],
    args: [key(), int('offset')],
  }),
  row('BITCOUNT', {
    summary: 'Counts the bits of a string, or of a part of it, that are set.',
    since: '2.6.0',
    complexity: 'O(N), N bytes counted',
    arity: -2,
    route: 'by-key',
    flags: 'readonly',
    acl: 'bitmap',
    keys: [keyAt(1, 'RO access')],
    args: [
      key(),
      optional(block('index', [
        int('start'),
        int('end'),
        optional(oneOf('index_unit', [word('BYTE'), word('BIT')], { since: '7.0.0' })),
      ])),
    ],
    history: [['7.0.0', 'Option `BYTE|BIT`.']],
  }),
  row('BITPOS', {
    summary: 'Finds the first bit of a string that is set, or the first that is clear.',
    since: '2.8.7',
    complexity: 'O(N), N bytes searched',
    arity: -3,
    route: 'by-key',
    flags: 'readonly',
    acl: 'bitmap',
    keys: [keyAt(1, 'RO access')],
    args: [
      key(),
      int('bit'),
      optional(block('index', [
        int('start'),
        optional(block('end_index', [
          int('end'),
          optional(oneOf('index_unit', [word('BYTE'), word('BIT')], { since: '7.0.0' })),
        ])),
      ])),
    ],
    history: [['7.0.0', 'Option `BYTE|BIT`.']],
  }),
  row('BITOP', {
    summary: 'Combines strings bit by bit and stores the result.',
    since: '2.6.0',
    complexity: 'O(N), N bytes of the longest string',
    arity: -4,
    route: 'by-keys',
    flags: 'write denyoom',
    acl: 'bitmap',
    keys: [keyAt(2, 'OW update'), keysFrom(3, -1, 'RO access')],
    args: [str('operation'), key('destkey'), key('key', 1, { multiple: true })],
  }),
  row('BITFIELD', {
    summary: 'Reads and writes integers of any width inside a string.',
    since: '3.2.0',
    complexity: 'O(1) for each operation',
    arity: -2,
    route: 'by-key',
    flags: 'write denyoom',
    acl: 'bitmap',
    keys: [keyAt(1, 'RW access update variable_flags', 'Reads and writes as its operations say')],
    args: [
      key(),
      optional(oneOf(
        'operation',
        [
          block('encoding_offset', [str('encoding'), int('offset')], { token: 'GET' }),
          block('write', [
            optional(oneOf(
              'wrap_sat_fail',
              [word('WRAP'), word('SAT'), word('FAIL')],
              { token: 'OVERFLOW' },
            )),
            oneOf('write_operation', [
              block(
                'encoding_offset_value',
                [str('encoding'), int('offset'), int('value')],
                { token: 'SET' },
              ),
              block(
                'encoding_offset_increment',
                [str('encoding'), int('offset'), int('increment')],
                { token: 'INCRBY' },
              ),
            ]),
          ]),
        ],
        { multiple: true },
      )),
    ],
  }),
  row('BITFIELD_RO', {
    summary: 'Reads integers of any width inside a string.',
    since: '6.0.0',
    complexity: 'O(1) for each operation',
    arity: -2,
    route: 'by-key',
    flags: 'readonly fast',
    acl: 'bitmap',
    keys: [keyAt(1, 'RO access')],
    args: [
      key(),
      optional(block(
        'encoding_offset',
        [str('encoding'), int('offset')],
        { token: 'GET', multiple: true, multipleToken: true },
      )),
    ],
  }),
];
