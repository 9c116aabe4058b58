// Log lines as Redis writes them, so that people and tools that read Redis's log read ours:
//   1234:M 30 Nov 2026 21:50:15.739 * Ready to accept connections
// A logger writes whole lines, synchronously: what was logged is out even when the process dies
// on the next line. It owns no signal, no stream and no timer.
import { appendFileSync, writeSync } from 'node:fs';

/** Redis's levels; `nothing` silences even warnings. */
export const logLevels = ['debug', 'verbose', 'notice', 'warning', 'nothing'] as const;

export type LogLevel = (typeof logLevels)[number];

const marks: Readonly<Record<LogLevel, string>> = {
  debug: '.',
  verbose: '-',
  notice: '*',
  warning: '#',
  nothing: '#',
};

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ');

/** Takes one line, its end included. */
export type LogSink = (line: string) => void;

export interface Logger {
  level: LogLevel;
  log(level: LogLevel, message: string): void;
}

export const silentLogger: Logger = { level: 'nothing', log: () => undefined };

export const isLogLevel = (word: string): word is LogLevel =>
  (logLevels as readonly string[]).includes(word);

/** The world a logger needs. */
export interface LogClock {
  now(): Date;
  readonly pid: number;
}

const systemClock: LogClock = { now: () => new Date(), pid: process.pid };

export function createLogger(sink: LogSink, level: LogLevel, clock = systemClock): Logger {
  return {
    level,
    log(lineLevel, message) {
      if (logLevels.indexOf(lineLevel) < logLevels.indexOf(this.level)) return;
      // A message of several lines stays several lines, each complete by itself.
      for (const line of message.split('\n')) sink(formatLine(lineLevel, line, clock));
    },
  };
}

export function formatLine(level: LogLevel, message: string, clock = systemClock): string {
  const at = clock.now();
  const two = (value: number): string => String(value).padStart(2, '0');
  const date = `${two(at.getDate())} ${months[at.getMonth()]} ${at.getFullYear()}`;
  const time = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
  const ms = String(at.getMilliseconds()).padStart(3, '0');
  return `${clock.pid}:M ${date} ${time}.${ms} ${marks[level]} ${message}\n`;
}

/** Lines to a descriptor; a reader that went away or lags costs lines, never the server. */
export function fdSink(fd: number): LogSink {
  return (line) => {
    const bytes = Buffer.from(line);
    let at = 0;
    // A pipe set non-blocking by its reader answers EAGAIN; a few tries, then the line is lost.
    for (let tries = 0; at < bytes.length && tries < 50; tries++) {
      try {
        at += writeSync(fd, bytes, at);
      } catch (thrown) {
        if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'EAGAIN')) return;
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
      }
    }
  };
}

/** Lines to a file, opened anew for each, so that it may be rotated at any time. */
export function fileSink(path: string): LogSink {
  return (line) => {
    try {
      appendFileSync(path, line);
    } catch {
      // The disk is full or the directory gone: the server is worth more than its log.
    }
  };
}
