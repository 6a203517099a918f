/** Runs `work` over items with at most `limit` in flight; results keep the order of the items. */
export async function mapConcurrently<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const results: R[] = new Array(items.length);
  let next = 0;
  const worker = async () => {
    while (next < items.length) {
      const index = next++;
      results[index] = await work(items[index] as T);
    }
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
}

/**
 * Does work as it is drawn, with at most `limit` in flight: what is drawn from is asked for no more than that ahead, so
 * that it may make work out of what is large. After an error nothing more is drawn.
 */
export async function drainConcurrently(
  work: Iterable<() => Promise<void>>,
  limit: number,
): Promise<void> {
  const drawn = work[Symbol.iterator]();
  const worker = async () => {
    try {
      for (let next = drawn.next(); !next.done; next = drawn.next()) await next.value();
    } catch (error) {
      drawn.return?.();
      throw error;
    }
  };
  await Promise.all(Array.from({ length: limit }, worker));
}
