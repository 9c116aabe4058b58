// All tables of cases.
import type { DiffCase } from '../types.ts';
import { bitmaps } from './bitmaps.ts';
import { connectionCases } from './connection.ts';
import { expireCases } from './expire.ts';
import { keysCases } from './keys.ts';
import { objectCases } from './object.ts';
import { scanCases } from './scan.ts';
import { serverCases } from './server.ts';
import { strings } from './strings.ts';
import { transactions } from './transactions.ts';

export const tables: Readonly<Record<string, readonly DiffCase[]>> = {
  bitmaps,
  connection: connectionCases,
  expire: expireCases,
  keys: keysCases,
  object: objectCases,
  scan: scanCases,
  server: serverCases,
  strings,
  transactions,
};
