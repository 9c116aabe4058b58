// How the process ends: SIGTERM and SIGINT, a second one, or a client's SHUTDOWN. Only the CLI
// comes here; the library touches no signal and ends no process.
import { constants } from 'node:os';
import type { Logger } from '../log/logger.ts';

export interface Closable {
  close(options?: { readonly timeoutMs?: number; readonly force?: boolean }): Promise<void>;
}

/** The parts of `process` that are used; tests bring their own. */
export interface SignalHost {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  exit(code: number): void;
}

/**
 * npm and a terminal both deliver the same Ctrl-C: what comes this soon after the first is its
 * echo, not impatience.
 */
const ECHO_MS = 500;

export class Shutdown {
  private server: Closable | undefined;
  private startedAt: number | undefined;
  private forced = false;
  private readonly logger: Logger;
  private readonly timeoutMs: number;
  private readonly host: SignalHost;
  /** Runs before the process exits: pid file, … */
  private readonly cleanUp: () => void;

  constructor(logger: Logger, timeoutMs: number, cleanUp: () => void, host: SignalHost = process) {
    this.logger = logger;
    this.timeoutMs = timeoutMs;
    this.cleanUp = cleanUp;
    this.host = host;
  }

  /** Until attach() there is no server: a signal then ends the process at once. */
  install(): void {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      this.host.on(signal, () => {
        this.onSignal(signal);
      });
    }
    // As Redis: the terminal's end is not the server's.
    this.host.on('SIGHUP', () => undefined);
  }

  attach(server: Closable): void {
    this.server = server;
  }

  onSignal(signal: 'SIGTERM' | 'SIGINT', now = Date.now()): void {
    if (this.server === undefined) {
      this.logger.log('warning', `Received ${signal} before the server was up, exiting.`);
      this.end(128 + constants.signals[signal]);
      return;
    }
    if (this.startedAt === undefined) {
      this.startedAt = now;
      this.logger.log('warning', `Received ${signal} scheduling shutdown...`);
      void this.shutDown(false);
      return;
    }
    if (now - this.startedAt < ECHO_MS) return;
    if (this.forced) {
      this.logger.log('warning', `Received ${signal} a third time, exiting without a clean end.`);
      this.end(1);
      return;
    }
    this.forced = true;
    this.startedAt = now;
    this.logger.log('warning', `Received ${signal} again, closing all connections now.`);
    void this.server.close({ force: true });
  }

  /** A client sent SHUTDOWN. */
  onRequest(now: boolean): void {
    if (this.startedAt !== undefined) return;
    this.startedAt = Date.now();
    void this.shutDown(now);
  }

  private async shutDown(force: boolean): Promise<void> {
    const limit = this.timeoutMs / 1000;
    this.logger.log(
      'notice',
      force
        ? 'Closing all connections.'
        : `Not accepting connections any more; running commands have ${limit} s to finish.`,
    );
    await this.server?.close({ timeoutMs: this.timeoutMs, force });
    this.logger.log('notice', 'All connections are closed and all shard threads have ended.');
    this.logger.log('warning', 'moon-server is now ready to exit, bye bye...');
    this.end(0);
  }

  private end(code: number): void {
    this.cleanUp();
    this.host.exit(code);
  }
}
