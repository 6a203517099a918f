/** A figure with the quartiles around it: half of all rounds lie between low and high. */
export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** Median and quartiles of a list that is not empty. */
export function spreadOf(values: readonly number[]): Spread {
  return {
    median: quantile(values, 0.5),
    low: quantile(values, 0.25),
    high: quantile(values, 0.75),
  };
}

/** The value below which a part (0 to 1) of a list lies, interpolated. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const rank = (sorted.length - 1) * part;
  const below = sorted[Math.floor(rank)] as number;
  const above = sorted[Math.ceil(rank)] as number;
  return below + (above - below) * (rank - Math.floor(rank));
}
