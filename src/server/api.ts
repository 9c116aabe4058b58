// What a program sees of a running server. The class behind it is in server.ts.
import type { EventEmitter } from 'node:events';
import type { DirectiveOptions } from '../config/option-names.ts';
import type { NativeInfo } from '../native/binding.ts';
import type { Command, CommandArgument, Reply } from '../native/resp.ts';
import type { ServerEvents, ServerWarning } from './events.ts';
import type { ServerStats } from './stats.ts';

export interface CloseOptions {
  /** Longest wait for replies still being sent; default: the directive shutdown-timeout. */
  readonly timeoutMs?: number;
  /** Close all connections at once. Also hurries a close() that is under way. */
  readonly force?: boolean;
}

/** CONFIG GET and CONFIG SET by the names that startServer() takes. */
export interface ServerConfig {
  /** Values as CONFIG GET prints them, by directive name; `pattern` may hold * and ?. */
  get(pattern?: string): Promise<Record<string, string>>;
  /** All or nothing; a misspelled name or a value that does not fit rejects. */
  set(values: DirectiveOptions): Promise<void>;
}

/** Shard threads, I/O driver and why, memory limit and where it came from. */
export type ServerFacts = NativeInfo;

export interface Server extends EventEmitter<ServerEvents>, AsyncDisposable {
  /** Address to connect to; with several in `bind`, the first. */
  readonly host: string;
  /** The port that was bound; 0 when the server listens on no TCP port. */
  readonly port: number;
  /** Absolute path of the unix socket, if there is one. */
  readonly unixSocket: string | undefined;
  /** For clients: redis://host:port, with the password of `requirepass` where one is set. */
  readonly url: string;
  readonly facts: ServerFacts;
  readonly config: ServerConfig;
  /** Warnings so far, those of the start included. */
  readonly warnings: readonly ServerWarning[];
  /** Whether commands are taken. */
  readonly isRunning: boolean;

  /**
   * Runs one command without a socket: `await server.call('SET', 'k', 'v')`. Replies as RESP3 has
   * them, bulk strings as UTF-8 text. An error reply rejects with ReplyError, whose `code` is
   * WRONGTYPE, ERR, … Each call is a client of its own: what SELECT or MULTI set ends with it, and
   * calls that were not awaited may run in any order (pipeline() keeps one).
   */
  call<T = Reply>(name: string, ...args: CommandArgument[]): Promise<T>;
  /** As call(), bulk strings as Buffer. */
  callBuffer<T = Reply>(name: string, ...args: CommandArgument[]): Promise<T>;

  /**
   * Runs commands in order as one client and answers with one reply each. An error reply stands in
   * its place as a ReplyError; the other commands run all the same.
   */
  pipeline(commands: readonly Command[]): Promise<Reply[]>;
  /** As pipeline(), bulk strings as Buffer. */
  pipelineBuffer(commands: readonly Command[]): Promise<Reply[]>;

  /** The text of INFO, of the sections named or of the default ones. */
  info(...sections: string[]): Promise<string>;
  /** All numbers of INFO by their Redis names: `(await server.stats()).used_memory`. */
  stats(): Promise<ServerStats>;

  /** Lets the process end while this server runs. */
  unref(): this;
  /** Undoes unref(). */
  ref(): this;

  /**
   * Stops accepting, lets commands finish and replies go out, closes the connections and joins the
   * threads. Idempotent; every call resolves when all is over.
   */
  close(options?: CloseOptions): Promise<void>;
}
