/** Fastest of several runs: what the work costs when nothing else takes the processor. */
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
    const start = performance.now();
    run();
    best = Math.min(best, performance.now() - start);
  }
  return best;
}
