// `moon-server exec -- command`: a server around a command. The command finds it in REDIS_URL, the
// server ends with it, and its exit code is ours.
import { spawn, type ChildProcess } from 'node:child_process';
import { constants } from 'node:os';
import { MoonError, messageOf } from '../errors.ts';
import type { Endpoint } from '../server/server.ts';

/** What the command gets beside the variables it would have had. */
export function childEnvironment(
  endpoint: Endpoint,
  base: NodeJS.ProcessEnv = process.env,
): NodeJS.ProcessEnv {
  const added: NodeJS.ProcessEnv = { REDIS_URL: endpoint.url };
  if (endpoint.port !== 0) {
    added['REDIS_HOST'] = endpoint.host;
    added['REDIS_PORT'] = String(endpoint.port);
  }
  if (endpoint.unixSocket !== undefined) added['REDIS_SOCKET'] = endpoint.unixSocket;
  return { ...base, ...added };
}

/** Runs the command to its end; resolves to the exit code, 128 + n when signal n ended it. */
export function runChild(command: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const [file = '', ...args] = command;
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: 'inherit', env });
    const stopForwarding = forwardSignals(child);
    child.once('error', (cause) => {
      stopForwarding();
      const missing = 'code' in cause && cause.code === 'ENOENT';
      const text = missing ? `exec: '${file}' was not found` : `exec: ${messageOf(cause)}`;
      reject(new MoonError('ERR_MOON_USAGE', text, { cause }));
    });
    child.once('exit', (code, signal) => {
      stopForwarding();
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
  });
}

/**
 * Signals to us are meant for the command. On a terminal, SIGINT is not passed on: the terminal has
 * already sent it to the whole process group.
 */
function forwardSignals(child: ChildProcess): () => void {
  const forward = (signal: NodeJS.Signals): void => {
    if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
  };
  const signals: NodeJS.Signals[] = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, forward);
  return () => {
    for (const signal of signals) process.off(signal, forward);
  };
}
