// Reads MOON_* variables: MOON_IO_DRIVER is the directive io-driver. MOON_REQUIREPASS_FILE names a
// file that holds the value, for secrets that an orchestrator mounts.
import type { DirectiveFinder } from './load.ts';
import { diskReader, type FileReader } from './load-conf.ts';
import { emptyLoaded, type Loaded, type Origin } from './load-settings.ts';
import { suggest } from './load-suggest.ts';
import { splitArgs } from './load-words.ts';
import { messageOf } from '../errors.ts';

const PREFIX = 'MOON_';
const FILE_SUFFIX = '_FILE';

/** Ours, but not directives: MOON_SERVER_PREBUILD is read by the loader, MOON_JOBS by the build. */
const NOT_DIRECTIVES = new Set(['MOON_SERVER_PREBUILD', 'MOON_JOBS']);

/**
 * Kubernetes tells every pod about every service: a service named `moon` gives MOON_PORT=tcp://…,
 * MOON_SERVICE_HOST and more, none of which is meant for us.
 */
const isServiceLink = (name: string, value: string): boolean =>
  /^(tcp|udp|sctp):\/\//.test(value) ||
  /_SERVICE_(HOST|PORT)(_|$)/.test(name) ||
  /_PORT_\d+_(TCP|UDP|SCTP)(_|$)/.test(name);

export function loadEnv(
  env: Readonly<Record<string, string | undefined>>,
  directives: DirectiveFinder,
  files: FileReader = diskReader,
): Loaded {
  const loaded = emptyLoaded();
  for (const [name, value] of Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (value === undefined || !name.startsWith(PREFIX) || NOT_DIRECTIVES.has(name)) continue;
    if (!isServiceLink(name, value)) readVariable(loaded, name, value, env, directives, files);
  }
  return loaded;
}

function readVariable(
  loaded: Loaded,
  name: string,
  value: string,
  env: Readonly<Record<string, string | undefined>>,
  directives: DirectiveFinder,
  files: FileReader,
): void {
  const origin: Origin = { source: 'env', where: name };
  const wrong = (message: string): void => void loaded.problems.push({ origin, message });
  if (directives.find(directiveName(name)) !== undefined) {
    addSetting(loaded, directiveName(name), value, origin, directives);
    return;
  }
  const base = name.endsWith(FILE_SUFFIX) ? name.slice(0, -FILE_SUFFIX.length) : '';
  if (base !== '' && directives.find(directiveName(base)) !== undefined) {
    if (env[base] !== undefined) {
      wrong(`${base} and ${name} are both set; keep one`);
      return;
    }
    try {
      const content = files.readFile(value).replace(/\r?\n$/, '');
      addSetting(loaded, directiveName(base), content, origin, directives);
    } catch (thrown) {
      wrong(`the file '${value}' cannot be read: ${messageOf(thrown)}`);
    }
    return;
  }
  reportUnknown(loaded, name, origin, directives);
}

/**
 * A near miss is a mistake and stops the start. Anything else that begins with MOON_ may belong to
 * another program, and is only mentioned.
 */
function reportUnknown(
  loaded: Loaded,
  name: string,
  origin: Origin,
  directives: DirectiveFinder,
): void {
  const nearest = suggest(directiveName(name), directives.names());
  if (nearest !== undefined) {
    const meant = variableName(nearest);
    loaded.problems.push({ origin, message: `Unknown variable ${name}. Did you mean ${meant}?` });
  } else {
    loaded.notes.push({ origin, message: `${name} is no directive's variable and is ignored` });
  }
}

/** One-word directives take the whole value as it is; a password may hold blanks and quotes. */
function addSetting(
  loaded: Loaded,
  name: string,
  value: string,
  origin: Origin,
  directives: DirectiveFinder,
): void {
  if (!directives.takesSeveralWords(name) || value.trim() === '') {
    loaded.settings.push({ name, words: [value], origin });
    return;
  }
  const words = splitArgs(value);
  if (words === null) loaded.problems.push({ origin, message: 'Unbalanced quotes' });
  else loaded.settings.push({ name, words, origin });
}

export const variableName = (directive: string): string =>
  PREFIX + directive.toUpperCase().replace(/-/g, '_');

const directiveName = (variable: string): string =>
  variable.slice(PREFIX.length).toLowerCase().replace(/_/g, '-');
