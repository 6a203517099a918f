/**
 * Waits for work, but no longer than this. Work that is late goes on, and nobody hears how it ends.
 * @throws whatever the work throws, `late()` when it takes longer
 */
export async function within<T>(millis: number, work: Promise<T>, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), millis);
  });
  try {
    return await Promise.race([work, timeout]);
  } finally {
    clearTimeout(timer);
  }
}
