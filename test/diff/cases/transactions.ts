// MULTI, EXEC, DISCARD, WATCH, UNWATCH on one connection. What other clients change meanwhile is
// in test/cases/transactions.ts.
import type { DiffCase, Step } from '../types.ts';

const w = (line: string): string[] => line.split(' ');
const steps = (...lines: readonly string[]): Step[] => lines.map(w);

const told: readonly DiffCase[] = [
  {
    name: 'EXEC answers what each command answered',
    steps: steps(
      'MULTI', 'SET a 1', 'INCR a', 'GET a', 'GET nothing', 'MGET a nothing', 'APPEND a x',
      'INCR a', 'SETNX a z', 'PING', 'PING text', 'ECHO text', 'OBJECT ENCODING a', 'DEL a',
      'CONFIG GET hz', 'BITFIELD b SET u8 0 255 GET u8 0', 'EXEC', 'GET a', 'EXISTS b',
    ),
  },
  {
    name: 'an empty transaction',
    steps: steps('MULTI', 'EXEC', 'MULTI', 'DISCARD', 'EXEC', 'DISCARD'),
  },
  {
    name: 'EXEC and DISCARD without MULTI',
    steps: steps('EXEC', 'DISCARD', 'EXEC x', 'DISCARD x', 'MULTI x', 'MULTI', 'PING', 'EXEC'),
  },
  {
    name: 'MULTI within MULTI and WATCH within MULTI spoil nothing',
    steps: steps(
      'MULTI', 'MULTI', 'SET a 1', 'WATCH a', 'UNWATCH', 'EXEC', 'GET a', 'MULTI', 'WATCH', 'GET a',
      'EXEC',
    ),
  },
  {
    name: 'what cannot be queued aborts',
    steps: steps(
      'MULTI', 'SET a 1', 'NOSUCH x', 'SET a 2', 'EXEC', 'EXISTS a', 'EXEC',
      'MULTI', 'GET', 'EXEC', 'MULTI', 'CONFIG NOSUCH', 'EXEC', 'MULTI', 'OBJECT ENCODING', 'EXEC',
      'MULTI', 'NOSUCH', 'DISCARD', 'SET a 3', 'GET a', 'MULTI', 'CLIENT', 'SET a 4', 'EXEC',
      'GET a', 'MULTI', 'EXEC x', 'SET a 5', 'EXEC', 'GET a', 'MULTI', 'DISCARD x', 'EXEC',
    ),
  },
  {
    name: 'errors while it runs stop nothing',
    steps: steps(
      'SET text abc', 'MULTI', 'INCR text', 'SET a 1', 'SETRANGE a -1 x', 'INCRBY a x', 'INCR a',
      'EXPIRE a x', 'SELECT 99', 'COPY a a', 'EXEC', 'GET a',
    ),
  },
  {
    name: 'DISCARD forgets',
    steps: steps('SET a 1', 'MULTI', 'SET a 2', 'FLUSHALL', 'DISCARD', 'GET a', 'EXEC', 'GET a'),
  },
  {
    name: 'SELECT takes effect within the transaction and stays',
    steps: steps(
      'SET a zero', 'MULTI', 'SELECT 1', 'GET a', 'SET a one', 'SELECT 0', 'GET a', 'SELECT 1',
      'EXEC', 'GET a', 'FLUSHDB', 'SELECT 0', 'GET a',
    ),
  },
  {
    name: 'commands over all keys',
    steps: steps(
      'MSET a 1 b 2 c 3', 'MULTI', 'DBSIZE', 'FLUSHDB', 'DBSIZE', 'SET a 1', 'RANDOMKEY', 'KEYS *',
      'SCAN 0', 'SWAPDB 0 1', 'DBSIZE', 'EXEC', 'DBSIZE', 'SELECT 1', 'DBSIZE', 'FLUSHALL',
      'SELECT 0',
    ),
  },
  {
    name: 'commands of the connection wait for EXEC',
    steps: steps(
      'CLIENT SETNAME before', 'MULTI', 'CLIENT GETNAME', 'CLIENT SETNAME during',
      'CLIENT GETNAME', 'EXEC', 'CLIENT GETNAME', 'MULTI', 'CLIENT SETNAME never', 'DISCARD',
      'CLIENT GETNAME',
    ),
  },
  {
    name: 'CONFIG SET waits for EXEC',
    steps: steps(
      'MULTI', 'CONFIG SET maxmemory-samples 8', 'CONFIG GET maxmemory-samples', 'DISCARD',
      'CONFIG GET maxmemory-samples', 'MULTI', 'CONFIG SET maxmemory-samples 8',
      'CONFIG GET maxmemory-samples', 'EXEC', 'CONFIG SET maxmemory-samples 5',
    ),
  },
  {
    name: 'HELLO in a transaction',
    steps: steps('MULTI', 'HELLO 4', 'HELLO x', 'EXEC', 'MULTI', 'HELLO 3 NOSUCH', 'EXEC'),
  },
  { name: 'QUIT in a transaction', steps: steps('MULTI', 'SET a 1', 'QUIT') },
  {
    name: 'a transaction of a thousand commands',
    steps: [
      ['MULTI'],
      ...Array.from({ length: 1000 }, (_, i): Step => ['APPEND', `k${i % 7}`, `${i}.`]),
      ['MGET', ...Array.from({ length: 7 }, (_, i) => `k${i}`)],
      ['EXEC'],
    ],
  },
];

/** Each is done to the watched key by its own client between WATCH and EXEC. */
const CHANGES = [
  'SET k new', 'SET k old', 'APPEND k x', 'SETRANGE k 0 N', 'SETBIT k 7 1', 'GETSET k new',
  'GETDEL k', 'DEL k', 'UNLINK k', 'EXPIRE k 100', 'PERSIST k', 'EXPIRE k -1', 'PEXPIREAT k 1',
  'GETEX k EX 100', 'GETEX k PERSIST', 'GETEX k', 'RENAME k other', 'RENAME other k',
  'RENAMENX other k', 'RENAMENX k free', 'COPY other k REPLACE', 'COPY other k', 'COPY k free',
  'MOVE k 1', 'MSET other 2 k 1', 'MSETNX k 1 free 2', 'MSETNX free 1', 'BITOP NOT k other',
  'BITOP NOT k nothing', 'BITOP NOT other k', 'BITFIELD k SET u8 0 1', 'BITFIELD k GET u8 0',
  'FLUSHDB', 'FLUSHALL', 'SWAPDB 0 1', 'SWAPDB 1 2', 'GET k', 'TOUCH k', 'EXISTS k', 'STRLEN k',
  'INCR k', 'SETNX k x', 'SET k x NX', 'SET k x XX', 'SET k x GET', 'SETEX k 100 v',
  'GETRANGE k 0 1', 'OBJECT ENCODING k', 'DEL nothing', 'DEL other', 'SET other y', 'TYPE k',
  'INCRBYFLOAT k 0', 'APPEND nothing x', 'EXPIRE k 100 XX', 'EXPIRE k 100 NX',
];

const START = ['SET other 5', 'SELECT 1', 'SET k elsewhere', 'SELECT 0'];
const STATES: readonly (readonly string[])[] = [[], ['SET k old'], ['SET k 7 EX 500']];

const changed = CHANGES.map((change): DiffCase => ({
  name: `WATCH k, then ${change}`,
  steps: STATES.flatMap((state) => steps(
    'FLUSHALL', ...START, ...state, 'WATCH k', change, 'MULTI', 'SET seen 1', 'GET k', 'EXEC',
    'EXISTS seen', 'SELECT 1', 'MGET k seen', 'SELECT 0',
  )),
}));

const watched: readonly DiffCase[] = [
  {
    name: 'WATCH that nothing happened to',
    steps: steps(
      'WATCH a', 'MULTI', 'SET a 1', 'EXEC', 'WATCH a b a', 'GET a', 'MULTI', 'GET a', 'EXEC',
      'WATCH', 'UNWATCH x', 'UNWATCH',
    ),
  },
  {
    name: 'EXEC, DISCARD, UNWATCH and RESET forget what was watched',
    steps: steps(
      'SET a 1', 'WATCH a', 'SET a 2', 'MULTI', 'EXEC', 'MULTI', 'GET a', 'EXEC',
      'WATCH a', 'SET a 3', 'MULTI', 'DISCARD', 'MULTI', 'GET a', 'EXEC',
      'WATCH a', 'SET a 4', 'UNWATCH', 'MULTI', 'GET a', 'EXEC',
      'WATCH a', 'MULTI', 'NOSUCH', 'EXEC', 'SET a 5', 'MULTI', 'GET a', 'EXEC',
    ),
  },
  {
    name: 'EXEC and DISCARD without MULTI keep the watch',
    steps: steps(
      'SET a 1', 'WATCH a', 'EXEC', 'DISCARD', 'SET a 2', 'MULTI', 'GET a', 'EXEC', 'MULTI',
      'GET a',
      'EXEC', 'WATCH a', 'EXEC x', 'SET a 3', 'MULTI', 'GET a', 'EXEC',
    ),
  },
  {
    name: 'WATCH in one database, change in another',
    steps: steps(
      'SET a 1', 'WATCH a', 'SELECT 1', 'SET a 2', 'MULTI', 'GET a', 'EXEC', 'WATCH a', 'SELECT 0',
      'SET a 3', 'MULTI', 'GET a', 'EXEC', 'WATCH a', 'SELECT 1', 'WATCH a', 'SELECT 0', 'SET a 4',
      'SELECT 1', 'MULTI', 'GET a', 'EXEC', 'FLUSHALL', 'SELECT 0',
    ),
  },
  {
    name: 'a command that cannot be queued goes before a watched key that changed',
    steps: steps('SET a 1', 'WATCH a', 'SET a 2', 'MULTI', 'NOSUCH', 'EXEC', 'MULTI', 'EXEC'),
  },
  {
    name: 'WATCH of a key that is past its time already',
    steps: steps(
      'SET a 1 PXAT 1', 'WATCH a', 'MULTI', 'GET a', 'EXEC', 'SET a 1', 'PEXPIREAT a 1',
      'WATCH a', 'MULTI', 'GET a', 'EXEC',
    ),
  },
];

export const transactions: readonly DiffCase[] = [...told, ...watched, ...changed].map((one) => ({
  ...one,
  multi: false,
}));
