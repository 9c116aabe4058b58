// `moon-server ping [--ready]`: the health check of a container. Speaks to the server that the same
// configuration (conf file, MOON_* variables, flags) would start, or to --url.
import { connect, type Socket } from 'node:net';
import { resolve } from 'node:path';
import { MoonError, messageOf } from '../errors.ts';
import { encodeCommands } from '../native/resp.ts';
import { connectHost } from '../server/boot.ts';
import type { PingArgs } from './args.ts';

export interface PingTarget {
  readonly host: string;
  readonly port: number;
  /** Absolute path; wins over host and port. */
  readonly unixSocket: string | undefined;
  readonly username: string | undefined;
  readonly password: string | undefined;
}

/** Longest reply that is read; INFO persistence is under one kilobyte. */
const REPLY_BYTES_MAX = 64 * 1024;

export function targetOfConfig(
  values: ReadonlyMap<string, string>,
  workingDirectory: string,
): PingTarget {
  const port = Number(values.get('port') ?? '6379');
  const socket = values.get('unixsocket') ?? '';
  const password = values.get('requirepass') ?? '';
  return {
    host: connectHost((values.get('bind') ?? '').split(' ')[0] ?? ''),
    port,
    unixSocket: port === 0 && socket !== '' ? resolve(workingDirectory, socket) : undefined,
    username: undefined,
    password: password === '' ? undefined : password,
  };
}

export function targetOfUrl(text: string): PingTarget {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !['redis:', 'unix:'].includes(url.protocol)) {
    throw new MoonError('ERR_MOON_USAGE', 'ping: --url is not usable', {
      found: text,
      needed: 'redis://[[user]:password@]host[:port] or unix:///path',
    });
  }
  const orUndefined = (word: string): string | undefined =>
    word === '' ? undefined : decodeURIComponent(word);
  return {
    host: url.hostname.replace(/^\[|\]$/g, '') || '127.0.0.1',
    port: Number(url.port || '6379'),
    unixSocket: url.protocol === 'unix:' ? decodeURIComponent(url.pathname) : undefined,
    username: orUndefined(url.username),
    password: orUndefined(url.password),
  };
}

/** Resolves when the server answers as asked, else rejects with what is wrong. */
export async function ping(target: PingTarget, options: PingArgs): Promise<void> {
  const { host, port, unixSocket } = target;
  const where = unixSocket ?? `${host}:${port}`;
  const socket = unixSocket === undefined ? connect(port, host) : connect(unixSocket);
  try {
    const reader = new LineReader(socket, options.timeoutMs);
    if (target.password !== undefined) {
      const login = target.username === undefined ? [] : [target.username];
      socket.write(encodeCommands([['AUTH', ...login, target.password]]));
      expect(await reader.reply(), 'OK', where);
    }
    socket.write(encodeCommands([['PING']]));
    expect(await reader.reply(), 'PONG', where);
    if (!options.ready) return;
    socket.write(encodeCommands([['INFO', 'persistence']]));
    const info = await reader.reply();
    if (/^loading:0\r?$/m.test(info)) return;
    const percent = /^loading_loaded_perc:([\d.]+)/m.exec(info)?.[1];
    throw notReady(where, percent === undefined ? info : `it is loading: ${percent} %`);
  } catch (thrown) {
    if (thrown instanceof MoonError) throw thrown;
    throw notReady(where, messageOf(thrown), thrown);
  } finally {
    socket.destroy();
  }
}

function expect(reply: string, wanted: string, where: string): void {
  if (reply !== wanted) throw notReady(where, `it answered ${reply.slice(0, 200)}`);
}

function notReady(where: string, found: string, cause?: unknown): MoonError {
  return new MoonError('ERR_MOON_CALL', `The server at ${where} is not ready`, { found, cause });
}

/** Simple, error and bulk replies, one at a time, within one deadline. */
class LineReader {
  private received = Buffer.alloc(0);
  private failure: Error | undefined;
  private wake: () => void = () => undefined;

  constructor(socket: Socket, timeoutMs: number) {
    const fail = (error: Error): void => {
      this.failure ??= error;
      this.wake();
    };
    const timer = setTimeout(() => {
      fail(new Error(`no answer within ${timeoutMs} ms`));
    }, timeoutMs);
    socket.on('error', fail);
    socket.on('close', () => {
      clearTimeout(timer);
      fail(new Error('it closed the connection'));
    });
    socket.on('data', (data) => {
      this.received = Buffer.concat([this.received, data]);
      if (this.received.length > REPLY_BYTES_MAX) fail(new Error('its answer is too long'));
      this.wake();
    });
  }

  async reply(): Promise<string> {
    for (;;) {
      const taken = this.take();
      if (taken !== undefined) return taken;
      if (this.failure !== undefined) throw this.failure;
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }

  private take(): string | undefined {
    const end = this.received.indexOf('\r\n');
    if (end < 0) return undefined;
    const line = this.received.toString('utf8', 1, end);
    // RESP2 is spoken here: INFO is a bulk string.
    const isBulk = this.received[0] === 0x24;
    const until = isBulk ? end + 2 + Number(line) : end;
    if (this.received.length < until + 2) return undefined;
    const text = isBulk ? this.received.toString('utf8', end + 2, until) : line;
    this.received = this.received.subarray(until + 2);
    return text;
  }
}
