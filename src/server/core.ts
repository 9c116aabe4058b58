// The living part of a server: owns the NativeServer, its end and its pending calls. The public
// face is server.ts; the CLI and startServer() both start it through boot.ts.
//
// States: running → stopping → closed. stop() may be called in any of them, from anywhere.
import { MoonError, ReplyError } from '../errors.ts';
import { isLogLevel, type Logger } from '../log/logger.ts';
import type {
  NativeEventName,
  NativeEvents,
  NativeInfo,
  NativeServer,
  StopMode,
} from '../native/binding.ts';
import {
  decodeReplies,
  encodeCommands,
  type Command,
  type DecodeOptions,
  type Reply,
} from '../native/resp.ts';
import { answerControl, type ShutdownRequest } from './control.ts';

export interface CoreHooks {
  /** A client sent SHUTDOWN; the one who started the server ends it its own way. */
  onShutdownRequest(request: ShutdownRequest): void;
  onWarning(warning: NativeEvents['warning']): void;
  onConfigChanged(change: NativeEvents['configChanged']): void;
  onStall(stall: NativeEvents['stall']): void;
  onClosed(): void;
}

export class ServerCore {
  readonly info: NativeInfo;
  private readonly native: NativeServer;
  private readonly logger: Logger;
  private hooks: CoreHooks | undefined;
  /** Events that came before anybody could listen. */
  private early: ((hooks: CoreHooks) => void)[] = [];
  private state: 'running' | 'stopping' | 'closed' = 'running';
  private readonly whenClosed: Promise<void>;
  private settleClosed: () => void = () => undefined;

  constructor(native: NativeServer, logger: Logger) {
    this.native = native;
    this.logger = logger;
    this.info = JSON.parse(native.info) as NativeInfo;
    for (const warning of this.info.warnings) logWarning(logger, warning);
    this.whenClosed = new Promise((resolve) => {
      this.settleClosed = resolve;
    });
  }

  get isRunning(): boolean {
    return this.state === 'running';
  }

  /** From now on events go to `hooks`; those that waited go first. */
  attach(hooks: CoreHooks): void {
    this.hooks = hooks;
    const waiting = this.early;
    this.early = [];
    for (const event of waiting) event(hooks);
  }

  /** Runs the commands in order; error replies are values. */
  async run(commands: readonly Command[], options: DecodeOptions = {}): Promise<Reply[]> {
    if (commands.length === 0) return [];
    if (this.state !== 'running') throw closedError();
    const request = encodeCommands(commands);
    const bytes = await new Promise<Uint8Array>((resolve, reject) => {
      this.native.call(request, commands.length, (error, replies) => {
        if (error === null) resolve(replies);
        else if (error === 'closed') reject(closedError());
        else reject(new MoonError('ERR_MOON_CALL', `The command was not executed: ${error}`));
      });
    });
    const replies = decodeReplies(bytes, commands.length, options);
    return replies.map((reply, index) =>
      reply instanceof ReplyError ? reply.withCommand(String(commands[index]?.[0])) : reply,
    );
  }

  /**
   * Resolves when all threads are joined. 'now' also hurries a graceful stop under way; a later
   * 'graceful' only waits with it.
   */
  stop(mode: StopMode, timeoutMs: number): Promise<void> {
    if (this.state === 'closed') return this.whenClosed;
    const first = this.state === 'running';
    this.state = 'stopping';
    if (first || mode === 'now') {
      this.native.stop(mode, timeoutMs, () => {
        this.finish();
      });
    }
    return this.whenClosed;
  }

  setRef(on: boolean): void {
    if (this.state !== 'closed') this.native.setRef(on);
  }

  handleEvent(name: string, payload: string): void {
    // An unknown name falls through: a newer binary with these tables cannot exist.
    switch (name as NativeEventName) {
      case 'log':
        logNative(this.logger, payload);
        break;
      case 'warning': {
        const warning = parse<'warning'>(payload);
        logWarning(this.logger, warning);
        this.deliver((hooks) => {
          hooks.onWarning(warning);
        });
        break;
      }
      case 'configChanged':
        this.followConfig(parse<'configChanged'>(payload));
        this.deliver((hooks) => {
          hooks.onConfigChanged(parse<'configChanged'>(payload));
        });
        break;
      case 'stall':
        this.deliver((hooks) => {
          hooks.onStall(parse<'stall'>(payload));
        });
        break;
      case 'control':
        this.deliver((hooks) => {
          this.control(hooks, parse<'control'>(payload));
        });
        break;
      case 'closed':
        // The server ended by itself; join what is left of it.
        void this.stop('now', 0);
        break;
    }
  }

  private control(hooks: CoreHooks, { id, args }: NativeEvents['control']): void {
    const { reply, shutdown } = answerControl(args, this.logger);
    this.native.respondControl(id, reply);
    if (shutdown === undefined || !this.isRunning) return;
    this.logger.log('warning', 'User requested shutdown...');
    hooks.onShutdownRequest(shutdown);
  }

  /** Directives that take effect on this side of the house. */
  private followConfig({ name, value }: NativeEvents['configChanged']): void {
    if (name === 'loglevel' && isLogLevel(value)) this.logger.level = value;
  }

  private deliver(event: (hooks: CoreHooks) => void): void {
    const { hooks } = this;
    if (hooks !== undefined) event(hooks);
    else this.early.push(event);
  }

  private finish(): void {
    if (this.state === 'closed') return;
    this.state = 'closed';
    this.settleClosed();
    this.deliver((hooks) => {
      hooks.onClosed();
    });
  }
}

/** A log line of the native side. */
export function logNative(logger: Logger, payload: string): void {
  const { level, message } = parse<'log'>(payload);
  logger.log(isLogLevel(level) ? level : 'notice', message);
}

function logWarning(logger: Logger, { message, cure }: NativeEvents['warning']): void {
  logger.log('warning', cure === undefined ? `WARNING ${message}` : `WARNING ${message} ${cure}`);
}

function parse<Name extends NativeEventName>(payload: string): NativeEvents[Name] {
  return JSON.parse(payload) as NativeEvents[Name];
}

function closedError(): MoonError {
  return new MoonError('ERR_MOON_CLOSED', 'The server is closed', {
    needed: 'a running server: close() was called, a client sent SHUTDOWN, or its signal aborted',
  });
}
