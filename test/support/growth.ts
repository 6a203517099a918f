/** Fastest of several runs, in processor time: what the work costs whatever else the machine does. */
const RUNS = 5;

/** Below this a clock reading is noise, and nothing super-linear hides in it at the sizes used. */
const NOISE_MILLIS = 2;

/**
 * How much longer four times the input takes: about 4 when the work is linear, 16 when it is quadratic.
 * @param work called with inputs of `size` and `4 * size`
 */
export function growthOverFourfold(size: number, work: (size: number) => () => void): number {
  return fastest(work(4 * size)) / Math.max(fastest(work(size)), NOISE_MILLIS / 4);
}

function fastest(run: () => void): number {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < RUNS; i++) {
    const before = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(before);
    best = Math.min(best, (user + system) / 1_000);
  }
  return best;
}
