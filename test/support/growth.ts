/** Fastest of several runs, in processor time: what the work costs whatever else the machine does. */
const RUNS = 5;
/** Enough where a run takes tens of milliseconds and noise is a small part of it. */
export const FEW_RUNS = 2;

/** Below this a clock reading is noise, and nothing super-linear hides in it at the sizes used. */
const NOISE_MILLIS = 2;

/** A linear growth looks worse when the collector or a neighbour steps in; a quadratic one never looks better. */
const ROUNDS = 5;

/** Between 4, which is linear, and 16, which is quadratic; nothing is gained by measuring again below it. */
const SURELY_LINEAR = 6;

/**
 * How much longer four times the input takes: about 4 when the work is linear, 16 when it is quadratic.
 * The best of a few rounds, so that a busy machine does not turn one into the other.
 * @param work called with inputs of `size` and `4 * size`
 */
export function growthOverFourfold(
  size: number,
  work: (size: number) => () => void,
  runs = RUNS,
): number {
  const [small, large] = [work(size), work(4 * size)];
  let growth = Number.POSITIVE_INFINITY;
  for (let round = 0; round < ROUNDS && growth > SURELY_LINEAR; round++) {
    growth = Math.min(
      growth,
      fastest(large, runs) / Math.max(fastest(small, runs), NOISE_MILLIS / 4),
    );
  }
  return growth;
}

function fastest(run: () => void, runs: number): number {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < runs; i++) {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1_000);
  }
  return best;
}
