/** Requests that the suite makes up: 100,000 in all, spread so that the three files take about as long. */
export const CASES = { event: 38_000, batch: 27_000, traces: 35_000 } as const;

/** Eight seconds alone; a shared machine may be ten times as slow. */
export const FUZZ_MILLIS = 240_000;
