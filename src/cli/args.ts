// The command line, in redis-server's style:
//   moon-server [conf] [--name value …] [-]
//   moon-server exec [conf] [--name value …] -- command [argument …]
//   moon-server ping [--ready] [--timeout-ms N] [--url URL] [conf] [--name value …]
//   moon-server check conf [conf] [--name value …]
// A flag is any directive; its values are the words up to the next flag. `--name=value` works too.
import { MoonError } from '../errors.ts';
import type { Setting } from '../config/load-settings.ts';

export interface ConfigArgs {
  readonly confFile: string | undefined;
  readonly stdin: boolean;
  readonly settings: readonly Setting[];
}

export interface PingArgs {
  readonly ready: boolean;
  readonly timeoutMs: number;
  readonly url: string | undefined;
}

export type CliRequest =
  | { readonly command: 'version' | 'help' }
  | { readonly command: 'serve' | 'check'; readonly config: ConfigArgs }
  | { readonly command: 'exec'; readonly config: ConfigArgs; readonly child: readonly string[] }
  | { readonly command: 'ping'; readonly config: ConfigArgs; readonly ping: PingArgs };

export function parseArgs(words: readonly string[]): CliRequest {
  const [first, ...rest] = words;
  switch (first) {
    case '--version':
    case '-v':
      return { command: 'version' };
    case '--help':
    case '-h':
      return { command: 'help' };
    case 'exec':
      return parseExec(rest);
    case 'ping':
      return parsePing(rest);
    case 'check':
      if (rest[0] !== 'conf') throw usage("check: say what to check: 'moon-server check conf'");
      return { command: 'check', config: parseConfigArgs(rest.slice(1)) };
    default:
      return { command: 'serve', config: parseConfigArgs(words) };
  }
}

function parseExec(words: readonly string[]): CliRequest {
  const dashes = words.indexOf('--');
  const child = dashes < 0 ? [] : words.slice(dashes + 1);
  if (child.length === 0) {
    throw usage("exec: put the command behind two dashes: 'moon-server exec -- npm test'");
  }
  return { command: 'exec', config: parseConfigArgs(words.slice(0, dashes)), child };
}

function parsePing(words: readonly string[]): CliRequest {
  let ready = false;
  let timeoutMs = 1000;
  let url: string | undefined;
  const rest: string[] = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? '';
    if (word === '--ready') {
      ready = true;
    } else if (word === '--timeout-ms') {
      timeoutMs = Number(words[++i]);
      if (!Number.isSafeInteger(timeoutMs) || timeoutMs < 1) {
        throw usage('ping: --timeout-ms takes a number of milliseconds');
      }
    } else if (word === '--url') {
      url = words[++i];
      if (url === undefined) throw usage('ping: --url takes redis://[:password@]host:port');
    } else {
      rest.push(word);
    }
  }
  return { command: 'ping', config: parseConfigArgs(rest), ping: { ready, timeoutMs, url } };
}

/** `[conf] [--name value …] [-]`. */
export function parseConfigArgs(words: readonly string[]): ConfigArgs {
  let confFile: string | undefined;
  let stdin = false;
  const settings: { name: string; words: string[] }[] = [];
  words.forEach((word, index) => {
    const current = settings.at(-1);
    if (word === '-' && (index === 0 || index === words.length - 1)) {
      stdin = true;
    } else if (word.startsWith('--') && word.length > 2) {
      const equals = word.indexOf('=');
      const name = equals < 0 ? word.slice(2) : word.slice(2, equals);
      settings.push({ name, words: equals < 0 ? [] : [word.slice(equals + 1)] });
    } else if (current !== undefined) {
      current.words.push(word);
    } else if (index === 0 && !word.startsWith('-')) {
      confFile = word;
    } else {
      throw usage(`'${word}' is not expected here`);
    }
  });
  return { confFile, stdin, settings: settings.map(toSetting) };
}

function toSetting({ name, words }: { name: string; words: string[] }): Setting {
  // As in Redis, a bare --save says that nothing is to be saved.
  const given = name.toLowerCase() === 'save' && words.length === 0 ? [''] : words;
  return {
    name: name.toLowerCase(),
    words: given,
    origin: { source: 'cli', where: `--${name}` },
  };
}

function usage(summary: string): MoonError {
  return new MoonError('ERR_MOON_USAGE', summary, { fix: 'moon-server --help' });
}
