// All commands. `commands` are the top level, in the order of COMMAND; `allRows` adds their
// subcommands behind them, and a row's position there is its CommandId in C++.
import { bitmaps } from './bitmaps.ts';
import { connection } from './connection.ts';
import { generic } from './generic.ts';
import { server } from './server.ts';
import { strings } from './strings.ts';
import { transactions } from './transactions.ts';
import type { CommandRow } from './types.ts';

export const commands: readonly CommandRow[] = [
  ...strings,
  ...bitmaps,
  ...generic,
  ...connection,
  ...transactions,
  ...server,
];

export const allRows: readonly CommandRow[] = [
  ...commands,
  ...commands.flatMap((row) => row.subcommands),
];
