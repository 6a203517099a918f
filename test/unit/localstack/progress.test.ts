import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createProgress } from '../../../localstack/progress.ts';

describe('progress', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  async function lines(millis: number): Promise<string[]> {
    const written: string[] = [];
    const progress = createProgress({ write: (text) => written.push(text) });
    const done = progress('Deploying', () => new Promise((resolve) => setTimeout(resolve, millis)));
    await vi.advanceTimersByTimeAsync(millis);
    await done;
    return written;
  }

  it('says nothing of a short step', async () => {
    expect(await lines(1_900)).toEqual([]);
  });

  it('shows a step over 2 s, that it still runs, and its end', async () => {
    expect(await lines(20_000)).toEqual([
      'Deploying … 2 s\n',
      'Deploying … 17 s\n',
      'Deploying: done in 20 s\n',
    ]);
  });

  it('returns the result and passes errors on', async () => {
    const progress = createProgress({ write: () => {} });
    expect(await progress('a', async () => 7)).toBe(7);
    await expect(progress('b', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  });
});
