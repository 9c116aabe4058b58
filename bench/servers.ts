// The servers that are compared: each started on an unused port, pinned to core 0, ended by pid.
import { spawn, type ChildProcess } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

const CLI = fileURLToPath(new URL('../dist/cli.cjs', import.meta.url));
export const SERVER_CORE = '0';
const READY_MS = 15_000;
/** Clock ticks a second of /proc/PID/stat; Linux shows 100 to programs on every machine. */
const TICKS = 100;

export interface ServerKind {
  readonly name: string;
  command(port: number): readonly string[];
}

export const moon = (shards: number, ...extra: readonly string[]): ServerKind => ({
  name: `moon ${shards} shard${shards === 1 ? '' : 's'}`,
  command: (port) => [
    process.execPath, CLI, '--port', `${port}`, '--bind', '127.0.0.1', '--save', '',
    '--shards', `${shards}`, ...extra,
  ],
});

export const redis: ServerKind = {
  name: 'redis-server',
  command: (port) => ['redis-server', '--port', `${port}`, '--bind', '127.0.0.1', '--save', ''],
};

function unusedPort(): Promise<number> {
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

export class BenchServer {
  private constructor(
    readonly kind: ServerKind,
    readonly port: number,
    private readonly child: ChildProcess,
  ) {}

  static async start(kind: ServerKind): Promise<BenchServer> {
    const port = await unusedPort();
    const [program = '', ...args] = kind.command(port);
    const child = spawn('taskset', ['-c', SERVER_CORE, program, ...args], { stdio: 'ignore' });
    const server = new BenchServer(kind, port, child);
    const limit = Date.now() + READY_MS;
    for (;;) {
      const answer = await server.ask('INFO server').catch(() => '');
      // taskset replaces itself by the server: the pid is the child's own.
      if (answer.includes(`process_id:${child.pid}`)) return server;
      if (Date.now() > limit) throw new Error(`${kind.name} did not answer on port ${port}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  /** One inline command on a connection of its own; the raw reply. */
  ask(line: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = connect(this.port, '127.0.0.1');
      let text = '';
      socket.on('error', reject);
      socket.on('data', (data) => {
        text += data.toString('latin1');
      });
      socket.on('close', () => {
        resolve(text);
      });
      socket.end(`${line}\r\nQUIT\r\n`);
    });
  }

  /** User and system time of the process so far, in microseconds. */
  cpuUs(): number {
    const stat = readFileSync(`/proc/${this.pid}/stat`, 'latin1');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return ((Number(fields[11]) + Number(fields[12])) * 1_000_000) / TICKS;
  }

  rssBytes(): number {
    const [, pages] = readFileSync(`/proc/${this.pid}/statm`, 'latin1').split(' ');
    return Number(pages) * 4096;
  }

  /** A number of INFO. */
  async figure(field: string): Promise<number> {
    const text = await this.ask('INFO all');
    return Number(new RegExp(`^${field}:(\\d+)`, 'm').exec(text)?.[1] ?? NaN);
  }

  async stop(): Promise<void> {
    const ended = new Promise<void>((resolve) => {
      this.child.once('close', () => {
        resolve();
      });
    });
    this.child.kill('SIGTERM');
    await ended;
  }
}
