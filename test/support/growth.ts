/** Fastest of several runs, in processor time: what the work costs whatever else the machine does. */
const RUNS = 5;
/** Enough where a run takes tens of milliseconds and noise is a small part of it. */
export const FEW_RUNS = 2;

/** Below this a clock reading is noise, and nothing super-linear hides in it at the sizes used. */
const NOISE_MILLIS = 2;

/** A linear growth looks worse when the collector or a neighbour steps in; a quadratic one never looks better. */
const ROUNDS = 5;

/** Times the factor: between what is linear and what is quadratic; nothing is gained by measuring again below it. */
const SURELY_LINEAR = 1.5;

/**
 * How much longer the work takes over inputs of `factor * size` than over `size`, for each factor: about the factor
 * when the work is linear, its square when it is quadratic. The best of a few rounds, so that a busy machine does not
 * turn one into the other.
 * @param work called with each size
 */
export function growthOver(
  size: number,
  factors: readonly number[],
  work: (size: number) => () => void,
  runs = RUNS,
): number[] {
  const small = work(size);
  const larger = factors.map((factor) => ({ factor, run: work(factor * size) }));
  const growths = factors.map(() => Number.POSITIVE_INFINITY);
  for (let round = 0; round < ROUNDS; round++) {
    const base = Math.max(fastest(small, runs), NOISE_MILLIS / 4);
    let sure = true;
    larger.forEach(({ factor, run }, i) => {
      growths[i] = Math.min(growths[i] as number, fastest(run, runs) / base);
      sure &&= growths[i] <= SURELY_LINEAR * factor;
    });
    if (sure) break;
  }
  return growths;
}

/** {@link growthOver} for four times the input: about 4 when the work is linear, 16 when it is quadratic. */
export function growthOverFourfold(size: number, work: (size: number) => () => void): number {
  return growthOver(size, [4], work)[0] as number;
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
