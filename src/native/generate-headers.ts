// The enums that C++ shares with the tables, as text of src-native/base/generated/*.inc.
import { allRows } from '../commands/index.ts';
import { aclCategories, commandFlags, keyFlags } from '../commands/types.ts';
import { settings } from '../config/index.ts';
import { counters } from '../metrics/counters.ts';
import { tablesHash } from './encode-tables.ts';

/** kPascalCase of any spelling: 'proto-max-bulk-len', 'config|get', 'no_auth'. */
export const constantName = (...words: readonly string[]): string =>
  `k${words
    .flatMap((word) => word.split(/[^A-Za-z0-9]+/))
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')}`;

const header = (source: string): string =>
  `// Generated from ${source} by \`npm run generate\`; do not edit.\n`;

const call = (macro: string, ...args: readonly (string | number | boolean)[]): string =>
  `${macro}(${args.join(', ')})\n`;

/** C++ names of key flags, which Redis abbreviates. */
const keyFlagNames: Readonly<Record<string, string>> = {
  RO: 'read_only',
  RW: 'read_write',
  OW: 'overwrite',
  RM: 'remove',
};

/** C++ names of command flags that run two words together. */
const commandFlagNames: Readonly<Record<string, string>> = {
  readonly: 'read_only',
  denyoom: 'deny_oom',
  noscript: 'no_script',
  movablekeys: 'movable_keys',
};

const categoryNames: Readonly<Record<string, string>> = {
  sortedset: 'sorted_set',
  hyperloglog: 'hyper_log_log',
};

/** File name → content. */
export function generateHeaders(): ReadonlyMap<string, string> {
  return new Map([
    ['counters.inc', countersInc()],
    ['settings.inc', settingsInc()],
    ['commands.inc', commandsInc()],
    ['command_bits.inc', commandBitsInc()],
    ['tables_hash.inc', `${header('the tables')}"${tablesHash()}"\n`],
  ]);
}

function countersInc(): string {
  const rows = counters.map((row) =>
    call('MOON_COUNTER', constantName(row.name), row.kind === 'level'),
  );
  return header('src/metrics/counters.ts') + rows.join('');
}

function settingsInc(): string {
  const rows = settings.map((row) => {
    const words = row.words.map(({ word, value }) =>
      call('MOON_SETTING_WORD', constantName(row.name, word), value),
    );
    return call('MOON_SETTING', constantName(row.name)) + words.join('');
  });
  return header('src/config/*.ts') + rows.join('');
}

function commandsInc(): string {
  const rows = allRows.map((row) => call('MOON_COMMAND', constantName(row.name)));
  return header('src/commands/*.ts') + rows.join('');
}

function commandBitsInc(): string {
  const list = (
    macro: string,
    words: readonly string[],
    names: Readonly<Record<string, string>>,
  ): string =>
    words.map((word, bit) => call(macro, constantName(names[word] ?? word), bit)).join('');
  return (
    header('src/commands/types.ts') +
    list('MOON_COMMAND_FLAG', commandFlags, commandFlagNames) +
    list('MOON_ACL_CATEGORY', aclCategories, categoryNames) +
    list('MOON_KEY_FLAG', keyFlags, keyFlagNames)
  );
}
