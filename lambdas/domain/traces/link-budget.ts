/**
 * Each link of a run and a span is two rows; a record of 7,000 spans with 32 run ids each would be
 * half a million writes, which no invocation would live to make. The documents have them all.
 */
export const MAX_INDEXED_LINKS = 5_000;

/**
 * How many links of each trace of one record are filed: the first of every trace, by which the trace
 * is known to be governed, then the others in order until the record has used up its bound.
 * @param counts links that each trace has
 */
export function shareLinks(counts: readonly number[]): number[] {
  const named = counts.filter((count) => count > 0).length;
  let spare = Math.max(0, MAX_INDEXED_LINKS - named);
  return counts.map((count) => {
    const first = Math.min(count, 1);
    const further = Math.min(count - first, spare);
    spare -= further;
    return first + further;
  });
}
