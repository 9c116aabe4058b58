// The words in which the tables of commands are written: commands, keys, arguments.
import type {
  AclCategory,
  Arg,
  ArgType,
  CommandFlag,
  CommandGroup,
  CommandRow,
  Deprecation,
  KeyFlag,
  KeySpec,
  Route,
} from './types.ts';
import { aclCategories, keyFlags } from './types.ts';

/** A row as it is written: what follows from the rest is left out. */
export interface Written {
  readonly summary: string;
  readonly since: string;
  readonly complexity?: string;
  readonly arity: number;
  readonly route: Route;
  /** Separated by blanks. */
  readonly flags?: string;
  /** Categories that do not follow from the flags, separated by blanks. */
  readonly acl?: string;
  readonly tips?: readonly string[];
  readonly keys?: readonly KeySpec[];
  readonly args?: readonly Arg[];
  readonly history?: readonly (readonly [string, string])[];
  readonly deprecated?: Deprecation;
  readonly systemCommand?: boolean;
  /** Whether a container answers without a subcommand too. */
  readonly answersAlone?: boolean;
  readonly subcommands?: readonly Subcommand[];
}

export interface Subcommand {
  readonly word: string;
  readonly written: Written;
}

export const sub = (word: string, written: Written): Subcommand => ({ word, written });

/** The function that makes rows of one group. */
export const commandsOf =
  (group: CommandGroup) =>
  (name: string, written: Written): CommandRow =>
    expand(group, name.toLowerCase(), written);

function expand(group: CommandGroup, name: string, written: Written): CommandRow {
  const flags = words<CommandFlag>(written.flags);
  const subcommands = (written.subcommands ?? []).map((each) =>
    expand(group, `${name}|${each.word.toLowerCase()}`, each.written),
  );
  const answers = subcommands.length === 0 || written.answersAlone === true;
  const { complexity, deprecated } = written;
  return {
    name,
    group,
    summary: written.summary,
    since: written.since,
    ...(complexity !== undefined && { complexity }),
    arity: written.arity,
    flags,
    acl: categories(flags, words<AclCategory>(written.acl)),
    tips: written.tips ?? [],
    keys: written.keys ?? [],
    args: written.args ?? [],
    history: written.history ?? [],
    ...(deprecated && { deprecated }),
    systemCommand: written.systemCommand ?? false,
    route: written.route,
    handler: answers && written.route !== 'control' ? name.replace(/[|-]/g, '_') : '',
    subcommands,
  };
}

const words = <Word extends string>(text: string | undefined): Word[] =>
  (text ?? '').split(' ').filter((word) => word !== '') as Word[];

/** What Redis derives from a command's flags, then what the row adds. */
function categories(flags: readonly CommandFlag[], own: readonly AclCategory[]): AclCategory[] {
  const all = new Set<AclCategory>(own);
  if (flags.includes('write')) all.add('write');
  // EVAL_RO and its like read through the commands they run.
  if (flags.includes('readonly') && !all.has('scripting')) all.add('read');
  if (flags.includes('admin')) all.add('admin').add('dangerous');
  if (flags.includes('pubsub')) all.add('pubsub');
  if (flags.includes('blocking')) all.add('blocking');
  all.add(flags.includes('fast') ? 'fast' : 'slow');
  return aclCategories.filter((category) => all.has(category));
}

// --- keys -------------------------------------------------------------------------------------

const flagWords = (text: string): KeyFlag[] => {
  const set = new Set(words<KeyFlag>(text));
  return keyFlags.filter((flag) => set.has(flag));
};

/** One key at argument `index`. */
export const keyAt = (index: number, flags: string, notes?: string): KeySpec =>
  keysFrom(index, 0, flags, 1, notes);

/**
 * Keys from argument `index` to `lastKey`, which counts from the first key or, negative, from the
 * end (-1: the last argument); `step` 2 skips the values between them.
 */
export const keysFrom = (
  index: number,
  lastKey: number,
  flags: string,
  step = 1,
  notes?: string,
): KeySpec => ({
  flags: flagWords(flags),
  begin: { type: 'index', index },
  find: { type: 'range', lastKey, step, limit: 0 },
  ...(notes !== undefined && { notes }),
});

// --- arguments --------------------------------------------------------------------------------

type ArgExtra = Omit<Arg, 'name' | 'type' | 'args' | 'optional'>;

const leaf =
  (type: ArgType) =>
  (name: string, extra: ArgExtra = {}): Arg => ({ name, type, ...extra });

export const str = leaf('string');
export const int = leaf('integer');
export const double = leaf('double');
export const pattern = leaf('pattern');
export const unixTime = leaf('unix-time');

/** A key, found by the key spec with this index. */
export const key = (name = 'key', keySpec = 0, extra: ArgExtra = {}): Arg => ({
  name,
  type: 'key',
  keySpec,
  ...extra,
});

/** A word that is there or not. */
export const word = (token: string, extra: ArgExtra = {}): Arg => ({
  name: token.toLowerCase(),
  type: 'pure-token',
  token,
  ...extra,
});

export const oneOf = (name: string, args: readonly Arg[], extra: ArgExtra = {}): Arg => ({
  name,
  type: 'oneof',
  args,
  ...extra,
});

export const block = (name: string, args: readonly Arg[], extra: ArgExtra = {}): Arg => ({
  name,
  type: 'block',
  args,
  ...extra,
});

export const optional = (arg: Arg): Arg => ({ ...arg, optional: true });
