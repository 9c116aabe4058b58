// Servers under test, each a process of its own in a temporary directory, ended by its pid: ours by
// the command line, and redis-server, the oracle. MOON_TEST_TARGET=redis puts redis-server in place
// of ours, which shows that the tests themselves are right.
import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { WireClient } from './wire.ts';

export const ROOT = dirname(dirname(dirname(fileURLToPath(import.meta.url))));

export type Driver = 'io_uring' | 'epoll';

export const SHARDS = [1, 2, 4] as const;

/** MOON_TEST_DRIVERS=epoll is for machines whose kernel refuses io_uring. */
export const DRIVERS: readonly Driver[] = (['io_uring', 'epoll'] as const).filter((driver) =>
  (process.env.MOON_TEST_DRIVERS ?? driver).split(',').includes(driver),
);

export const TARGET_IS_REDIS = process.env.MOON_TEST_TARGET === 'redis';

export interface MoonOptions {
  readonly shards?: number;
  readonly driver?: Driver;
  /** More of the command line. */
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export interface RedisOptions {
  readonly args?: readonly string[];
}

interface Launch {
  readonly name: string;
  readonly command: readonly string[];
  readonly port: number;
  readonly directory: string;
  readonly env?: Readonly<Record<string, string>>;
}

const READY = /Ready to accept connections/;
const PORT_TAKEN = /Address already in use/;
const START_MS = 30_000;
const STOP_MS = 10_000;
const LOG_BYTES = 256 * 1024;

/** Where the kernel can, a server ends with the test that started it, however that ended. */
const SETPRIV = '/usr/bin/setpriv';
const ENDS_WITH_US = existsSync(SETPRIV) ? [SETPRIV, '--pdeathsig', 'KILL'] : [];

const running = new Set<ChildProcess>();
process.on('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

export class TestServer {
  readonly name: string;
  readonly port: number;
  readonly path: string;
  readonly directory: string;
  readonly pid: number;
  /** Resolves to how it ended. */
  readonly ended: Promise<string>;
  private readonly child: ChildProcess;
  private text = '';
  private onText: () => void = () => undefined;

  constructor({ name, command, port, directory, env }: Launch) {
    this.name = name;
    this.port = port;
    this.directory = directory;
    this.path = join(directory, 'socket');
    const [file, ...args] = [...ENDS_WITH_US, ...command];
    this.child = spawn(file as string, args, {
      cwd: directory,
      env: { ...withoutOurs(process.env), ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    running.add(this.child);
    this.pid = this.child.pid ?? 0;
    const take = (chunk: Buffer): void => {
      this.text = (this.text + chunk.toString()).slice(-LOG_BYTES);
      this.onText();
    };
    this.child.stdout?.on('data', take);
    this.child.stderr?.on('data', take);
    this.ended = new Promise((resolve) => {
      this.child.once('error', (error) => {
        resolve(`did not start: ${error.message}`);
      });
      this.child.once('close', (code, signal) => {
        running.delete(this.child);
        this.onText();
        resolve(`ended with ${signal ?? String(code)}`);
      });
    });
  }

  get log(): string {
    return this.text;
  }

  get alive(): boolean {
    return running.has(this.child);
  }

  connect(protocol?: 2 | 3): Promise<WireClient> {
    return WireClient.open({ port: this.port }, protocol);
  }

  /** Resolves to the match once the log has it; rejects when the server ends or takes too long. */
  async logged(pattern: RegExp, withinMs = START_MS): Promise<RegExpExecArray> {
    const deadline = Date.now() + withinMs;
    for (;;) {
      const match = pattern.exec(this.text);
      if (match !== null) return match;
      const left = deadline - Date.now();
      if (!this.alive || left <= 0) {
        const why = this.alive ? `not logged within ${withinMs} ms` : await this.ended;
        throw new Error(`${this.name}: ${String(pattern)}: ${why}\n${this.text.slice(-4000)}`);
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.onText = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  }

  signal(name: NodeJS.Signals): void {
    this.child.kill(name);
  }

  /** SIGTERM, SIGKILL when that does not help, and the directory is gone. */
  async stop(): Promise<void> {
    if (this.alive) this.child.kill('SIGTERM');
    const timer = setTimeout(() => this.child.kill('SIGKILL'), STOP_MS);
    await this.ended;
    clearTimeout(timer);
    await rm(this.directory, { recursive: true, force: true });
  }
}

const withoutOurs = (env: NodeJS.ProcessEnv): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !/^(MOON|NODE|AVA)_/.test(name)));

/** A port that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => {
        if (address === null || typeof address === 'string') reject(new Error('no port'));
        else resolve(address.port);
      });
    });
  });
}

type Command = (place: { readonly port: number; readonly path: string }) => readonly string[];

/** Starts it; another process may take the port in between: then once more with another. */
async function launch(
  name: string,
  command: Command,
  env?: Readonly<Record<string, string>>,
): Promise<TestServer> {
  for (let attempt = 1; ; attempt++) {
    const directory = await mkdtemp(join(tmpdir(), 'moon-test-'));
    const port = await freePort();
    const place = { port, path: join(directory, 'socket') };
    const server = new TestServer({ name, command: command(place), port, directory, env });
    try {
      await server.logged(READY);
      return server;
    } catch (error) {
      await server.stop();
      if (attempt === 5 || !PORT_TAKEN.test(server.log)) throw error;
    }
  }
}

export function startRedis({ args = [] }: RedisOptions = {}): Promise<TestServer> {
  return launch('redis-server', ({ port, path }) => [
    'redis-server', '--port', `${port}`, '--bind', '127.0.0.1', '--unixsocket', path,
    '--save', '', '--enable-debug-command', 'yes', ...args,
  ]);
}

/** Ours by its command line, or redis-server where MOON_TEST_TARGET says so. */
export function startMoon(options: MoonOptions = {}): Promise<TestServer> {
  const { shards = 1, driver = 'epoll', args = [], env } = options;
  if (TARGET_IS_REDIS) return startRedis();
  const name = `${shards} ${shards === 1 ? 'shard' : 'shards'}, ${driver}`;
  const start: Command = ({ port, path }) => [
    process.execPath, join(ROOT, 'dist/cli.cjs'), '--port', `${port}`, '--bind', '127.0.0.1',
    '--unixsocket', path, '--save', '', '--enable-debug-command', 'yes',
    '--shards', `${shards}`, '--io-driver', driver, ...args,
  ];
  return launch(name, start, env);
}

export interface Axis {
  readonly shards: number;
  readonly driver: Driver;
}

/** What to run a suite over: every combination, or only redis-server. */
export function axes(
  shards: readonly number[] = SHARDS,
  drivers: readonly Driver[] = DRIVERS,
): readonly Axis[] {
  if (TARGET_IS_REDIS) return [{ shards: 1, driver: 'epoll' }];
  return drivers.flatMap((driver) => shards.map((count) => ({ shards: count, driver })));
}

/** Starts a server for each axis. */
export const startAll = (over: readonly Axis[]): Promise<TestServer[]> =>
  Promise.all(over.map((axis) => startMoon(axis)));
