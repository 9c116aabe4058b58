// RESP as a test sees it, written apart from src/ so that one cannot hide the other's mistakes:
// commands to bytes, bytes to frames, frames to a notation that reads well in a table.
//
// The notation, by wire type:
//   +OK  -ERR text  :1  "bulk"  nil ($-1)  nil[] (*-1)  [a, b]              RESP2
//   null  #t  ,1.5  (123  =txt:"verbatim"  !"error"  ~[a]  {k: v}  >[push]  |{k: v} value   RESP3
// Quoted text has JSON's escapes, and \xHH for bytes that are no UTF-8.

export type Word = string | Buffer;

export interface Frame {
  /** First byte of the frame: its wire type. */
  readonly mark: string;
  /** The frame as it came, nested frames included. */
  readonly raw: Buffer;
  /** Of a scalar: what stands behind the mark, or the body of a bulk; null for $-1, *-1 and _. */
  readonly text: Buffer | null;
  /** Of an aggregate: its frames in order, keys and values of a map in turn. */
  readonly elements: readonly Frame[];
}

const CRLF = Buffer.from('\r\n');

/** One command as an array of bulk strings. */
export function encode(words: readonly Word[]): Buffer {
  const parts: Buffer[] = [Buffer.from(`*${words.length}\r\n`)];
  for (const word of words) {
    const bytes = typeof word === 'string' ? Buffer.from(word) : word;
    parts.push(Buffer.from(`$${bytes.length}\r\n`), bytes, CRLF);
  }
  return Buffer.concat(parts);
}

export const encodeAll = (commands: readonly (readonly Word[])[]): Buffer =>
  Buffer.concat(commands.map(encode));

/** 'SET k v' as its words; commands whose words hold blanks are written as arrays. */
export const words = (command: string | readonly Word[]): readonly Word[] =>
  typeof command === 'string' ? command.split(' ') : command;

const AGGREGATES = new Map([['*', 1], ['~', 1], ['>', 1], ['%', 2], ['|', 2]]);
const BULKS = '$=!';

/**
 * Cuts a stream of bytes into frames. Each byte is looked at once, however the stream is cut up:
 * the state is a position and the number of elements that the frame still needs.
 */
export class FrameSplitter {
  private bytes: Buffer = Buffer.alloc(0);
  private end = 0;
  private frameStart = 0;
  private position = 0;
  private missing = 1;

  push(chunk: Buffer): void {
    if (this.end + chunk.length > this.bytes.length) this.grow(chunk.length);
    chunk.copy(this.bytes, this.end);
    this.end += chunk.length;
  }

  /** The next whole frame, if it is there. The buffer stays valid. */
  next(): Buffer | null {
    while (this.missing > 0) {
      if (!this.step()) return null;
    }
    const frame = this.bytes.subarray(this.frameStart, this.position);
    this.frameStart = this.position;
    this.missing = 1;
    return frame;
  }

  /** What came and is no whole frame yet. */
  get rest(): Buffer {
    return this.bytes.subarray(this.frameStart, this.end);
  }

  /** Moves what is not handed out into a new buffer: frames handed out keep the old one. */
  private grow(by: number): void {
    const live = this.end - this.frameStart;
    const bigger = Buffer.allocUnsafe(Math.max(65536, 2 * (live + by)));
    this.bytes.copy(bigger, 0, this.frameStart, this.end);
    this.bytes = bigger;
    this.position -= this.frameStart;
    this.frameStart = 0;
    this.end = live;
  }

  /** Takes one header, and the body of a bulk; false when it is not whole. */
  private step(): boolean {
    const line = this.bytes.indexOf(CRLF, this.position);
    if (line < 0 || line + 2 > this.end) return false;
    const mark = String.fromCharCode(this.bytes[this.position] ?? 0);
    const width = AGGREGATES.get(mark);
    let after = line + 2;
    if (width !== undefined) {
      const count = this.count(line);
      this.missing += Math.max(0, count) * width - (mark === '|' ? 0 : 1);
    } else if (BULKS.includes(mark)) {
      const length = this.count(line);
      if (length >= 0) after += length + 2;
      if (after > this.end) return false;
      this.missing -= 1;
    } else if ('+-:_#,('.includes(mark)) {
      this.missing -= 1;
    } else {
      const start = this.bytes.subarray(this.position, this.position + 60);
      throw new Error(`not a reply: ${JSON.stringify(start.toString('latin1'))}`);
    }
    this.position = after;
    return true;
  }

  private count(line: number): number {
    const digits = this.bytes.toString('latin1', this.position + 1, line);
    if (!/^(-1|\d{1,15})$/.test(digits)) throw new Error(`not a length in a reply: ${digits}`);
    return Number(digits);
  }
}

/** All frames of a stream that ends with a whole frame. */
export function splitFrames(stream: Buffer): Buffer[] {
  const splitter = new FrameSplitter();
  splitter.push(stream);
  const frames: Buffer[] = [];
  for (let frame = splitter.next(); frame !== null; frame = splitter.next()) frames.push(frame);
  if (splitter.rest.length > 0) throw new Error('the stream ends within a frame');
  return frames;
}

export function parseFrame(raw: Buffer): Frame {
  const { frame, end } = parseAt(raw, 0);
  if (end !== raw.length) throw new Error('bytes behind the frame');
  return frame;
}

function parseAt(bytes: Buffer, start: number): { frame: Frame; end: number } {
  const line = bytes.indexOf(CRLF, start);
  const mark = String.fromCharCode(bytes[start] ?? 0);
  const head = bytes.subarray(start + 1, line);
  let end = line + 2;
  const done = (text: Buffer | null, elements: readonly Frame[] = []) => ({
    frame: { mark, raw: bytes.subarray(start, end), text, elements },
    end,
  });
  const width = AGGREGATES.get(mark);
  const count = Number(head.toString('latin1'));
  if (mark === '_' || ((width !== undefined || BULKS.includes(mark)) && count < 0)) {
    return done(null);
  }
  if (width !== undefined) {
    const elements: Frame[] = [];
    const wanted = count * width + (mark === '|' ? 1 : 0);
    while (elements.length < wanted) {
      const { frame, end: next } = parseAt(bytes, end);
      elements.push(frame);
      end = next;
    }
    return done(Buffer.alloc(0), elements);
  }
  if (!BULKS.includes(mark)) return done(head);
  const body = bytes.subarray(end, end + count);
  end += count + 2;
  return done(body);
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Text in quotes. */
export function quote(bytes: Buffer): string {
  try {
    return JSON.stringify(utf8.decode(bytes));
  } catch {
    const escaped = [...bytes].map((byte) => {
      const char = String.fromCharCode(byte);
      if (byte < 0x20 || byte > 0x7e) return `\\x${byte.toString(16).padStart(2, '0')}`;
      return char === '"' || char === '\\' ? `\\${char}` : char;
    });
    return `"${escaped.join('')}"`;
  }
}

/** A frame in the notation above. */
export function notation(frame: Frame | Buffer): string {
  const { mark, text, elements } = Buffer.isBuffer(frame) ? parseFrame(frame) : frame;
  if (text === null) return mark === '_' ? 'null' : mark === '*' ? 'nil[]' : 'nil';
  const list = (): string => elements.map((element) => notation(element)).join(', ');
  switch (mark) {
    case '*':
      return `[${list()}]`;
    case '~':
    case '>':
      return `${mark}[${list()}]`;
    case '%':
      return `{${pairs(elements)}}`;
    case '|':
      return `|{${pairs(elements.slice(0, -1))}} ${notation(elements.at(-1) as Frame)}`;
    case '$':
      return quote(text);
    case '=':
      return `=${text.toString('latin1', 0, 4)}${quote(text.subarray(4))}`;
    case '!':
      return `!${quote(text)}`;
    default:
      return mark + text.toString();
  }
}

function pairs(elements: readonly Frame[]): string {
  const shown: string[] = [];
  for (let i = 0; i + 1 < elements.length; i += 2) {
    shown.push(`${notation(elements[i] as Frame)}: ${notation(elements[i + 1] as Frame)}`);
  }
  return shown.join(', ');
}

/** Like notation(), at most so long; the middle of a long text says how much was left out. */
export function brief(frame: Frame | Buffer, length = 300): string {
  return shorten(notation(frame), length);
}

export function shorten(text: string, length = 300): string {
  if (text.length <= length) return text;
  const half = Math.floor(length / 2);
  const left = text.length - 2 * half;
  return `${text.slice(0, half)} …${left} characters… ${text.slice(-half)}`;
}

/** A command for people: words quoted where they are not plain. */
export function commandText(command: readonly Word[], length = 200): string {
  const shown = command.map((word) => {
    const bytes = typeof word === 'string' ? Buffer.from(word) : word;
    return /^[\x21-\x7e]+$/.test(bytes.toString('latin1')) ? bytes.toString() : quote(bytes);
  });
  return shorten(shown.join(' '), length);
}
