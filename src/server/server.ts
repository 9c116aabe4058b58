// The face of a running server: it speaks and validates; ServerCore and the native side act.
import { EventEmitter } from 'node:events';
import type { DirectiveOptions } from '../config/option-names.ts';
import { directiveOf, optionText } from '../config/options.ts';
import { MoonError, ReplyError } from '../errors.ts';
import type { Command, CommandArgument, Reply } from '../native/resp.ts';
import type { CloseOptions, Server, ServerConfig, ServerFacts } from './api.ts';
import type { ShutdownRequest } from './control.ts';
import type { ServerCore } from './core.ts';
import type { ServerEvents, ServerWarning } from './events.ts';
import { parseInfo, type ServerStats } from './stats.ts';

export interface Endpoint {
  readonly host: string;
  readonly port: number;
  readonly unixSocket: string | undefined;
  readonly url: string;
}

/** What boot.ts tells the face. */
export interface FaceSettings {
  readonly endpoint: Endpoint;
  readonly shutdownTimeoutMs: number;
  /** What SHUTDOWN does; default: close(). */
  readonly onShutdownRequest?: (server: Server, request: ShutdownRequest) => void;
}

export class ServerFace extends EventEmitter<ServerEvents> implements Server {
  readonly host: string;
  readonly port: number;
  readonly unixSocket: string | undefined;
  readonly url: string;
  readonly facts: ServerFacts;
  readonly config: ServerConfig;

  readonly #core: ServerCore;
  readonly #defaultTimeoutMs: number;
  readonly #warnings: ServerWarning[];

  constructor(core: ServerCore, settings: FaceSettings) {
    super();
    this.#core = core;
    this.#defaultTimeoutMs = settings.shutdownTimeoutMs;
    this.#warnings = [...core.info.warnings];
    const { endpoint } = settings;
    this.host = endpoint.host;
    this.port = endpoint.port;
    this.unixSocket = endpoint.unixSocket;
    this.url = endpoint.url;
    this.facts = core.info;
    this.config = {
      get: (pattern = '*') => this.#configGet(pattern),
      set: (values) => this.#configSet(values),
    };
    // Not before the caller of startServer() had its turn: events find its listeners.
    setImmediate(() => {
      this.#listen(settings.onShutdownRequest);
    });
  }

  get warnings(): readonly ServerWarning[] {
    return this.#warnings;
  }

  get isRunning(): boolean {
    return this.#core.isRunning;
  }

  async call<T = Reply>(name: string, ...args: CommandArgument[]): Promise<T> {
    const [reply = null] = await this.#core.run([[name, ...args]]);
    if (reply instanceof ReplyError) throw reply;
    return reply as T;
  }

  async callBuffer<T = Reply>(name: string, ...args: CommandArgument[]): Promise<T> {
    const [reply = null] = await this.#core.run([[name, ...args]], { buffers: true });
    if (reply instanceof ReplyError) throw reply;
    return reply as T;
  }

  pipeline(commands: readonly Command[]): Promise<Reply[]> {
    return this.#core.run(commands);
  }

  pipelineBuffer(commands: readonly Command[]): Promise<Reply[]> {
    return this.#core.run(commands, { buffers: true });
  }

  info(...sections: string[]): Promise<string> {
    return this.call<string>('INFO', ...sections);
  }

  async stats(): Promise<ServerStats> {
    return parseInfo(await this.info('everything'));
  }

  unref(): this {
    this.#core.setRef(false);
    return this;
  }

  ref(): this {
    this.#core.setRef(true);
    return this;
  }

  async close(options: CloseOptions = {}): Promise<void> {
    const { timeoutMs = this.#defaultTimeoutMs, force = false } = options;
    if (!Number.isFinite(timeoutMs) || timeoutMs < 0) {
      throw new MoonError('ERR_MOON_OPTION_INVALID', 'close(): timeoutMs is not usable', {
        found: String(timeoutMs),
        needed: 'milliseconds, 0 or more',
      });
    }
    await this.#core.stop(force ? 'now' : 'graceful', Math.ceil(timeoutMs));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #listen(onShutdownRequest: FaceSettings['onShutdownRequest']): void {
    if (this.isRunning) this.emit('ready');
    this.#core.attach({
      onShutdownRequest: (request) => {
        if (onShutdownRequest !== undefined) onShutdownRequest(this, request);
        else void this.close({ force: request.now });
      },
      onWarning: (warning) => {
        this.#warnings.push(warning);
        this.emit('warning', warning);
      },
      onConfigChanged: (change) => this.emit('configChanged', change),
      onStall: (stall) => this.emit('stall', stall),
      onClosed: () => this.emit('closed'),
    });
  }

  async #configGet(pattern: string): Promise<Record<string, string>> {
    const reply = await this.call('CONFIG', 'GET', pattern);
    if (!(reply instanceof Map)) return {};
    return Object.fromEntries([...reply].map(([name, value]) => [String(name), String(value)]));
  }

  async #configSet(values: DirectiveOptions): Promise<void> {
    const pairs = Object.entries(values).flatMap(([option, value]) => {
      const row = directiveOf(option, 'config.set()');
      if (value === undefined) return [];
      return [row.name, optionText(row, option, value, 'config.set()')];
    });
    if (pairs.length > 0) await this.call('CONFIG', 'SET', ...pairs);
  }
}
