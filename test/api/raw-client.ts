// A client of few lines: commands out, replies back, nothing in between.
import { connect, type Socket } from 'node:net';
import { MoonError } from '../../src/errors.ts';
import { decodeReplies, encodeCommands, type Command, type Reply } from '../../src/native/resp.ts';

export class RawClient {
  readonly socket: Socket;
  readonly closed: Promise<void>;
  private received = Buffer.alloc(0);
  private wake: () => void = () => undefined;
  private gone = false;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (data) => {
      this.received = Buffer.concat([this.received, data]);
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

  static open(target: { readonly port: number } | { readonly path: string }): Promise<RawClient> {
    return new Promise((resolve, reject) => {
      const socket = 'path' in target ? connect(target.path) : connect(target.port, '127.0.0.1');
      socket.once('error', reject);
      socket.once('connect', () => {
        resolve(new RawClient(socket));
      });
    });
  }

  /** Sends the commands at once and resolves to their replies. */
  async run(...commands: Command[]): Promise<Reply[]> {
    this.socket.write(encodeCommands(commands));
    for (;;) {
      try {
        const replies = decodeReplies(this.received, commands.length);
        this.received = Buffer.alloc(0);
        return replies;
      } catch (thrown) {
        if (!(thrown instanceof MoonError)) throw thrown;
      }
      if (this.gone) throw new Error('the connection was closed');
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  close(): void {
    this.socket.destroy();
  }
}
