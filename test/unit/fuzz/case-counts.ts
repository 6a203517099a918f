/** Requests that the suite makes up: 100,000 in all, spread so that the three files take about as long. */
export const CASES = { event: 38_000, batch: 27_000, traces: 35_000 } as const;
