// The tables as one blob for the addon: settings with their current values, commands with their
// encoded replies, the INFO template. src-native/dispatch/tables.h describes it; generate.mts puts
// the hash into the binary: a binary and tables that do not belong together refuse to start.
import { createHash } from 'node:crypto';
import {
  infoForms,
  infoTemplate,
  type InfoPiece,
  type InfoSection,
} from '../admin/info-template.ts';
import { encodeDocs, encodeHelp, encodeInfo, legacyKeys } from '../commands/encode.ts';
import { allRows, commands } from '../commands/index.ts';
import {
  aclCategories,
  commandFlags,
  keyFlags,
  routes,
  type CommandRow,
  type KeySpec,
} from '../commands/types.ts';
import { settings } from '../config/index.ts';
import { settingFlags, settingTypes, type SettingRow } from '../config/types.ts';
import { counters } from '../metrics/counters.ts';
import { TableWriter, TextPool } from './table-writer.ts';

const MAGIC = 'MOONTBL1';
const NO_PARENT = 0xffff;

let hash: string | undefined;
let fixedSections: readonly Buffer[] | undefined;

/** 16 hex digits over everything but the current values of the settings. */
export function tablesHash(): string {
  hash ??= createHash('sha256')
    .update(encodeSettings(new Map()))
    .update(Buffer.concat([...sections()]))
    .digest('hex')
    .slice(0, 16);
  return hash;
}

/** `values`: directives by name, as text; those not named have their default. */
export function encodeTables(values: ReadonlyMap<string, string>): Buffer {
  const writer = new TableWriter();
  writer.raw(Buffer.from(MAGIC)).raw(Buffer.from(tablesHash()));
  for (const section of [encodeSettings(values), ...sections()]) writer.block(section);
  return writer.finish();
}

function sections(): readonly Buffer[] {
  fixedSections ??= [encodeCommands(), encodeInfoTemplate()];
  return fixedSections;
}

const bits = <Word>(all: readonly Word[], some: readonly Word[]): number =>
  some.reduce((sum, word) => sum + 2 ** position(all, word), 0);

function position<Word>(all: readonly Word[], word: Word): number {
  const index = all.indexOf(word);
  if (index < 0) throw new Error(`tables: '${String(word)}' is not one of ${all.join(' ')}`);
  return index;
}

// --- settings ---------------------------------------------------------------------------------

function encodeSettings(values: ReadonlyMap<string, string>): Buffer {
  const writer = new TableWriter();
  return writer
    .list(settings, (row) => {
      encodeSetting(writer, row, values.get(row.name) ?? row.default);
    })
    .finish();
}

function encodeSetting(writer: TableWriter, row: SettingRow, value: string): void {
  const [clampMin, clampMax] = row.clamp ?? [row.min, row.max];
  writer
    .text(row.name)
    .list(row.aliases, (alias) => writer.text(alias))
    .u8(position(settingTypes, row.type))
    .u32(bits(settingFlags, row.flags))
    .i64(row.min)
    .i64(row.max)
    .i64(clampMin)
    .i64(clampMax)
    .list(row.words, ({ word, value: number }) => writer.text(word).i64(BigInt(number)))
    .text(row.default)
    .text(row.refusal ?? '')
    .text(value);
}

// --- commands ---------------------------------------------------------------------------------

function encodeCommands(): Buffer {
  const pool = new TextPool();
  const rows = new TableWriter();
  const parents = new Map(
    commands.flatMap((row, index) => row.subcommands.map((each) => [each, index] as const)),
  );
  rows.u16(commands.length);
  rows.list(allRows, (row) => {
    encodeCommand(rows, row, parents.get(row), pool);
  });
  return new TableWriter().block(pool.finish()).raw(rows.finish()).finish();
}

function encodeCommand(
  writer: TableWriter,
  row: CommandRow,
  parent: number | undefined,
  pool: TextPool,
): void {
  const { first, last, step } = legacyKeys(row.keys);
  writer
    .text(row.name)
    .text(row.group)
    .text(row.handler)
    .u16(parent ?? NO_PARENT)
    .u8(position(routes, row.route))
    .i16(row.arity)
    .u32(bits(commandFlags, row.flags))
    .u32(bits(aclCategories, row.acl))
    .i16(first)
    .i16(last)
    .i16(step)
    .list(row.keys, (spec) => {
      encodeKeySpec(writer, spec);
    });
  const help = row.name.endsWith('|help') && parent !== undefined ? commands[parent] : undefined;
  const replies = [
    encodeInfo(row, 2),
    encodeInfo(row, 3),
    encodeDocs(row, 2),
    encodeDocs(row, 3),
    help === undefined ? '' : encodeHelp(help),
  ];
  for (const reply of replies) {
    const { offset, length } = pool.add(reply);
    writer.u32(offset).u32(length);
  }
}

const beginTypes = ['unknown', 'index', 'keyword'] as const;
const findTypes = ['unknown', 'range', 'keynum'] as const;

function encodeKeySpec(writer: TableWriter, { flags, begin, find }: KeySpec): void {
  writer.u32(bits(keyFlags, flags));
  writer.u8(position(beginTypes, begin.type));
  if (begin.type === 'index') writer.i16(begin.index);
  if (begin.type === 'keyword') writer.i16(begin.startFrom).text(begin.keyword);
  writer.u8(position(findTypes, find.type));
  if (find.type === 'range') writer.i16(find.lastKey).i16(find.step).i16(find.limit);
  if (find.type === 'keynum') writer.i16(find.keyNumIndex).i16(find.firstKey).i16(find.step);
}

// --- INFO -------------------------------------------------------------------------------------

const pieceKinds = ['text', 'counter', 'setting', 'gauge', 'block'] as const;

function encodeInfoTemplate(): Buffer {
  const writer = new TableWriter();
  return writer
    .list(infoTemplate, (section) => {
      encodeInfoSection(writer, section);
    })
    .finish();
}

function encodeInfoSection(writer: TableWriter, section: InfoSection): void {
  writer.text(section.name.toLowerCase()).u8(section.inDefault ? 1 : 0);
  writer.list(joinTexts(section.pieces), (piece) => {
    writer.u8(position(pieceKinds, piece.kind));
    switch (piece.kind) {
      case 'text':
        writer.text(piece.text);
        break;
      case 'counter':
        writer.u16(slotOf(counters, piece.counter)).u32(piece.divisor);
        break;
      case 'setting':
        writer.u16(slotOf(settings, piece.setting)).u8(position(infoForms, piece.form));
        break;
      case 'gauge':
        writer.text(piece.gauge).u8(position(infoForms, piece.form));
        break;
      case 'block':
        writer.text(piece.block);
        break;
    }
  });
}

const slotOf = (rows: readonly { readonly name: string }[], name: string): number =>
  position(
    rows.map((row) => row.name),
    name,
  );

function joinTexts(pieces: readonly InfoPiece[]): InfoPiece[] {
  const joined: InfoPiece[] = [];
  for (const piece of pieces) {
    const before = joined.at(-1);
    if (piece.kind === 'text' && before?.kind === 'text') {
      joined[joined.length - 1] = { kind: 'text', text: before.text + piece.text };
    } else {
      joined.push(piece);
    }
  }
  return joined;
}
