// Random choices that a seed repeats. A suite that uses chance prints its seed; MOON_SEED sets it.

export class Random {
  private state: number;

  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** 32 bits; the generator is mulberry32. */
  bits(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let z = this.state;
    z = Math.imul(z ^ (z >>> 15), z | 1);
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
    return (z ^ (z >>> 14)) >>> 0;
  }

  /** 0 … limit - 1. */
  below(limit: number): number {
    return this.bits() % limit;
  }

  /** low … high. */
  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  chance(oneIn: number): boolean {
    return this.below(oneIn) === 0;
  }

  pick<T>(items: readonly T[]): T {
    return items[this.below(items.length)] as T;
  }

  /** So many items, each drawn anew. */
  several<T>(count: number, draw: () => T): T[] {
    return Array.from({ length: count }, draw);
  }

  shuffle<T>(items: readonly T[]): T[] {
    const list = [...items];
    for (let i = list.length - 1; i > 0; i--) {
      const j = this.below(i + 1);
      [list[i], list[j]] = [list[j] as T, list[i] as T];
    }
    return list;
  }

  /** A generator of its own, so that drawing more here does not change what is drawn there. */
  branch(name: string): Random {
    let hash = this.state ^ 0x811c9dc5;
    for (const char of name) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193);
    return new Random(hash);
  }
}

/**
 * MOON_SEED, or the same in every run: what fails then fails for everybody. MOON_SEED=random looks
 * further.
 */
export const SEED =
  process.env.MOON_SEED === 'random'
    ? Date.now() % 1_000_000_000
    : Number(process.env.MOON_SEED ?? 20_261_130);
