// Answers to commands with the route `control`: those that end or steer the process and therefore
// belong to this side. SHUTDOWN is the only one.
import type { Logger } from '../log/logger.ts';
import { errorReply } from '../native/resp.ts';

export interface ShutdownRequest {
  /** SHUTDOWN NOW: do not wait for anything. */
  readonly now: boolean;
}

export interface ControlAnswer {
  /** Empty when the client gets none and waits for the end. */
  readonly reply: Uint8Array;
  /** What to do once the reply is on its way. */
  readonly shutdown?: ShutdownRequest;
}

const refuse = (text: string): ControlAnswer => ({ reply: errorReply(text) });

export function answerControl(args: readonly string[], logger: Logger): ControlAnswer {
  const [name = '', ...options] = args;
  if (name.toLowerCase() !== 'shutdown') return refuse(`ERR unknown command '${name}'`);
  const words = options.map((word) => word.toLowerCase());
  const flags = new Set(words);
  const known = ['nosave', 'save', 'now', 'force', 'abort'];
  const contradicts =
    (flags.has('abort') && flags.size > 1) || (flags.has('save') && flags.has('nosave'));
  if (words.some((word) => !known.includes(word)) || contradicts) return refuse('ERR syntax error');
  if (flags.has('abort')) return refuse('ERR No shutdown in progress.');
  if (flags.has('save') && !flags.has('force')) {
    logger.log('warning', 'SHUTDOWN SAVE refused: this server keeps its data in memory only.');
    return refuse('ERR Errors trying to SHUTDOWN. Check logs.');
  }
  return { reply: new Uint8Array(0), shutdown: { now: flags.has('now') } };
}
