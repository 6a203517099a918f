import { type Digest, digestKey } from './digest.ts';
import type { Damage } from './verify-damage.ts';

/** Digests that the one after them counts, and that are not there or cannot be used. */
export interface ChainGap {
  /** Numbers of the digests, both included. */
  readonly first: number;
  readonly last: number;
  /** Half-open interval that they sealed; where the first of a chain began is not known. RFC 3339 UTC. */
  readonly from?: string;
  readonly to: string;
  /** Key of the last of them, as the digest behind names it. */
  readonly before: string;
  /** Keys of those that are there and cannot be used. */
  readonly unusable: ReadonlySet<string>;
}

/** Digests out of their place that are remembered, to tell a moved one from a missing one. */
const MAX_STRAYS = 10_000;

/** Places of a gap that are looked through for one that no moved digest belongs to. */
const MAX_PLACES = 1_000;

/** What is not there between two digests, or before the first; undefined when their numbers follow. */
export function gapBefore(
  { number, from, previous }: Digest,
  last: Pick<Digest, 'number' | 'to'> | undefined,
  firstNumber: number,
  unusable: ReadonlySet<string>,
): ChainGap | undefined {
  const first = last ? last.number + 1 : firstNumber;
  if (number <= first || !previous) return undefined;
  const interval = { ...(last && { from: last.to }), to: from };
  return { first, last: number - 1, ...interval, before: previous.key, unusable };
}

/** Digests that stand elsewhere than they belong: they were reported as moved, and are not missing as well. */
export class StrayDigests {
  readonly #numbers: number[] = [];
  readonly #keys = new Set<string>();

  /** @param key where it belongs */
  add(number: number, key: string): void {
    if (this.#keys.size >= MAX_STRAYS) return;
    this.#keys.add(key);
    this.#numbers.push(number);
  }

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  /** Those whose numbers lie in each of many gaps. */
  counter(): (gap: ChainGap) => number {
    const numbers = this.#numbers.toSorted((a, b) => a - b);
    return ({ first, last }) => countBelow(numbers, last + 1) - countBelow(numbers, first);
  }
}

/** Names the first digest of each gap that is not there at all, and says what nothing seals for it. */
export function missingDigests(gaps: readonly ChainGap[], strays: StrayDigests): Damage[] {
  const moved = strays.counter();
  return gaps.flatMap((gap) => {
    const { first, last, from, to, before, unusable } = gap;
    const missing = last - first + 1 - unusable.size - moved(gap);
    if (missing <= 0) return [];
    const isThere = (key: string) => unusable.has(key) || strays.has(key);
    const key = placesOf(gap).find((place) => !isThere(place)) ?? before;
    const numbers =
      first === last ? `it is number ${first}` : `${missing} of the numbers ${first} to ${last}`;
    const interval = from === undefined ? `before ${to}` : `from ${from} to ${to}`;
    const detail = `${numbers}; no digest that can be used seals what landed ${interval}`;
    return { kind: 'missing_digest', key, detail } as const;
  });
}

/** Where the digests of a gap belong: their intervals are of one length, unless that was changed. */
function placesOf({ first, last, from, to, before, unusable }: ChainGap): string[] {
  if (from === undefined) return [before];
  const begin = Date.parse(from);
  const length = (Date.parse(to) - begin) / (last - first + 1);
  const isEven = length > 0 && length % 1_000 === 0;
  const count = isEven ? Math.min(last - first + 1, unusable.size + MAX_PLACES) : 1;
  return Array.from({ length: count }, (_, at) =>
    digestKey(new Date(begin + at * length).toISOString()),
  );
}

/** How many of sorted numbers are below a bound. */
function countBelow(numbers: readonly number[], bound: number): number {
  let low = 0;
  for (let high = numbers.length; low < high; ) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] as number) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}
