import type { Spread } from './statistics.ts';

/** A cell of a result: names, plain numbers, or a figure with its spread. */
export type Cell = string | number | Spread;

/** What one benchmark measured. The members of a row carry their unit in their name. */
export interface Result {
  /** Says that it was measured on an emulator, and which: the first line of what is printed. */
  readonly emulator?: string;
  readonly rows: ReadonlyArray<Readonly<Record<string, Cell>>>;
  /** What the figures are measured against, and what they depend on. */
  readonly notes: readonly string[];
  /** Tables of other columns that were measured in the same run, by name. */
  readonly parts?: Readonly<Record<string, Result>>;
}

export interface Benchmark {
  readonly summary: string;
  readonly run: () => Promise<Result>;
}
