import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  InvalidEventError,
  RateLimitedError,
  UnavailableError,
} from '../../../lambdas/domain/errors.ts';
import {
  leaseChunk,
  RateLimiter,
  refuseOverlongBatch,
  WINDOW_MILLIS,
  windowCapacity,
} from '../../../lambdas/domain/producers/rate-limit.ts';
import { registration } from '../../support/builders.ts';
import { InMemoryUsage } from '../../support/fakes/usage.ts';

/** Admits or refuses; anything but a refusal is thrown on. */
async function admitted(
  limiter: RateLimiter,
  eventsPerSecond: number | undefined,
  events: number,
  at: number,
): Promise<boolean> {
  const limited = registration(eventsPerSecond === undefined ? {} : { eventsPerSecond });
  try {
    await limiter.admit(limited, events, at);
    return true;
  } catch (error) {
    if (error instanceof RateLimitedError) return false;
    throw error;
  }
}

function isTaken(eventsPerSecond: number, items: number): boolean {
  try {
    refuseOverlongBatch(registration({ eventsPerSecond }), items);
    return true;
  } catch {
    return false;
  }
}

const rates = fc.integer({ min: 1, max: 300 });
const containers = fc.integer({ min: 1, max: 8 });
const request = fc.record({
  container: fc.nat({ max: 7 }),
  events: fc.oneof(fc.constant(1), fc.integer({ min: 1, max: 700 })),
  /** Clocks of containers differ and step back. */
  at: fc.integer({ min: 0, max: 3 * WINDOW_MILLIS }),
});

describe('a rate limit', () => {
  it('never admits more than the capacity of a window, whatever containers do at once', async () => {
    await fc.assert(
      fc.asyncProperty(
        rates,
        containers,
        fc.array(request, { maxLength: 200 }),
        async (rate, n, requests) => {
          const usage = new InMemoryUsage();
          const limiters = Array.from({ length: n }, () => new RateLimiter(usage));
          const spent = new Map<number, number>();
          await Promise.all(
            requests.map(async ({ container, events, at }) => {
              const limiter = limiters[container % n] as RateLimiter;
              if (!(await admitted(limiter, rate, events, at))) return;
              const window = Math.floor(at / WINDOW_MILLIS);
              spent.set(window, (spent.get(window) ?? 0) + events);
            }),
          );
          for (const events of spent.values()) {
            expect(events).toBeLessThanOrEqual(
              windowCapacity(registration({ eventsPerSecond: rate })),
            );
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it('admits all but at most one chunk for each container when there is demand enough', async () => {
    await fc.assert(
      fc.asyncProperty(
        rates,
        containers,
        fc.infiniteStream(fc.nat({ max: 7 })),
        async (rate, n, order) => {
          const usage = new InMemoryUsage();
          const limiters = Array.from({ length: n }, () => new RateLimiter(usage));
          const capacity = windowCapacity(registration({ eventsPerSecond: rate }));
          let spent = 0;
          // Demand is enough once one container was refused.
          for (const container of order) {
            if (!(await admitted(limiters[container % n] as RateLimiter, rate, 1, 5))) break;
            spent++;
          }
          expect(spent).toBeLessThanOrEqual(capacity);
          expect(spent).toBeGreaterThanOrEqual(capacity - leaseChunk(capacity) * n);
        },
      ),
      { numRuns: 200 },
    );
  });

  it('gives one container everything, to the last token', async () => {
    const limiter = new RateLimiter(new InMemoryUsage());
    for (let i = 0; i < 50; i++) expect(await admitted(limiter, 25, 1, 0)).toBe(true);
    expect(await admitted(limiter, 25, 1, 0)).toBe(false);
  });

  it('takes a batch as large as a window, after the token that was spent at the door', async () => {
    const limiter = new RateLimiter(new InMemoryUsage());
    expect(await admitted(limiter, 25, 1, 0)).toBe(true);
    expect(await admitted(limiter, 25, 49, 0)).toBe(true);
    expect(await admitted(limiter, 25, 1, 0)).toBe(false);
  });

  it('refuses a batch whole and still has room for one event', async () => {
    const limiter = new RateLimiter(new InMemoryUsage());
    expect(await admitted(limiter, 10, 15, 0)).toBe(true);
    expect(await admitted(limiter, 10, 6, 0)).toBe(false);
    expect(await admitted(limiter, 10, 5, 0)).toBe(true);
  });

  it('starts afresh with the next window', async () => {
    const limiter = new RateLimiter(new InMemoryUsage());
    await admitted(limiter, 1, 2, 0);
    expect(await admitted(limiter, 1, 1, WINDOW_MILLIS - 1)).toBe(false);
    expect(await admitted(limiter, 1, 1, WINDOW_MILLIS)).toBe(true);
  });

  it('asks the table once a chunk, and no more once the window is used up', async () => {
    const usage = new InMemoryUsage();
    const limiter = new RateLimiter(usage);
    for (let i = 0; i < 2_000; i++) await admitted(limiter, 1_000, 1, 0);
    expect(usage.faults.calls).toHaveLength(20);
    for (let i = 0; i < 1_000; i++) await admitted(limiter, 1_000, 1, 0);
    // One refusal of a chunk, one of the single token that a chunk would have brought.
    expect(usage.faults.calls).toHaveLength(22);
  });

  it('keeps producers apart', async () => {
    const limiter = new RateLimiter(new InMemoryUsage());
    await admitted(limiter, 1, 2, 0);
    await expect(
      limiter.admit(registration({ producerId: 'other', eventsPerSecond: 1 }), 2, 0),
    ).resolves.toBeUndefined();
  });

  it('asks nobody for a producer without a limit', async () => {
    const usage = new InMemoryUsage();
    expect(await admitted(new RateLimiter(usage), undefined, 1_000, 0)).toBe(true);
    expect(usage.faults.calls).toEqual([]);
  });

  it('is closed while the table is away, and open again after', async () => {
    const usage = new InMemoryUsage();
    const limiter = new RateLimiter(usage);
    usage.faults.refuse('lease');
    await expect(admitted(limiter, 10, 1, 0)).rejects.toThrow(UnavailableError);
    expect(await admitted(limiter, 10, 1, 0)).toBe(true);
  });

  it('refuses a batch for good that is larger than half a window', () => {
    const limited = registration({ eventsPerSecond: 10 });
    expect(() => refuseOverlongBatch(limited, 10)).not.toThrow();
    expect(() => refuseOverlongBatch(limited, 11)).toThrow(InvalidEventError);
    expect(() => refuseOverlongBatch(registration(), 1_000)).not.toThrow();
  });

  it('has room in every window for the largest batch it takes, beside five containers with an event each', async () => {
    for (let rate = 5; rate <= 400; rate++) {
      const usage = new InMemoryUsage();
      const others = Array.from({ length: 5 }, () => new RateLimiter(usage));
      const limiter = new RateLimiter(usage);
      for (const other of others) expect(await admitted(other, rate, 1, 0)).toBe(true);
      let largest = 0;
      while (isTaken(rate, largest + 1)) largest++;
      expect(await admitted(limiter, rate, 1, 0)).toBe(true);
      expect([rate, await admitted(limiter, rate, largest - 1, 0)]).toEqual([rate, true]);
    }
  });

  it('never asks for more than a window has', async () => {
    const usage = new InMemoryUsage();
    expect(await admitted(new RateLimiter(usage), 1, 3, 0)).toBe(false);
    expect(usage.faults.calls).toEqual([]);
  });
});
