// Writes conf/moon.conf: every directive with what it does and its default, commented out. Used by
// scripts/generate.mts and by the test that the file is fresh.
import { quoteArg } from './load-words.ts';
import { takesSeveralWords } from './load-values.ts';
import type { SettingGroup, SettingRow } from './types.ts';

const COLUMNS_MAX = 100;

const HEADER = `# moon-server's configuration: all directives with their defaults.
# Generated from src/config by npm run generate. Use it by its path, moon-server /path/to/moon.conf,
# or write only the lines that differ into a file of your own.
#
# The format is redis.conf's: a directive a line, "quotes" around words with blanks, include PATH.
# Memory: 1k is 1000 bytes, 1kb 1024, also m, mb, g, gb. The command line (--name value) wins over
# the environment (MOON_NAME), the environment over this file.`;

const titles: Readonly<Record<SettingGroup, string>> = {
  network: 'Network',
  threads: 'Threads',
  general: 'General',
  clients: 'Clients',
  memory: 'Memory',
  expiry: 'Expiry',
  encoding: 'Encodings',
  monitoring: 'Monitoring',
  persistence: 'Persistence',
  security: 'Security',
};

export function annotatedConf(rows: readonly SettingRow[]): string {
  const groups = [...new Set(rows.map(({ group }) => group))];
  const parts = groups.map((group) => {
    const title = `# --- ${titles[group]} `.padEnd(COLUMNS_MAX, '-');
    return [title, ...rows.filter((row) => row.group === group).map(directive)].join('\n\n');
  });
  return `${[HEADER, ...parts].join('\n\n')}\n`;
}

function directive(row: SettingRow): string {
  const comments = wrap(row.help);
  if (row.words.length > 0) {
    comments.push(...wrap(`Values: ${row.words.map(({ word }) => word).join(', ')}.`));
  }
  if (row.refusal !== undefined) comments.push(...wrap(`Fixed: ${row.refusal}.`));
  const several = takesSeveralWords(row) && row.default !== '';
  const words = several ? row.default.split(' ') : [row.default];
  return [...comments, `# ${row.name} ${words.map(quoteArg).join(' ')}`].join('\n');
}

function wrap(text: string): string[] {
  const lines: string[] = [];
  let line = '#';
  for (const word of text.split(' ')) {
    if (line.length + 1 + word.length > COLUMNS_MAX) {
      lines.push(line);
      line = '#';
    }
    line += ` ${word}`;
  }
  return [...lines, line];
}
