// What a counter row says; the rows are in counters.ts.

/** A counter grows until CONFIG RESETSTAT; a level goes up and down and is not reset. */
export type CounterKind = 'counter' | 'level';

export interface CounterRow {
  /** snake_case; the C++ name is Counter::kPascalCase, the index is the slot. */
  readonly name: string;
  readonly kind: CounterKind;
  /** The name of redis_exporter where the meaning is equal, else moon_*. */
  readonly prometheus: string;
  /** One sentence, with the unit. */
  readonly help: string;
}
