// The one boot path: configuration in, running server out. startServer() and the CLI both end here
// with a complete configuration; nothing below knows which of them it was.
import { randomBytes } from 'node:crypto';
import { resolve } from 'node:path';
import { MoonError } from '../errors.ts';
import { createLogger, fileSink, isLogLevel, type Logger, type LogSink } from '../log/logger.ts';
import type { NativeBinding, NativeError, NativeOptions, NativeServer } from '../native/binding.ts';
import { encodeTables, tablesHash } from '../native/encode-tables.ts';
import { loadBinding } from '../native/load.ts';
import { moonVersion, redisVersion } from '../version.ts';
import type { Server } from './api.ts';
import { logNative, ServerCore } from './core.ts';
import { ServerFace, type Endpoint, type FaceSettings } from './server.ts';

export interface BootRequest {
  /** Every directive's value as text, by name. */
  readonly values: ReadonlyMap<string, string>;
  readonly logger: Logger;
  /** Absolute path, or '' without a conf file. */
  readonly configFile: string;
  readonly workingDirectory: string;
  /** Whether port 0 means any free port; otherwise it means no TCP listener, as in Redis. */
  readonly anyPort: boolean;
  readonly signal?: AbortSignal;
  readonly onShutdownRequest?: FaceSettings['onShutdownRequest'];
  /** Tests boot against a binding of their own. */
  readonly binding?: NativeBinding;
}

export async function boot(request: BootRequest): Promise<Server> {
  const { signal, values } = request;
  signal?.throwIfAborted();
  const binding = request.binding ?? loadBinding(tablesHash());
  const core = await start(binding, request);
  const shutdownTimeoutMs = Number(values.get('shutdown-timeout') ?? '10') * 1000;
  if (signal?.aborted === true) {
    await core.stop('now', 0);
    signal.throwIfAborted();
  }
  const server = new ServerFace(core, {
    endpoint: endpointOf(core, values),
    shutdownTimeoutMs,
    ...(request.onShutdownRequest && { onShutdownRequest: request.onShutdownRequest }),
  });
  closeOnAbort(server, signal);
  return server;
}

function start(binding: NativeBinding, request: BootRequest): Promise<ServerCore> {
  return new Promise((resolve, reject) => {
    // Events of the start arrive before there is a core to take them.
    let core: ServerCore | undefined;
    const early: [string, string][] = [];
    const onEvent = (name: string, payload: string): void => {
      if (name === 'log') logNative(request.logger, payload);
      else if (core !== undefined) core.handleEvent(name, payload);
      else early.push([name, payload]);
    };
    const done = (error: NativeError | null, native: NativeServer | null): void => {
      if (native === null) {
        reject(startError(error));
        return;
      }
      core = new ServerCore(native, request.logger);
      for (const [name, payload] of early) core.handleEvent(name, payload);
      resolve(core);
    };
    binding.start(encodeTables(request.values), nativeOptions(request), onEvent, done);
  });
}

function nativeOptions(request: BootRequest): NativeOptions {
  return {
    moonVersion,
    redisVersion,
    runId: randomBytes(20).toString('hex'),
    configFile: request.configFile,
    executable: process.execPath,
    workingDirectory: request.workingDirectory,
    anyPort: request.anyPort,
    argv: process.argv,
  };
}

/** Native errors are Redis's sentences; the code and the way out are ours. */
function startError(error: NativeError | null): MoonError {
  if (error === null) return new MoonError('ERR_MOON_START', 'The server did not start');
  const { code, message, cure } = error;
  if (code === 'EADDRINUSE') {
    return new MoonError('ERR_MOON_ADDRESS_IN_USE', message, {
      needed: 'an address and port that nobody listens on',
      fix: cure ?? 'choose another port, or find who has it: ss -ltnp',
      cause: error,
    });
  }
  const listening = /^E[A-Z]+$/.test(code);
  return new MoonError(listening ? 'ERR_MOON_LISTEN' : 'ERR_MOON_START', message, {
    found: code,
    ...(cure === undefined ? {} : { fix: cure }),
    cause: error,
  });
}

function closeOnAbort(server: Server, signal: AbortSignal | undefined): void {
  if (signal === undefined) return;
  const onAbort = (): void => {
    void server.close();
  };
  signal.addEventListener('abort', onAbort, { once: true });
  server.once('closed', () => {
    signal.removeEventListener('abort', onAbort);
  });
}

function endpointOf(core: ServerCore, values: ReadonlyMap<string, string>): Endpoint {
  const { port, addresses, unixSocket } = core.info;
  const host = connectHost(addresses[0] ?? '127.0.0.1');
  const password = values.get('requirepass') ?? '';
  const login = password === '' ? '' : `:${encodeURIComponent(password)}@`;
  const urlHost = host.includes(':') ? `[${host}]` : host;
  return {
    host,
    port,
    unixSocket: unixSocket === '' ? undefined : unixSocket,
    url:
      port === 0 && unixSocket !== ''
        ? `unix://${login}${unixSocket}`
        : `redis://${login}${urlHost}:${port}`,
  };
}

/** An address that a client on this machine reaches, from one in `bind`. */
export function connectHost(bound: string): string {
  const address = bound.replace(/^-/, '');
  if (address === '*' || address === '0.0.0.0' || address === '') return '127.0.0.1';
  return address === '::' || address === '::*' ? '::1' : address;
}

/** The logger that loglevel and logfile ask for; `sink` takes the lines when logfile is ''. */
export function loggerFor(
  values: ReadonlyMap<string, string>,
  workingDirectory: string,
  sink: LogSink,
): Logger {
  const level = values.get('loglevel') ?? 'notice';
  const file = values.get('logfile') ?? '';
  const target = file === '' ? sink : fileSink(resolve(workingDirectory, file));
  return createLogger(target, isLogLevel(level) ? level : 'notice');
}
