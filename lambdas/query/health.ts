import type { Clock } from '../domain/evidence/ports.ts';

/** An answer this old is still given: strangers must not be able to exhaust the calls behind it. */
const MAX_AGE_MILLIS = 5_000;

/** Whether stream and index answer, asked at most every five seconds. */
export class HealthCheck {
  readonly #probes: ReadonlyArray<() => Promise<unknown>>;
  readonly #clock: Clock;
  #last: { readonly at: number; readonly healthy: Promise<boolean> } | undefined;

  constructor(probes: ReadonlyArray<() => Promise<unknown>>, clock: Clock) {
    this.#probes = probes;
    this.#clock = clock;
  }

  isHealthy(): Promise<boolean> {
    const now = this.#clock();
    if (!this.#last || now - this.#last.at > MAX_AGE_MILLIS) {
      const healthy = Promise.all(this.#probes.map((probe) => probe())).then(
        () => true,
        () => false,
      );
      this.#last = { at: now, healthy };
    }
    return this.#last.healthy;
  }
}
