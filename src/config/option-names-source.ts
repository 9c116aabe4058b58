// Writes option-names.ts: the typed, documented options of startServer(), one for each directive.
// Used by scripts/generate.mts and by the test that the file is fresh; not part of the package.
import type { SettingRow } from './types.ts';

const COLUMNS_MAX = 100;

const HEADER = `// Generated from src/config by scripts/generate.mts: npm run generate. Do not edit.

/** What an option may be; lists are for directives that take several words. */
export type OptionValue = string | number | bigint | boolean | readonly (string | number)[];

/** The directives as options; docs are those of \`conf/moon.conf\`. */
export interface DirectiveOptions {
`;

export function optionNamesSource(rows: readonly SettingRow[]): string {
  return `${HEADER}${rows.map(optionSource).join('')}}\n`;
}

function optionSource(row: SettingRow): string {
  const name = row.name.replace(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  return `${comment(row)}  readonly ${name}?: ${typeOf(row)} | undefined;\n`;
}

/** Where startServer() differs from the conf file. */
const ownHelp: Readonly<Record<string, string>> = {
  port: 'TCP port. 0, the default here: any free one, see server.port.',
};

function comment({ help, name }: SettingRow): string {
  const words = `${ownHelp[name] ?? help} Directive: ${name}.`.split(' ');
  const lines: string[] = ['  /**'];
  let line = '   *';
  for (const word of words) {
    if (line.length + 1 + word.length > COLUMNS_MAX) {
      lines.push(line);
      line = '   *';
    }
    line += ` ${word}`;
  }
  return [...lines, line, '   */', ''].join('\n');
}

function typeOf({ type, words }: SettingRow): string {
  switch (type) {
    case 'bool':
      return "boolean | 'yes' | 'no'";
    case 'int':
      return 'number | bigint';
    case 'octal':
      return 'string';
    case 'memory':
    case 'percent-or-memory':
      return 'number | bigint | string';
    case 'enum':
      return union(words.map(({ word }) => word));
    case 'word-list':
    case 'output-limits':
      return 'string | readonly (string | number)[]';
    case 'percentiles':
      return 'string | readonly number[]';
    case 'flags':
    case 'text':
    case 'keyspace-events':
      return 'string';
  }
}

/** One line, or one word a line where it would be too long. */
function union(words: readonly string[]): string {
  const literals = words.map((word) => `'${word}'`);
  const line = literals.join(' | ');
  return line.length <= 60 ? line : literals.map((word) => `\n    | ${word}`).join('');
}
