// Transactions.
import { commandsOf, key, keysFrom } from './rows.ts';
import type { CommandRow } from './types.ts';

const row = commandsOf('transactions');

export const transactions: readonly CommandRow[] = [
  row('MULTI', {
    summary: 'Begins a transaction: commands are queued from now on.',
    since: '1.2.0',
    complexity: 'O(1)',
    arity: 1,
    route: 'connection',
    flags: 'noscript loading stale fast allow_busy',
    acl: 'transaction',
  }),
  row('EXEC', {
    summary: 'Executes the queued commands in one step, unless a watched key has changed.',
    since: '1.2.0',
    complexity: 'As the queued commands',
    arity: 1,
    route: 'connection',
    flags: 'noscript loading stale skip_slowlog',
    acl: 'transaction',
  }),
  row('DISCARD', {
    summary: 'Forgets the queued commands and ends the transaction.',
    since: '2.0.0',
    complexity: 'O(N), N queued commands',
    arity: 1,
    route: 'connection',
    flags: 'noscript loading stale fast allow_busy',
    acl: 'transaction',
  }),
  row('WATCH', {
    summary: 'Makes the next EXEC depend on the given keys staying as they are.',
    since: '2.2.0',
    complexity: 'O(N), N keys',
    arity: -2,
    route: 'by-keys',
    flags: 'noscript loading stale fast allow_busy',
    acl: 'transaction',
    keys: [keysFrom(1, -1, 'RO')],
    args: [key('key', 0, { multiple: true })],
  }),
  row('UNWATCH', {
    summary: 'Forgets all watched keys.',
    since: '2.2.0',
    complexity: 'O(N), N watched keys',
    arity: 1,
    route: 'connection',
    flags: 'noscript loading stale fast allow_busy',
    acl: 'transaction',
  }),
];
