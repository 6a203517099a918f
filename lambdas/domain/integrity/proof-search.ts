import type { ListedVersion } from '../evidence/ports.ts';
import { DAY_MILLIS } from '../evidence/retention.ts';
import { ifReadable } from '../if-readable.ts';
import { type Digest, digestKey } from './digest.ts';
import { placeIn, type ReadDigest, type SignedDigests } from './proof-digests.ts';
import type { Landed } from './proof-status.ts';

/** No digest that was read has the object. */
export interface Unsealed {
  /** As {@link Integrity.status}. */
  readonly status: 'pending' | 'late';
  /** RFC 3339 UTC, by S3. */
  readonly landedAt: string;
  /** RFC 3339 UTC: when the digest of its interval should be there, by those before. */
  readonly askAgainAt?: string;
}

/** What no interval had when it closed is sealed by the sweep that the first digest of a day makes, over two days. */
const SWEPT_DAYS = 2;

/** Digests read for one proof, small ones and rarely more than one: what landed late may be in any after its own. */
const MAX_DIGESTS_READ = 64;

/** No use to ask again sooner. */
const MIN_WAIT_MILLIS = 60_000;

/**
 * Finds the digest that seals an object version: that of the interval it landed in, else one of those after it.
 * @throws UnreadableRecordError when a digest cannot be read
 */
export async function findSealing(
  landed: Landed,
  digests: SignedDigests,
  nowMillis: number,
): Promise<ReadDigest | Unsealed> {
  const landedAt = landed.lastModified;
  const own = await digests.sealing(landedAt);
  if (own && placeIn(own.digest, landed)) return own;
  if (own && landedAt >= own.digest.to) {
    const askAgainAt = nextSealing(own.digest, landedAt, nowMillis);
    return { status: 'pending', landedAt, askAgainAt };
  }
  let read = 0;
  let isAny = own !== undefined;
  for await (const version of later(
    landedAt,
    digestKey(new Date(landedAt).toISOString()),
    digests,
    nowMillis,
  )) {
    isAny = true;
    if (++read > MAX_DIGESTS_READ) break;
    const sealing = await sealingIn(version, landed, digests);
    if (sealing) return sealing;
  }
  return { status: isAny ? 'late' : 'pending', landedAt };
}

/** A document that has the object, and is a signed digest: anything else that stands there says nothing. */
async function sealingIn(version: ListedVersion, landed: Landed, digests: SignedDigests) {
  return ifReadable(async () => {
    const { digest } = await digests.read(version);
    return placeIn(digest, landed) && (await digests.accepted(version));
  });
}

/** Digests after a key: those that sweep first, then all in order. */
async function* later(
  landedAt: string,
  key: string,
  digests: SignedDigests,
  nowMillis: number,
): AsyncGenerator<ListedVersion> {
  const from = Date.parse(landedAt);
  for (let days = 1; days <= SWEPT_DAYS; days++) {
    const [sweep] = await digests.ofDay(from + days * DAY_MILLIS);
    if (sweep) yield sweep;
  }
  for (let day = from; day < nowMillis + DAY_MILLIS; day += DAY_MILLIS) {
    for (const version of await digests.ofDay(day)) {
      if (version.key > key) yield version;
    }
  }
}

/** Intervals are of equal length, and the next digest is written about as long after its end as the last. */
function nextSealing({ from, to, sealedAt }: Digest, landedAt: string, nowMillis: number): string {
  const begin = Date.parse(from);
  const length = Date.parse(to) - begin;
  const end = begin + length * (Math.floor((Date.parse(landedAt) - begin) / length) + 1);
  const lag = Math.min(Date.parse(sealedAt) - Date.parse(to), length);
  return new Date(Math.max(end + lag, nowMillis + MIN_WAIT_MILLIS)).toISOString();
}
