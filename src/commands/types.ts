// What a command's row says. The rows are in the files beside this one, one a group; rows.ts has
// the words they are written in; encode.ts turns them into COMMAND's replies.

/** Bit 0 on, in the order in which COMMAND INFO lists them. */
export const commandFlags = [
  'write',
  'readonly',
  'denyoom',
  'admin',
  'pubsub',
  'noscript',
  'blocking',
  'loading',
  'stale',
  'skip_monitor',
  'skip_slowlog',
  'asking',
  'fast',
  'no_auth',
  'may_replicate',
  'no_mandatory_keys',
  'no_async_loading',
  'no_multi',
  'movablekeys',
  'allow_busy',
] as const;

export type CommandFlag = (typeof commandFlags)[number];

/** Bit 0 on, in the order in which COMMAND INFO lists them. */
export const aclCategories = [
  'keyspace',
  'read',
  'write',
  'set',
  'sortedset',
  'list',
  'hash',
  'string',
  'bitmap',
  'hyperloglog',
  'geo',
  'stream',
  'pubsub',
  'admin',
  'fast',
  'slow',
  'blocking',
  'dangerous',
  'connection',
  'transaction',
  'scripting',
] as const;

export type AclCategory = (typeof aclCategories)[number];

/** Bit 0 on, in the order in which COMMAND INFO lists them. */
export const keyFlags = [
  'RO',
  'RW',
  'OW',
  'RM',
  'access',
  'update',
  'insert',
  'delete',
  'not_key',
  'incomplete',
  'variable_flags',
] as const;

export type KeyFlag = (typeof keyFlags)[number];

/** How a command meets the shards; the order is Route's in src-native/dispatch/command_row.h. */
export const routes = [
  /** One key: its slice. */
  'by-key',
  /** Several keys: all their slices, atomically. */
  'by-keys',
  /** Every slice, atomically. */
  'all-shards',
  /** No key: any thread. */
  'any-shard',
  /** The state of the connection. */
  'connection',
  /** Answered by TypeScript. */
  'control',
] as const;

export type Route = (typeof routes)[number];

export type CommandGroup =
  'string' | 'bitmap' | 'generic' | 'connection' | 'transactions' | 'server';

export type BeginSearch =
  | { readonly type: 'index'; readonly index: number }
  | { readonly type: 'keyword'; readonly keyword: string; readonly startFrom: number }
  | { readonly type: 'unknown' };

export type FindKeys =
  | {
      readonly type: 'range';
      /** Relative to the first key; negative from the end: -1 the last argument. */
      readonly lastKey: number;
      readonly step: number;
      /** With lastKey -1: only the first 1/limit of the arguments are keys. 0 and 1: all. */
      readonly limit: number;
    }
  | {
      readonly type: 'keynum';
      /** All relative to where the search begins. */
      readonly keyNumIndex: number;
      readonly firstKey: number;
      readonly step: number;
    }
  | { readonly type: 'unknown' };

export interface KeySpec {
  readonly flags: readonly KeyFlag[];
  readonly begin: BeginSearch;
  readonly find: FindKeys;
  readonly notes?: string;
}

export type ArgType =
  | 'key'
  | 'string'
  | 'integer'
  | 'double'
  | 'pattern'
  | 'unix-time'
  | 'pure-token'
  | 'oneof'
  | 'block';

export interface Arg {
  readonly name: string;
  readonly type: ArgType;
  /** Index of the key spec that finds it. */
  readonly keySpec?: number;
  /** The word that stands before it, or that it is. */
  readonly token?: string;
  readonly since?: string;
  readonly deprecatedSince?: string;
  readonly optional?: boolean;
  readonly multiple?: boolean;
  /** The token is repeated with each value. */
  readonly multipleToken?: boolean;
  /** Of oneof and block. */
  readonly args?: readonly Arg[];
}

export interface Deprecation {
  readonly since: string;
  /** What to use instead, in Redis's notation: a command in backquotes. */
  readonly replacedBy: string;
}

export interface CommandRow {
  /** Lower case; a subcommand's is "config|get". */
  readonly name: string;
  readonly group: CommandGroup;
  readonly summary: string;
  /** The Redis version that brought it. */
  readonly since: string;
  readonly complexity?: string;
  /** Words of the command, its own name (and its subcommand's) included; negative: at least. */
  readonly arity: number;
  readonly flags: readonly CommandFlag[];
  /** All categories, those that follow from the flags included. */
  readonly acl: readonly AclCategory[];
  readonly tips: readonly string[];
  readonly keys: readonly KeySpec[];
  readonly args: readonly Arg[];
  /** Version and what changed in it. */
  readonly history: readonly (readonly [string, string])[];
  readonly deprecated?: Deprecation;
  /** Not meant for applications. */
  readonly systemCommand: boolean;
  readonly route: Route;
  /** Symbol in C++'s HandlerRegistry; '' when there is none (containers, the control route). */
  readonly handler: string;
  readonly subcommands: readonly CommandRow[];
}
