// A case of our own: what is sent on one or several connections, and what must come back, in the
// notation of test/helpers/resp.ts. Each runs on every axis, on an empty server.
import { notation, type Word } from '../helpers/resp.ts';
import type { TestServer } from '../helpers/servers.ts';
import type { CommandLine, WireClient } from '../helpers/wire.ts';

/** A reply in the notation, a pattern that the notation matches, or a check of it. */
export type Expected = string | RegExp | ((reply: string) => boolean);

export type Row = readonly [command: CommandLine, expected: Expected];

export interface WireCase {
  readonly name: string;
  readonly run: (session: Session) => Promise<void>;
  /** Newer than the oracle: left out where redis-server is the target. */
  readonly since72?: true;
}

export class Session {
  readonly server: TestServer;
  private readonly clients = new Map<string, WireClient>();

  constructor(server: TestServer) {
    this.server = server;
  }

  /** The connection of this name, opened at first use. */
  async on(name: string | number, protocol: 2 | 3 = 2): Promise<WireClient> {
    const known = this.clients.get(`${name}`);
    if (known !== undefined) return known;
    const client = await this.server.connect(protocol);
    this.clients.set(`${name}`, client);
    return client;
  }

  /** Rows one after the other on one connection. */
  async rows(rows: readonly Row[], name: string | number = 1, protocol: 2 | 3 = 2): Promise<void> {
    const client = await this.on(name, protocol);
    for (const [command, expected] of rows) expect(expected, await client.call(command), command);
  }

  /** The same rows in one write. */
  async pipelined(rows: readonly Row[], name: string | number = 1): Promise<void> {
    const client = await this.on(name);
    const replies = await client.pipeline(rows.map(([command]) => command));
    rows.forEach(([command, expected], i) => {
      expect(expected, replies[i] ?? '', command);
    });
  }

  /** Bytes on a connection of their own; the replies in order, `'closed'` is its end. */
  async bytes(bytes: string | Buffer, expected: readonly Expected[]): Promise<void> {
    const client = await this.server.connect();
    try {
      client.write(bytes);
      for (const wanted of expected) {
        const frame = await client.frameOrEnd(`${String(wanted)} to ${String(bytes).slice(0, 60)}`);
        expect(wanted, frame === null ? 'closed' : notation(frame), String(bytes).slice(0, 100));
      }
    } finally {
      await client.close();
    }
  }

  async call(command: CommandLine, name: string | number = 1): Promise<string> {
    return (await this.on(name)).call(command);
  }

  async info(section: string, field: string): Promise<number> {
    const text = await this.call(['INFO', section], 'info');
    return Number(new RegExp(`\\\\n${field}:(\\d+)`).exec(text)?.[1]);
  }

  async end(): Promise<void> {
    await Promise.all([...this.clients.values()].map((client) => client.close()));
  }
}

export function expect(expected: Expected, got: string, about: CommandLine | string): void {
  const right =
    typeof expected === 'string'
      ? got === expected
      : expected instanceof RegExp
        ? expected.test(got)
        : expected(got);
  if (right) return;
  const command = typeof about === 'string' ? about : about.map(String).join(' ');
  throw new Error(`${command.slice(0, 200)}\n  expected ${String(expected)}\n  got      ${got}`);
}

/** Text in the notation of a bulk string. */
export const bulk = (text: string): string => JSON.stringify(text);

export const list = (...replies: readonly string[]): string => `[${replies.join(', ')}]`;

export const OK = '+OK';
export const QUEUED = '+QUEUED';

/** ':n' with n in a range. */
export const within =
  (low: number, high: number): Expected =>
  (reply) => {
    const value = Number(reply.slice(1));
    return reply.startsWith(':') && value >= low && value <= high;
  };

export const repeat = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

export const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

export type { Word };
