// `moon-server check conf`: the configuration in effect, as a conf file with the source of each
// value beside it. Passwords are not shown.
import type { ResolvedConfig } from '../config/load.ts';
import { takesSeveralWords } from '../config/load-values.ts';
import { quoteArg } from '../config/load-words.ts';

export function effectiveConfig(config: ResolvedConfig): string {
  const lines = [...config.entries.values()].map(({ row, text, origin }) => {
    const secret = row.flags.includes('sensitive') && text !== '';
    const shown = secret ? '"***"' : valueWords(takesSeveralWords(row), text);
    return [`${row.name} ${shown}`, `${origin.source}: ${origin.where}`] as const;
  });
  // Defaults need no explanation beyond their name; what was set does.
  return lines
    .map(([line, where]) => `${line.padEnd(48)} # ${where.replace(/^default: .*/, 'default')}\n`)
    .join('');
}

function valueWords(severalWords: boolean, text: string): string {
  if (!severalWords || text === '') return quoteArg(text);
  return text.split(' ').map(quoteArg).join(' ');
}
