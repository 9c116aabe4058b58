// Every error that moon-server throws at a program: a code to branch on, a text to read.
// The text names what happened, what was found, what is needed and the line to run, so that
// the person who meets it in a log needs no other page.

export type MoonErrorCode =
  | 'ERR_MOON_UNSUPPORTED_PLATFORM'
  | 'ERR_MOON_UNSUPPORTED_NODE'
  | 'ERR_MOON_UNSUPPORTED_LIBC'
  | 'ERR_MOON_BINARY_MISSING'
  | 'ERR_MOON_BINARY_BROKEN'
  | 'ERR_MOON_BINARY_MISMATCH'
  | 'ERR_MOON_OPTION_UNKNOWN'
  | 'ERR_MOON_OPTION_INVALID'
  | 'ERR_MOON_CONFIG'
  | 'ERR_MOON_ADDRESS_IN_USE'
  | 'ERR_MOON_LISTEN'
  | 'ERR_MOON_START'
  | 'ERR_MOON_CLOSED'
  | 'ERR_MOON_CALL'
  | 'ERR_MOON_PROTOCOL'
  | 'ERR_MOON_USAGE';

export interface MoonErrorDetails {
  /** What was there: a version, a value, a path. */
  readonly found?: string;
  /** What would have been right. */
  readonly needed?: string;
  /** The line to run or to change. */
  readonly fix?: string;
  readonly cause?: unknown;
}

export class MoonError extends Error {
  override readonly name = 'MoonError';
  readonly code: MoonErrorCode;
  readonly found: string | undefined;
  readonly needed: string | undefined;
  readonly fix: string | undefined;

  constructor(code: MoonErrorCode, summary: string, details: MoonErrorDetails = {}) {
    const { found, needed, fix, cause } = details;
    super(compose(summary, found, needed, fix), cause === undefined ? undefined : { cause });
    this.code = code;
    this.found = found;
    this.needed = needed;
    this.fix = fix;
  }
}

/** An error reply of a command; `code` is its first word: WRONGTYPE, ERR, OOM, NOSCRIPT … */
export class ReplyError extends Error {
  override readonly name = 'ReplyError';
  readonly code: string;
  /** The command that was answered, where it is known. */
  readonly command: string | undefined;

  constructor(message: string, command?: string) {
    super(message);
    const end = message.indexOf(' ');
    this.code = end < 0 ? message : message.slice(0, end);
    this.command = command;
  }

  /** The same reply, told which command it answers. */
  withCommand(command: string): ReplyError {
    return new ReplyError(this.message, command);
  }
}

function compose(summary: string, found?: string, needed?: string, fix?: string): string {
  let text = summary;
  if (found !== undefined) text += `\n  found:  ${found}`;
  if (needed !== undefined) text += `\n  needed: ${needed}`;
  if (fix !== undefined) text += `\n  to fix: ${fix}`;
  return text;
}

/** The message of anything that was thrown. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
