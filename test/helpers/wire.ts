// A client of one socket: bytes out, frames in, nothing in between. Every wait has a generous
// bound, so that a reply that never comes is a failure that says so and not a test that hangs.
import { connect, type Socket } from 'node:net';
import {
  encode,
  encodeAll,
  FrameSplitter,
  notation,
  parseFrame,
  quote,
  words,
  type Frame,
  type Word,
} from './resp.ts';

export type Target = { readonly port: number } | { readonly path: string };
export type CommandLine = string | readonly Word[];

/** No reply takes so long unless it does not come. */
const PATIENCE_MS = 20_000;

export class ConnectionClosed extends Error {
  constructor(waitedFor: string) {
    super(`the server closed the connection; waited for ${waitedFor}`);
  }
}

export class WireClient {
  readonly closed: Promise<void>;
  private readonly socket: Socket;
  private readonly splitter = new FrameSplitter();
  private gone = false;
  private wake: () => void = () => undefined;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setNoDelay(true);
    socket.on('data', (chunk) => {
      this.splitter.push(chunk);
      this.wake();
    });
    socket.on('error', () => undefined);
    this.closed = new Promise((resolve) => {
      socket.on('close', () => {
        this.gone = true;
        this.wake();
        resolve();
      });
    });
  }

  static async open(target: Target, protocol?: 2 | 3): Promise<WireClient> {
    const socket = 'path' in target ? connect(target.path) : connect(target.port, '127.0.0.1');
    await new Promise<void>((resolve, reject) => {
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve();
      });
    });
    const client = new WireClient(socket);
    if (protocol === 3) {
      const reply = await client.call('HELLO 3');
      if (!reply.startsWith('{')) throw new Error(`HELLO 3 was answered with ${reply}`);
    }
    return client;
  }

  get isClosed(): boolean {
    return this.gone;
  }

  write(bytes: string | Buffer): void {
    this.socket.write(bytes);
  }

  /** Sends commands in one write. */
  send(...commands: CommandLine[]): void {
    this.write(encodeAll(commands.map(words)));
  }

  /** The next frame; null when the server closed the connection instead. */
  async frameOrEnd(what = 'a reply', patienceMs = PATIENCE_MS): Promise<Buffer | null> {
    for (;;) {
      const frame = this.splitter.next();
      if (frame !== null) return frame;
      if (this.gone) return null;
      await this.more(what, patienceMs);
    }
  }

  /** The next frame if it comes within so many milliseconds. */
  async frameWithin(milliseconds: number): Promise<Buffer | null> {
    try {
      return await this.frameOrEnd('a reply', milliseconds);
    } catch (error) {
      if (error instanceof NothingCame) return null;
      throw error;
    }
  }

  async frame(what = 'a reply'): Promise<Buffer> {
    const frame = await this.frameOrEnd(what);
    if (frame === null) throw new ConnectionClosed(what);
    return frame;
  }

  async frames(count: number): Promise<Buffer[]> {
    const frames: Buffer[] = [];
    while (frames.length < count) {
      frames.push(await this.frame(`reply ${frames.length + 1} of ${count}`));
    }
    return frames;
  }

  /** All frames until the connection is closed. */
  async untilClosed(): Promise<Buffer[]> {
    const frames: Buffer[] = [];
    for (;;) {
      const frame = await this.frameOrEnd('the end of the connection');
      if (frame === null) return frames;
      frames.push(frame);
    }
  }

  /** One command, its reply as it came. */
  async raw(command: CommandLine): Promise<Buffer> {
    this.write(encode(words(command)));
    return this.frame(`the reply to ${String(command).slice(0, 80)}`);
  }

  /** One command, its reply in the notation of resp.ts. */
  async call(command: CommandLine): Promise<string> {
    return notation(await this.raw(command));
  }

  async ask(command: CommandLine): Promise<Frame> {
    return parseFrame(await this.raw(command));
  }

  /** Commands in one write, their replies in the notation. */
  async pipeline(commands: readonly CommandLine[]): Promise<string[]> {
    this.send(...commands);
    return (await this.frames(commands.length)).map((frame) => notation(frame));
  }

  /** What arrives within so many milliseconds although nothing should: null when nothing did. */
  async surprise(withinMs: number): Promise<string | null> {
    const frame = await this.frameWithin(withinMs);
    if (frame !== null) return notation(frame);
    if (this.gone) return 'the end of the connection';
    return this.splitter.rest.length === 0 ? null : quote(this.splitter.rest);
  }

  /** Stops reading: the server's replies stay in the kernel's buffers, then in its own. */
  pause(): void {
    this.socket.pause();
  }

  resume(): void {
    this.socket.resume();
  }

  /** Closes our side and waits for the other. */
  async close(): Promise<void> {
    this.socket.end();
    this.socket.destroy();
    await this.closed;
  }

  /** Ends the connection by RST. */
  async reset(): Promise<void> {
    this.socket.resetAndDestroy();
    await this.closed;
  }

  /** Says that nothing more will be sent; replies still come. */
  finish(): void {
    this.socket.end();
  }

  private async more(what: string, patienceMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const inTime = await new Promise<boolean>((resolve) => {
      this.wake = () => {
        resolve(true);
      };
      timer = setTimeout(() => {
        resolve(false);
      }, patienceMs);
    });
    clearTimeout(timer);
    this.wake = () => undefined;
    if (!inTime) throw new NothingCame(what, patienceMs, this.splitter.rest);
  }
}

class NothingCame extends Error {
  constructor(what: string, patienceMs: number, rest: Buffer) {
    const partial = rest.length === 0 ? '' : `; so far ${quote(rest.subarray(0, 200))}`;
    super(`${what} did not come within ${patienceMs} ms${partial}`);
  }
}
