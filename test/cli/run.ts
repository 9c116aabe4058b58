// Runs the command `moon-server` from its sources, as a process of its own.
import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { ExecutionContext } from 'ava';
import { ROOT } from '../tidy/tree.ts';

const MAIN = ['--import', 'tsx', join(ROOT, 'src/cli/main.ts')];

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  readonly stdin?: string;
}

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export class Running {
  readonly child: ChildProcess;
  readonly finished: Promise<Finished>;
  private out = '';
  private error = '';
  private wake: () => void = () => undefined;

  constructor(args: readonly string[], { env = {}, cwd = ROOT, stdin }: RunOptions) {
    const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('MOON_'));
    this.child = spawn(process.execPath, [...MAIN, ...args], {
      cwd,
      env: { ...Object.fromEntries(inherited), ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    this.child.stdin?.on('error', () => undefined).end(stdin ?? '');
    this.child.stdout?.on('data', (data: Buffer) => {
      this.out += data.toString();
      this.wake();
    });
    this.child.stderr?.on('data', (data: Buffer) => {
      this.error += data.toString();
      this.wake();
    });
    this.finished = new Promise((resolve) => {
      this.child.once('close', (code, signal) => {
        resolve({ code, signal, stdout: this.out, stderr: this.error });
        this.wake();
      });
    });
  }

  get stdout(): string {
    return this.out;
  }

  /** Resolves to the match once standard output holds it. */
  async printed(pattern: RegExp): Promise<RegExpExecArray> {
    for (;;) {
      const match = pattern.exec(this.out);
      if (match !== null) return match;
      if (this.child.exitCode !== null || this.child.signalCode !== null) {
        throw new Error(`ended without printing ${String(pattern)}:\n${this.out}${this.error}`);
      }
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
  }
}

/** Starts it; whatever the test does, it is gone afterwards. */
export function launch(
  t: ExecutionContext,
  args: readonly string[],
  options: RunOptions = {},
): Running {
  const running = new Running(args, options);
  t.teardown(async () => {
    running.child.kill('SIGKILL');
    await running.finished;
  });
  return running;
}

export function run(
  t: ExecutionContext,
  args: readonly string[],
  options: RunOptions = {},
): Promise<Finished> {
  return launch(t, args, options).finished;
}
