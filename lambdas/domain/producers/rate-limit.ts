import { InvalidEventError, RateLimitedError } from '../errors.ts';
import type { Refusal } from '../openlineage/departures.ts';
import type { RateLeases } from './ports.ts';
import type { Registration } from './registration.ts';

/** As long as a refused client is told to wait (`Retry-After: 2`): it comes again in a fresh window. */
export const WINDOW_MILLIS = 2_000;

/** Most leases that a window is cut into: the table is written ten times a second for a producer, and it takes 1,000. */
const CHUNKS_PER_WINDOW = 20;

/** Windows that a container remembers; a forgotten one costs tokens, never more than it leased. */
const MAX_WINDOWS = 1_000;

/** What a container holds of the current window of one producer. */
interface Window {
  readonly startMillis: number;
  tokens: number;
  /** The smallest lease that was refused. What is left only shrinks, so as much is not asked for again. */
  refusedLease: number;
}

/** Events that a producer may send within one window. */
export function windowCapacity({ eventsPerSecond = Number.POSITIVE_INFINITY }: Registration) {
  return (eventsPerSecond * WINDOW_MILLIS) / 1_000;
}

/** Tokens that a container takes from the table at a time, and so what it may keep from others. */
export function leaseChunk(capacity: number): number {
  return Math.ceil(capacity / CHUNKS_PER_WINDOW);
}

/**
 * Fixed windows, shared by all containers through leases. A window never gives more than its capacity;
 * it gives less by what containers leased and did not spend, at most one chunk each.
 */
export class RateLimiter {
  readonly #leases: RateLeases;
  readonly #windows = new Map<string, Window>();

  constructor(leases: RateLeases) {
    this.#leases = leases;
  }

  /**
   * Spends tokens of a producer, all or none. Without a limit it asks nobody.
   * @throws RateLimitedError when the window has not so many left, UnavailableError when that cannot be told
   */
  async admit(registration: Registration, events: number, nowMillis: number): Promise<void> {
    if (registration.eventsPerSecond === undefined) return;
    const { producerId } = registration;
    const capacity = windowCapacity(registration);
    const chunk = leaseChunk(capacity);
    const window = this.#windowOf(producerId, nowMillis);
    // Another request of this container may spend what this one leased, so it looks again after each lease.
    while (window.tokens < events) {
      const missing = events - window.tokens;
      const chunks = Math.ceil(missing / chunk) * chunk;
      // The end of a window may hold less than a chunk: that is leased exactly.
      const tokens = chunks < window.refusedLease && chunks <= capacity ? chunks : missing;
      if (tokens >= window.refusedLease || tokens > capacity) throw new RateLimitedError();
      const { startMillis: windowStartMillis } = window;
      if (await this.#leases.lease({ producerId, windowStartMillis, tokens, capacity })) {
        window.tokens += tokens;
      } else {
        window.refusedLease = Math.min(window.refusedLease, tokens);
      }
    }
    window.tokens -= events;
  }

  #windowOf(producerId: string, nowMillis: number): Window {
    const startMillis = Math.floor(nowMillis / WINDOW_MILLIS) * WINDOW_MILLIS;
    const known = this.#windows.get(producerId);
    if (known?.startMillis === startMillis) return known;
    this.#windows.delete(producerId);
    if (this.#windows.size >= MAX_WINDOWS) {
      this.#windows.delete(this.#windows.keys().next().value as string);
    }
    const window = { startMillis, tokens: 0, refusedLease: Number.POSITIVE_INFINITY };
    this.#windows.set(producerId, window);
    return window;
  }
}

/**
 * Accepted items that one batch may have: half a window, which is the rate of a second. For a larger one, other containers
 * that lease a chunk for an event each and keep the rest could leave too little in window after window; five of them
 * always leave half, and ten where a chunk is a twentieth without rounding.
 */
const BATCH_PART_OF_WINDOW = 1 / 2;

/**
 * A batch for which there may never be room would be sent again for ever, so it is refused for good.
 * @throws InvalidEventError
 */
export function refuseOverlongBatch(registration: Registration, items: number): void {
  if (items <= windowCapacity(registration) * BATCH_PART_OF_WINDOW) return;
  const rule: Refusal = 'more_items_than_the_rate_limit_allows';
  throw new InvalidEventError([{ path: '$', rule }]);
}
