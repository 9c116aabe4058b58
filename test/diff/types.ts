// The shape of a differential case: commands that go to our server and to redis-server as the same
// bytes, on a connection of their own, after FLUSHALL and HELLO. Replies must be equal, byte by
// byte. A case leaves configuration and connection state of the server as it found them.
//
// A step that cannot be compared so says why, by one of the functions below; `multi: false` is for
// cases that mean something else, or nothing, between MULTI and EXEC.

export type Word = string | Buffer;

/** A command and its arguments. */
export type Step = readonly Word[];

export type AnyStep = Step | SpecialStep;

export interface DiffCase {
  readonly name: string;
  readonly steps: readonly AnyStep[];
  /** Also run between MULTI and EXEC; true where it is not said. */
  readonly multi?: boolean;
}

/** How the replies of one step are compared. */
export type Comparison =
  /** The elements of the reply may come in any order. */
  | { readonly by: 'elements' }
  /** Numbers may differ by so much: what they count goes on between two commands. */
  | { readonly by: 'magnitude'; readonly tolerance: number }
  /** Types and nesting count, not the values: they tell of the server itself. */
  | { readonly by: 'shape' }
  /** Ours is meant to differ, as the row `id` of docs/differences.md says, and answers this. */
  | { readonly by: 'difference'; readonly id: string; readonly ours: OwnReply };

/** Raw bytes of the reply as text, or a pattern that they match; by protocol where they differ. */
export type OwnReply =
  string | RegExp | { readonly 2: string | RegExp; readonly 3: string | RegExp };

export interface SpecialStep {
  readonly step: Step;
  readonly comparison: Comparison;
}

export const unordered = (step: Step): SpecialStep => ({ step, comparison: { by: 'elements' } });

export const approximately = (tolerance: number, step: Step): SpecialStep => ({
  step,
  comparison: { by: 'magnitude', tolerance },
});

export const shape = (step: Step): SpecialStep => ({ step, comparison: { by: 'shape' } });

export const differs = (id: string, step: Step, ours: OwnReply): SpecialStep => ({
  step,
  comparison: { by: 'difference', id, ours },
});

export const wordsOf = (step: AnyStep): Step => ('comparison' in step ? step.step : step);

export const comparisonOf = (step: AnyStep): Comparison | undefined =>
  'comparison' in step ? step.comparison : undefined;
