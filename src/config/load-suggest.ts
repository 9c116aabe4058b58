// "Did you mean …?": the nearest known name, if it is near enough to be what was meant.

/** The one of `known` that `name` most likely misspells, or undefined when none is near. */
export function suggest(name: string, known: Iterable<string>): string | undefined {
  const wanted = normalize(name);
  if (wanted === '') return undefined;
  // A third of the letters may be wrong, at most three: more is another word.
  const distanceMax = Math.min(3, Math.max(1, Math.floor(wanted.length / 3)));
  let best: string | undefined;
  let bestDistance = distanceMax + 1;
  for (const candidate of known) {
    const distance = editDistance(wanted, normalize(candidate), bestDistance);
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best ?? longerName(wanted, known);
}

/** maxmem → maxmemory: the shortest name that continues what was written. */
function longerName(wanted: string, known: Iterable<string>): string | undefined {
  if (wanted.length < 4) return undefined;
  return [...known]
    .filter((name) => normalize(name).startsWith(wanted))
    .sort((a, b) => a.length - b.length)[0];
}

/** ` Did you mean 'x'?` or nothing, to be put behind a sentence. */
export function didYouMean(name: string, known: Iterable<string>): string {
  const nearest = suggest(name, known);
  return nearest === undefined ? '' : ` Did you mean '${nearest}'?`;
}

/** Spelling styles do not count as mistakes: maxMemory, max_memory and maxmemory are one. */
function normalize(name: string): string {
  return name.toLowerCase().replace(/[-_\s]/g, '');
}

/**
 * Optimal string alignment distance (a transposition of neighbours counts one), stopped once it
 * reaches `limit`.
 */
function editDistance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit;
  let beforePrevious: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    let rowMin = i;
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min(
        (previous[j] ?? limit) + 1,
        (row[j - 1] ?? limit) + 1,
        (previous[j - 1] ?? limit) + (same ? 0 : 1),
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        cost = Math.min(cost, (beforePrevious[j - 2] ?? limit) + 1);
      }
      row.push(cost);
      rowMin = Math.min(rowMin, cost);
    }
    if (rowMin >= limit) return limit;
    beforePrevious = previous;
    previous = row;
  }
  return Math.min(limit, previous[b.length] ?? limit);
}
