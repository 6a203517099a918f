/** Half-open interval in milliseconds since the epoch. */
interface Interval {
  readonly from: number;
  readonly to: number;
}

/** Intervals that are remembered; what landed in those beyond is judged. */
const MAX_HOLES = 1_000;

/**
 * Intervals whose digests are not there or cannot be used: what landed in them cannot be judged, and the digest is blamed.
 * None reaches into the interval of a proven digest, whatever a document says of itself.
 */
export class Holes {
  /** Since the last proven digest. */
  #open: Interval[] = [];
  /** In order, none of them overlapping or adjoining another. */
  readonly #closed: Interval[] = [];
  #provenTo = Number.NEGATIVE_INFINITY;

  add(from: number, to: number): void {
    if (this.#open.length < MAX_HOLES) this.#open.push({ from, to });
  }

  /** @param isFirst whether nothing was ever sealed before the proven digest: then there is no hole either */
  proven({ from, to }: Interval, isFirst: boolean): void {
    if (isFirst) this.#open = [];
    this.#close(from);
    this.#provenTo = Math.max(this.#provenTo, to);
  }

  /** At the end of the chain. */
  end(): void {
    this.#close(Number.POSITIVE_INFINITY);
  }

  has(millis: number): boolean {
    let low = 0;
    for (let high = this.#closed.length; low < high; ) {
      const middle = (low + high) >>> 1;
      if ((this.#closed[middle] as Interval).from <= millis) low = middle + 1;
      else high = middle;
    }
    const hole = this.#closed[low - 1];
    return hole !== undefined && millis < hole.to;
  }

  #close(until: number): void {
    const open = this.#open.toSorted((a, b) => a.from - b.from);
    this.#open = [];
    for (const hole of open) {
      const from = Math.max(hole.from, this.#provenTo);
      const to = Math.min(hole.to, until);
      const last = this.#closed.at(-1);
      if (from >= to) continue;
      if (last && from <= last.to) {
        this.#closed[this.#closed.length - 1] = { from: last.from, to: Math.max(last.to, to) };
      } else if (this.#closed.length < MAX_HOLES) this.#closed.push({ from, to });
    }
  }
}
