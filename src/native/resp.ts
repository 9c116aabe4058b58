// Commands to RESP and replies back: the language between call() and the native server.
// Replies arrive complete, so the decoder reads one buffer with a cursor and never waits for more.
import { MoonError, ReplyError } from '../errors.ts';

/** What a command's argument may be; numbers and bigints travel as their decimal text. */
export type CommandArgument = string | number | bigint | Uint8Array;

export type Command = readonly CommandArgument[];

/**
 * A reply as JavaScript. Integers beyond 2^53 and big numbers are bigint; sets and pushes are
 * arrays (their members need not be distinct once decoded); maps are Map, in the server's order;
 * an error inside an array (EXEC) is a ReplyError in its place.
 */
export type Reply =
  | null
  | boolean
  | number
  | bigint
  | string
  | Buffer
  | ReplyError
  | Reply[]
  | Map<Reply, Reply>;

export interface DecodeOptions {
  /** Bulk strings as Buffer instead of UTF-8 text. */
  readonly buffers?: boolean;
}

const CR = 0x0d;
const LF = 0x0a;
/** Replies are at most a handful of levels deep; more is damage, not data. */
const DEPTH_MAX = 128;

const utf8 = new TextEncoder();

/** Encodes commands as RESP arrays of bulk strings, in order. */
export function encodeCommands(commands: readonly Command[]): Buffer {
  const parts: (string | Uint8Array)[] = [];
  let size = 0;
  const add = (part: string | Uint8Array): void => {
    parts.push(part);
    size += typeof part === 'string' ? Buffer.byteLength(part) : part.byteLength;
  };
  for (const command of commands) {
    if (command.length === 0) {
      throw new MoonError('ERR_MOON_CALL', 'A command needs at least its name', {
        found: 'an empty list of arguments',
        needed: "for example server.call('PING')",
      });
    }
    add(`*${command.length}\r\n`);
    for (let i = 0; i < command.length; i++) {
      const value = argumentBytes(command, i);
      const length = typeof value === 'string' ? Buffer.byteLength(value) : value.byteLength;
      add(`$${length}\r\n`);
      add(value);
      add('\r\n');
    }
  }
  return concat(parts, size);
}

function concat(parts: readonly (string | Uint8Array)[], size: number): Buffer {
  const out = Buffer.allocUnsafe(size);
  let at = 0;
  for (const part of parts) {
    if (typeof part === 'string') {
      at += utf8.encodeInto(part, out.subarray(at)).written;
    } else {
      out.set(part, at);
      at += part.byteLength;
    }
  }
  return out;
}

function argumentBytes(command: Command, index: number): string | Uint8Array {
  const value: unknown = command[index];
  if (typeof value === 'string') return value;
  if (value instanceof Uint8Array) return value;
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'number' && !Number.isNaN(value)) {
    if (value === Infinity) return 'inf';
    if (value === -Infinity) return '-inf';
    return String(value);
  }
  const found = value === null ? 'null' : Number.isNaN(value) ? 'NaN' : typeof value;
  throw new MoonError('ERR_MOON_CALL', `Argument ${index} of ${String(command[0])} is not usable`, {
    found,
    needed: 'a string, number, bigint, Buffer or Uint8Array',
    fix: 'convert it first: String(value), JSON.stringify(value)',
  });
}

/** Decodes exactly `count` replies; anything missing or left over is an error. */
export function decodeReplies(
  bytes: Uint8Array,
  count: number,
  options: DecodeOptions = {},
): Reply[] {
  const reader = new ReplyReader(bytes, options.buffers === true);
  const replies: Reply[] = [];
  for (let i = 0; i < count; i++) replies.push(reader.read(0));
  if (!reader.atEnd) throw reader.damaged('bytes left over after the last reply');
  return replies;
}

export const okReply = (): Buffer => Buffer.from('+OK\r\n');

/** `text` begins with its error code: 'ERR syntax error'. Line ends cannot escape the reply. */
export function errorReply(text: string): Buffer {
  return Buffer.from(`-${text.replace(/[\r\n]+/g, ' ')}\r\n`);
}

class ReplyReader {
  private readonly bytes: Buffer;
  private readonly buffers: boolean;
  private at = 0;

  constructor(bytes: Uint8Array, buffers: boolean) {
    this.bytes = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.buffers = buffers;
  }

  get atEnd(): boolean {
    return this.at === this.bytes.length;
  }

  damaged(what: string): MoonError {
    return new MoonError('ERR_MOON_PROTOCOL', `The native server's reply is damaged: ${what}`, {
      found: `byte ${this.at} of ${this.bytes.length}`,
    });
  }

  read(depth: number): Reply {
    if (depth > DEPTH_MAX) throw this.damaged(`nested deeper than ${DEPTH_MAX}`);
    if (this.atEnd) throw this.damaged('it ends where a reply should begin');
    const type = String.fromCharCode(this.bytes[this.at++] ?? 0);
    switch (type) {
      case '+':
        return this.line();
      case '-':
        return new ReplyError(this.line());
      case ':':
        return integer(this.line()) ?? this.fail('not an integer');
      case '$':
        return this.bulk((data) => (this.buffers ? Buffer.from(data) : data.toString()));
      case '!':
        return this.bulk((data) => new ReplyError(data.toString()));
      case '=':
        return this.bulk((data) => this.verbatim(data));
      case '_':
        return this.line() === '' ? null : this.fail('a null with content');
      case '#':
        return this.boolean();
      case ',':
        return double(this.line()) ?? this.fail('not a double');
      case '(':
        return bigNumber(this.line()) ?? this.fail('not a big number');
      case '*':
      case '~':
      case '>':
        return this.array(depth);
      case '%':
        return this.map(depth);
      case '|':
        this.map(depth);
        return this.read(depth + 1);
      default:
        this.at--;
        return this.fail(`unknown type byte ${this.bytes[this.at]}`);
    }
  }

  private fail(what: string): never {
    throw this.damaged(what);
  }

  private line(): string {
    const end = this.bytes.indexOf(CR, this.at);
    if (end < 0 || this.bytes[end + 1] !== LF) return this.fail('a line without its end');
    const text = this.bytes.toString('utf8', this.at, end);
    this.at = end + 2;
    return text;
  }

  /** A length or element count; -1 is RESP2's null. */
  private length(): number {
    const value = integer(this.line());
    if (typeof value !== 'number' || value < -1) return this.fail('a length out of range');
    return value;
  }

  private bulk<T>(convert: (data: Buffer) => T): T | null {
    const length = this.length();
    if (length < 0) return null;
    const end = this.at + length;
    if (end + 2 > this.bytes.length) return this.fail('a string shorter than its length');
    if (this.bytes[end] !== CR || this.bytes[end + 1] !== LF) {
      return this.fail('a string longer than its length');
    }
    const value = convert(this.bytes.subarray(this.at, end));
    this.at = end + 2;
    return value;
  }

  /** `txt:` or `mkd:` before the text says how to show it, not what it is. */
  private verbatim(data: Buffer): string | Buffer {
    if (data.length < 4 || data[3] !== 0x3a) return this.fail('a verbatim string without format');
    return this.buffers ? Buffer.from(data.subarray(4)) : data.toString('utf8', 4);
  }

  private boolean(): boolean {
    const text = this.line();
    if (text !== 't' && text !== 'f') return this.fail('not a boolean');
    return text === 't';
  }

  private array(depth: number): Reply[] | null {
    const length = this.length();
    if (length < 0) return null;
    const items: Reply[] = [];
    for (let i = 0; i < length; i++) items.push(this.read(depth + 1));
    return items;
  }

  private map(depth: number): Map<Reply, Reply> | null {
    const length = this.length();
    if (length < 0) return null;
    const entries = new Map<Reply, Reply>();
    for (let i = 0; i < length; i++) {
      const key = this.read(depth + 1);
      entries.set(key, this.read(depth + 1));
    }
    return entries;
  }
}

function integer(text: string): number | bigint | null {
  if (!/^[+-]?\d{1,20}$/.test(text)) return null;
  const value = Number(text);
  return Number.isSafeInteger(value) ? value + 0 : BigInt(text.replace(/^\+/, ''));
}

function double(text: string): number | null {
  if (text === 'inf' || text === '+inf') return Infinity;
  if (text === '-inf') return -Infinity;
  if (text === 'nan' || text === '-nan') return NaN;
  return /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/.test(text) ? Number(text) : null;
}

function bigNumber(text: string): bigint | null {
  return /^[+-]?\d+$/.test(text) ? BigInt(text.replace(/^\+/, '')) : null;
}
