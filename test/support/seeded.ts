/** Property runs that fail the same way tomorrow. */
export function seeded(numRuns: number): { readonly seed: number; readonly numRuns: number } {
  return { seed: 20_261_129, numRuns };
}
