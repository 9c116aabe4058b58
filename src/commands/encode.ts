// The replies of COMMAND, COMMAND INFO, COMMAND DOCS and of the HELP subcommands, encoded once at
// start: C++ sends them as they are. Shapes and key order are Redis's.
import type { Arg, BeginSearch, CommandRow, FindKeys, KeySpec } from './types.ts';

export type Protocol = 2 | 3;

type Encoder = ReturnType<typeof encoderFor>;
type Pair = readonly [string, string];

/** The RESP types that occur here; what RESP2 lacks becomes an array, as in Redis. */
function encoderFor(protocol: Protocol) {
  const list = (mark: string, count: number, items: readonly string[]): string =>
    `${mark}${count}\r\n${items.join('')}`;
  const bulk = (text: string): string => `$${Buffer.byteLength(text)}\r\n${text}\r\n`;
  return {
    bulk,
    simple: (text: string): string => `+${text}\r\n`,
    integer: (value: number): string => `:${value}\r\n`,
    array: (items: readonly string[]): string => list('*', items.length, items),
    set: (items: readonly string[]): string =>
      list(protocol === 3 ? '~' : '*', items.length, items),
    map: (pairs: readonly Pair[]): string => {
      const items = pairs.map(([name, value]) => bulk(name) + value);
      return protocol === 3 ? list('%', items.length, items) : list('*', items.length * 2, items);
    },
  };
}

/** One element of COMMAND's reply. */
export function encodeInfo(row: CommandRow, protocol: Protocol): string {
  return infoOf(row, encoderFor(protocol));
}

/** One name and its map in COMMAND DOCS' reply. */
export function encodeDocs(row: CommandRow, protocol: Protocol): string {
  const to = encoderFor(protocol);
  return to.bulk(row.name) + docsOf(row, to);
}

function infoOf(row: CommandRow, to: Encoder): string {
  const { first, last, step } = legacyKeys(row.keys);
  return to.array([
    to.bulk(row.name),
    to.integer(row.arity),
    to.set(row.flags.map(to.simple)),
    to.integer(first),
    to.integer(last),
    to.integer(step),
    to.set(row.acl.map((category) => to.simple(`@${category}`))),
    to.set(row.tips.map(to.bulk)),
    to.set(row.keys.map((spec) => keySpecOf(spec, to))),
    // An empty set rather than an empty array: Redis does not tell them apart here.
    row.subcommands.length === 0
      ? to.set([])
      : to.array(row.subcommands.map((each) => infoOf(each, to))),
  ]);
}

export interface LegacyKeys {
  readonly first: number;
  readonly last: number;
  readonly step: number;
}

/**
 * The triple from before key specs: the argument range that covers the specs. Specs that a range
 * cannot express, or that do not adjoin, are left out (and the command has movable keys).
 */
export function legacyKeys(specs: readonly KeySpec[]): LegacyKeys {
  const ranges = specs.flatMap(({ begin, find }) =>
    begin.type === 'index' && find.type === 'range'
      ? [{ first: begin.index, last: absolute(begin.index, find.lastKey), step: find.step }]
      : [],
  );
  const [only] = ranges;
  if (only === undefined) return { first: 0, last: 0, step: 0 };
  if (specs.length === 1) return only;
  let first = 0;
  let last = 0;
  for (const range of ranges) {
    const adjoins = first === 0 || (last > 0 && range.first === last + 1);
    if (range.step !== 1 || !adjoins) continue;
    if (first === 0) first = range.first;
    last = range.last;
  }
  return first === 0 ? { first: 0, last: 0, step: 0 } : { first, last, step: 1 };
}

const absolute = (first: number, last: number): number => (last >= 0 ? first + last : last);

function keySpecOf(spec: KeySpec, to: Encoder): string {
  const { begin, find, flags, notes } = spec;
  const part = (type: string, values: readonly Pair[]): string =>
    to.map([
      ['type', to.bulk(type)],
      ['spec', to.map(values)],
    ]);
  return to.map([
    ...(notes === undefined ? [] : [['notes', to.bulk(notes)] as const]),
    ['flags', to.set(flags.map(to.simple))],
    ['begin_search', part(begin.type, beginValues(begin, to))],
    ['find_keys', part(find.type, findValues(find, to))],
  ]);
}

function beginValues(begin: BeginSearch, to: Encoder): Pair[] {
  switch (begin.type) {
    case 'index':
      return [['index', to.integer(begin.index)]];
    case 'keyword':
      return [
        ['keyword', to.bulk(begin.keyword)],
        ['startfrom', to.integer(begin.startFrom)],
      ];
    case 'unknown':
      return [];
  }
}

function findValues(find: FindKeys, to: Encoder): Pair[] {
  switch (find.type) {
    case 'range':
      return [
        ['lastkey', to.integer(find.lastKey)],
        ['keystep', to.integer(find.step)],
        ['limit', to.integer(find.limit)],
      ];
    case 'keynum':
      return [
        ['keynumidx', to.integer(find.keyNumIndex)],
        ['firstkey', to.integer(find.firstKey)],
        ['keystep', to.integer(find.step)],
      ];
    case 'unknown':
      return [];
  }
}

function docsOf(row: CommandRow, to: Encoder): string {
  const { complexity, deprecated } = row;
  const docFlags = [
    ...(deprecated === undefined ? [] : ['deprecated']),
    ...(row.systemCommand ? ['syscmd'] : []),
  ];
  const pairs: Pair[] = [
    ['summary', to.bulk(row.summary)],
    ['since', to.bulk(row.since)],
    ['group', to.bulk(row.group)],
  ];
  if (complexity !== undefined) pairs.push(['complexity', to.bulk(complexity)]);
  if (docFlags.length > 0) pairs.push(['doc_flags', to.set(docFlags.map(to.simple))]);
  if (deprecated !== undefined) {
    pairs.push(['deprecated_since', to.bulk(deprecated.since)]);
    pairs.push(['replaced_by', to.bulk(deprecated.replacedBy)]);
  }
  if (row.history.length > 0) {
    const changes = row.history.map(([version, text]) =>
      to.array([to.bulk(version), to.bulk(text)]),
    );
    pairs.push(['history', to.set(changes)]);
  }
  if (row.args.length > 0) pairs.push(['arguments', argsOf(row.args, to)]);
  if (row.subcommands.length > 0) {
    const each = row.subcommands.map((one) => [one.name, docsOf(one, to)] as const);
    pairs.push(['subcommands', to.map(each)]);
  }
  return to.map(pairs);
}

function argsOf(args: readonly Arg[], to: Encoder): string {
  return to.array(args.map((arg) => to.map(argPairs(arg, to))));
}

function argPairs(arg: Arg, to: Encoder): Pair[] {
  const pairs: Pair[] = [
    ['name', to.bulk(arg.name)],
    ['type', to.bulk(arg.type)],
  ];
  if (arg.args === undefined) pairs.push(['display_text', to.bulk(arg.name)]);
  if (arg.keySpec !== undefined) pairs.push(['key_spec_index', to.integer(arg.keySpec)]);
  if (arg.token !== undefined) pairs.push(['token', to.bulk(arg.token)]);
  if (arg.since !== undefined) pairs.push(['since', to.bulk(arg.since)]);
  if (arg.deprecatedSince !== undefined) {
    pairs.push(['deprecated_since', to.bulk(arg.deprecatedSince)]);
  }
  const flags = [
    ...(arg.optional === true ? ['optional'] : []),
    ...(arg.multiple === true ? ['multiple'] : []),
    ...(arg.multipleToken === true ? ['multiple_token'] : []),
  ];
  if (flags.length > 0) pairs.push(['flags', to.set(flags.map(to.simple))]);
  if (arg.args !== undefined) pairs.push(['arguments', argsOf(arg.args, to)]);
  return pairs;
}

// --- HELP -------------------------------------------------------------------------------------

/** The reply of a container's HELP: the same bytes in both protocols. */
export function encodeHelp(container: CommandRow): string {
  const to = encoderFor(2);
  const name = container.name.toUpperCase();
  const lines = [`${name} <subcommand> [<arg> [value] [opt] ...]. Subcommands are:`];
  const prefix = container.name.length + 1;
  const entries = container.subcommands.filter((row) => !row.name.endsWith('|help'));
  for (const row of entries) {
    const usage = row.args.map((arg) => usageOf(arg)).join(' ');
    lines.push(`${row.name.slice(prefix).toUpperCase()} ${usage}`.trimEnd());
    lines.push(...wrap(row.summary, 76).map((line) => `    ${line}`));
  }
  lines.push('HELP', '    Prints this help.');
  return to.array(lines.map(to.simple));
}

/** An argument in the notation of manuals: [ID <client-id> [<client-id> ...]]. */
export function usageOf(arg: Arg): string {
  const value = valueOf(arg);
  const { token } = arg;
  const plain = arg.type === 'pure-token' ? '' : value;
  const once = [token, plain].filter((part) => part !== undefined && part !== '').join(' ');
  const again = arg.multipleToken === true ? once : value;
  const all = arg.multiple === true ? `${once} [${again} ...]` : once;
  return arg.optional === true ? `[${all}]` : all;
}

function valueOf(arg: Arg): string {
  const parts = (arg.args ?? []).map(usageOf);
  if (arg.type === 'block') return parts.join(' ');
  if (arg.type === 'oneof') {
    const choice = parts.map((part) => part.replace(/^\[(.*)\]$/, '$1')).join('|');
    return arg.optional === true && arg.token === undefined ? choice : `(${choice})`;
  }
  return arg.type === 'pure-token' ? (arg.token ?? arg.name) : `<${arg.name}>`;
}

function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(' ')) {
    const line = lines.at(-1);
    if (line !== undefined && line.length + 1 + word.length <= width) {
      lines[lines.length - 1] = `${line} ${word}`;
    } else {
      lines.push(word);
    }
  }
  return lines;
}
