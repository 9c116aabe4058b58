// Plays one expectation on a server of ours and says what differs first: state diverges after that.
import { brief, commandText, parseFrame } from '../helpers/resp.ts';
import type { TestServer } from '../helpers/servers.ts';
import { compareReplies } from './compare.ts';
import type { Expectation } from './oracle.ts';
import { play, type Delivery, type Protocol } from './play.ts';

export async function check(
  server: TestServer,
  { script, wanted, comparisons, exec }: Expectation,
  protocol: Protocol,
  delivery: Delivery,
): Promise<string | null> {
  const got = await play(server, script, protocol, delivery, wanted);
  const at = (i: number): string => `step ${i + 1}: ${commandText(script.steps[i] ?? ['(none)'])}`;
  for (let i = 0; i < wanted.replies.length; i++) {
    const want = wanted.replies[i];
    const reply = got.replies[i];
    if (reply === undefined) return `${at(i)}\n      the connection was closed`;
    if (want === null || want === undefined || reply === null) continue;
    const pair = { wanted: want, got: reply, protocol };
    const isExec = exec !== undefined && i === wanted.replies.length - 2;
    const problem = isExec
      ? compareExec(pair, exec, (index) => at(index + 1))
      : compareReplies(pair, comparisons[i]);
    if (problem !== null) return `${at(i)}\n      ${problem}`;
  }
  const extra = got.replies[wanted.replies.length];
  if (extra) return `after the last step: ${brief(extra)} instead of the connection's end`;
  if (got.closed !== wanted.closed) return `after the last step: closed is ${got.closed}`;
  return null;
}

type Comparisons = NonNullable<Expectation['exec']>;

function compareExec(
  pair: { readonly wanted: Buffer; readonly got: Buffer; readonly protocol: Protocol },
  comparisons: Comparisons,
  at: (index: number) => string,
): string | null {
  if (pair.wanted.equals(pair.got)) return null;
  const wanted = parseFrame(pair.wanted);
  const got = parseFrame(pair.got);
  if (wanted.elements.length !== got.elements.length || wanted.elements.length === 0) {
    return compareReplies(pair);
  }
  for (const [i, element] of wanted.elements.entries()) {
    const replies = { ...pair, wanted: element.raw, got: got.elements[i]?.raw ?? pair.got };
    const problem = compareReplies(replies, comparisons[i]);
    if (problem !== null) return `element ${i + 1}, ${at(i)}\n      ${problem}`;
  }
  return null;
}
