import { UnreadableRecordError } from './errors.ts';

/** What a read answers; undefined for what is gone or not what it should be. Every other error is the caller's. */
export async function ifReadable<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof UnreadableRecordError) return undefined;
    throw error;
  }
}
