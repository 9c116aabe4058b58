// Are two replies the same, in the way the step asks for? Null when they are, else what differs.
import { brief, parseFrame, quote, type Frame } from '../helpers/resp.ts';
import { TARGET_IS_REDIS } from '../helpers/servers.ts';
import type { Comparison, OwnReply } from './types.ts';

export interface Pair {
  readonly wanted: Buffer;
  readonly got: Buffer;
  readonly protocol: 2 | 3;
}

export function compareReplies(pair: Pair, comparison?: Comparison): string | null {
  const { wanted, got } = pair;
  if (comparison?.by === 'difference') return compareDifference(pair, comparison.ours);
  if (wanted.equals(got)) return null;
  if (comparison !== undefined && alike(parseFrame(wanted), parseFrame(got), comparison)) {
    return null;
  }
  return explain(wanted, got);
}

function compareDifference({ wanted, got, protocol }: Pair, ours: OwnReply): string | null {
  const pattern = typeof ours === 'object' && !(ours instanceof RegExp) ? ours[protocol] : ours;
  if (TARGET_IS_REDIS) return null;
  if (wanted.equals(got)) return `no difference any more, both say ${brief(got)}`;
  const text = got.toString('latin1');
  const right = typeof pattern === 'string' ? text === pattern : pattern.test(text);
  if (right) return null;
  const stated = typeof pattern === 'string' ? quote(Buffer.from(pattern, 'latin1')) : pattern;
  return `stated as ours: ${String(stated)}\n      ours:           ${quote(got)}`;
}

function alike(wanted: Frame, got: Frame, comparison: Comparison): boolean {
  switch (comparison.by) {
    case 'elements':
      return sameElements(wanted, got);
    case 'magnitude':
      return near(wanted, got, comparison.tolerance);
    case 'shape':
      return sameShape(wanted, got);
    case 'difference':
      return false;
  }
}

function sameElements(wanted: Frame, got: Frame): boolean {
  return wanted.mark === got.mark && elementKeys(wanted).join() === elementKeys(got).join();
}

/** The elements as hex, sorted; a key and its value stay together. */
function elementKeys({ mark, elements }: Frame): string[] {
  const width = mark === '%' ? 2 : 1;
  const keys: string[] = [];
  for (let i = 0; i < elements.length; i += width) {
    keys.push(
      elements
        .slice(i, i + width)
        .map(({ raw }) => raw.toString('hex'))
        .join(':'),
    );
  }
  return keys.sort();
}

function near(wanted: Frame, got: Frame, tolerance: number): boolean {
  if (wanted.mark !== got.mark || wanted.elements.length !== got.elements.length) return false;
  if (wanted.elements.length > 0) {
    return wanted.elements.every((element, i) =>
      near(element, got.elements[i] as Frame, tolerance),
    );
  }
  if (wanted.raw.equals(got.raw)) return true;
  const [a, b] = [wanted.text, got.text].map((text) => (text === null ? NaN : Number(text)));
  return Math.abs((a as number) - (b as number)) <= tolerance;
}

/** Maps and arrays of the same types; their lengths tell of the server and may differ. */
function sameShape(wanted: Frame, got: Frame): boolean {
  return shapeOf(wanted) === shapeOf(got);
}

function shapeOf({ mark, text, elements }: Frame): string {
  if (text === null) return `${mark}null`;
  const kinds = mark === '%' ? pairShapes(elements) : elements.map(shapeOf);
  return kinds.length === 0 ? mark : `${mark}(${[...new Set(kinds)].sort().join('|')})`;
}

const pairShapes = (elements: readonly Frame[]): string[] =>
  elements.flatMap((element, i) =>
    i % 2 === 0 ? [`${shapeOf(element)}=${shapeOf(elements[i + 1] as Frame)}`] : [],
  );

/** Both replies, and the place of the first byte that differs. */
export function explain(wanted: Buffer, got: Buffer): string {
  const length = Math.min(wanted.length, got.length);
  let at = 0;
  while (at < length && wanted[at] === got[at]) at++;
  const around = (bytes: Buffer): string => {
    const from = Math.max(0, at - 20);
    const to = Math.min(bytes.length, at + 40);
    const dots = (more: boolean): string => (more ? '…' : '');
    return dots(from > 0) + quote(bytes.subarray(from, to)) + dots(to < bytes.length);
  };
  return [
    `redis-server: ${brief(wanted)}`,
    `ours:         ${brief(got)}`,
    `from byte ${at}:  ${around(wanted)}`,
    `             ${' '.repeat(String(at).length)}${around(got)}`,
  ].join('\n      ');
}
