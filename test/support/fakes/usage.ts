import type { RejectionLedger } from '../../../lambdas/domain/audit/ports.ts';
import {
  MAX_SAMPLES,
  type Rejection,
  type RejectionCount,
} from '../../../lambdas/domain/audit/rejections.ts';
import type { RateLeases, TokenLease } from '../../../lambdas/domain/producers/ports.ts';
import { Faults } from './bucket.ts';
import { keyOf } from './run-index.ts';

/** Rate windows and refusal counters as maps. Calls yield first, so that containers do interleave. */
export class InMemoryUsage implements RateLeases, RejectionLedger {
  readonly faults = new Faults();
  readonly #leased = new Map<string, number>();
  readonly #counts = new Map<string, RejectionCount & { readonly hour: string }>();

  async lease({ producerId, windowStartMillis, tokens, capacity }: TokenLease): Promise<boolean> {
    await Promise.resolve();
    this.faults.enter('lease');
    const key = keyOf([producerId, String(windowStartMillis)]);
    const leased = (this.#leased.get(key) ?? 0) + tokens;
    if (leased > capacity) return false;
    this.#leased.set(key, leased);
    return true;
  }

  async count({ hour, producerId, rule, refused, sample }: Rejection): Promise<void> {
    await Promise.resolve();
    this.faults.enter('count');
    const key = keyOf([hour, producerId, rule]);
    const known = this.#counts.get(key);
    const samples = known?.samples ?? [];
    this.#counts.set(key, {
      ...{ hour, producerId, rule },
      refused: (known?.refused ?? 0) + refused,
      samples: samples.length < MAX_SAMPLES ? [...samples, sample] : samples,
    });
  }

  async ofHour(wanted: string): Promise<RejectionCount[]> {
    this.faults.enter('ofHour');
    return [...this.#counts.values()]
      .filter(({ hour }) => hour === wanted)
      .map(({ hour: _, ...count }) => count);
  }
}
