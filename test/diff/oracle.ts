// What redis-server answers to each case: asked once, compared with by every axis of ours.
import type { TestServer } from '../helpers/servers.ts';
import { commandText } from '../helpers/resp.ts';
import { compareReplies } from './compare.ts';
import { discover, play, Script, type Protocol, type Transcript } from './play.ts';
import { comparisonOf, wordsOf, type AnyStep, type Comparison, type DiffCase } from './types.ts';

export type Mode = 'plain' | 'MULTI';

/** A script, what redis-server answered, and how each of its replies is compared. */
export interface Expectation {
  readonly script: Script;
  readonly wanted: Transcript;
  readonly comparisons: readonly (Comparison | undefined)[];
  /** Comparisons of EXEC's elements, where the script is a transaction. */
  readonly exec?: readonly (Comparison | undefined)[];
}

/** Replies that depend on when they were asked for are worth nothing later. */
export const isTimely = ({ steps }: DiffCase): boolean =>
  steps.some((step) => comparisonOf(step)?.by === 'magnitude');

export async function expectations(
  oracle: TestServer,
  { name, steps, multi = true }: DiffCase,
  protocol: Protocol,
  mode: Mode,
): Promise<readonly Expectation[]> {
  if (mode === 'plain') return [await plain(oracle, name, steps, protocol)];
  if (!multi) return [];
  // What ours answers otherwise may be refused when redis-server queues it: plain only.
  const same = steps.filter((step) => comparisonOf(step)?.by !== 'difference');
  if (same.length === 0) return [];
  const whole = await transaction(oracle, same, protocol);
  const queued = same.filter((_, i) => whole.wanted.replies[i + 1]?.toString() === '+QUEUED\r\n');
  if (queued.length === same.length) return [whole];
  // Commands that cannot be queued abort the transaction: the others run in a second one.
  return queued.length === 0 ? [whole] : [whole, await transaction(oracle, queued, protocol)];
}

async function plain(
  oracle: TestServer,
  name: string,
  steps: readonly AnyStep[],
  protocol: Protocol,
): Promise<Expectation> {
  const script = new Script(steps.map(wordsOf));
  const comparisons = steps.map(comparisonOf);
  const wanted = await discover(oracle, script, protocol);
  const again = await play(oracle, script, protocol, 'pipelined', wanted);
  again.replies.forEach((got, i) => {
    const reply = wanted.replies[i] ?? null;
    const comparison = comparisons[i];
    if (got === null || reply === null || comparison?.by === 'difference') return;
    const problem = compareReplies({ wanted: reply, got, protocol }, comparison);
    if (problem === null) return;
    const step = commandText(script.steps[i] ?? []);
    throw new Error(`${name}: redis-server differs from itself at ${step}\n      ${problem}`);
  });
  return { script, wanted, comparisons };
}

async function transaction(
  oracle: TestServer,
  steps: readonly AnyStep[],
  protocol: Protocol,
): Promise<Expectation> {
  const script = new Script([['MULTI'], ...steps.map(wordsOf), ['EXEC']]);
  const wanted = await discover(oracle, script, protocol);
  return { script, wanted, comparisons: [], exec: steps.map(comparisonOf) };
}
