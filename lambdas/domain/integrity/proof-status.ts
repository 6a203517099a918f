import { groupBy, uniqueBy } from '../collections.ts';
import { mapConcurrently } from '../concurrency.ts';
import type { ListedVersion, ObjectVersion, VersionState } from '../evidence/ports.ts';
import { DAY_MILLIS } from '../evidence/retention.ts';
import { versionName } from '../evidence/version-name.ts';
import { ifReadable } from '../if-readable.ts';
import type { Digest } from './digest.ts';
import { type ProofReaders, placeIn, type ReadDigest, SignedDigests } from './proof-digests.ts';

/** Whether digests seal all that an answer is about. */
export interface Integrity {
  /**
   * `pending`: some of it landed in an interval that is not sealed, or could not be looked at. `late`: some of it is not in the
   * digest of the interval it landed in, and a later one has it or will. Else `sealed`.
   */
  readonly status: 'sealed' | 'pending' | 'late';
  /** Of what is sealed, the last digest. */
  readonly digestKey: string | null;
  /** `listing`: not each object was looked for in its digest; that the intervals have their digests is all that is known. */
  readonly from: 'digest' | 'listing';
}

const NOT_SEALED: Integrity = { status: 'pending', digestKey: null, from: 'listing' };

/** An object version, and when it landed (RFC 3339 UTC). */
export interface Landed extends ObjectVersion {
  readonly lastModified: string;
}

/** Versions that one answer asks S3 for. */
const MAX_VERSIONS = 25;

/** Digests read for one answer, and the largest that is: some 1,500 objects. */
const MAX_DIGESTS_READ = 4;
const MAX_DIGEST_BYTES = 1024 * 1024;
const CONCURRENT_LOOKS = 8;

/**
 * Looks up whether the lines that index rows name are sealed. Few digests are read, so that an answer about a run
 * stays cheap; a proof says more of a single record. Of lines in too many versions only the last is looked at.
 * @param rows all in the vault
 * @param known states that were asked for already, by version name
 * @throws AccessDeniedError, UnavailableError
 */
export async function integrityOf(
  rows: ReadonlyArray<{ readonly acceptedAt: string; readonly location: ObjectVersion }>,
  known: ReadonlyMap<string, VersionState>,
  readers: ProofReaders,
): Promise<Integrity> {
  const newestFirst = rows.toSorted((a, b) => (a.acceptedAt > b.acceptedAt ? -1 : 1));
  const versions = uniqueBy(
    newestFirst.map(({ location }) => location),
    versionName,
  );
  const isAll = versions.length <= MAX_VERSIONS;
  const asked = isAll ? versions : versions.slice(0, 1);
  const landed: Landed[] = [];
  await mapConcurrently(asked, CONCURRENT_LOOKS, async (version) => {
    const state = known.get(versionName(version)) ?? (await readers.inspector.inspect(version));
    if (state.status !== 'present') return;
    landed.push({ ...version, lastModified: state.lastModified });
  });
  if (landed.length < asked.length) return NOT_SEALED;
  const integrity = await sealsOf(landed, readers);
  return isAll ? integrity : { ...integrity, from: 'listing' };
}

/** Versions of one bucket, which are there. */
async function sealsOf(versions: readonly Landed[], readers: ProofReaders): Promise<Integrity> {
  const [first] = versions;
  if (!first) return NOT_SEALED;
  const digests = new SignedDigests(first.bucket, readers);
  const covered = await mapConcurrently(versions, CONCURRENT_LOOKS, async (version) => ({
    version,
    covering: await digests.covering(version.lastModified),
  }));
  if (covered.some(({ covering }) => !covering)) return NOT_SEALED;
  const byDigest = groupBy(covered, ({ covering }) => (covering as ListedVersion).key);
  const found = new Set<Integrity['status']>();
  const keys: string[] = [];
  let unread = 0;
  for (const group of byDigest.values()) {
    const { covering } = group[0] as { covering: ListedVersion };
    const landed = group.map(({ version }) => version);
    const isRead = covering.bytes <= MAX_DIGEST_BYTES && byDigest.size <= MAX_DIGESTS_READ;
    if (!isRead) unread++;
    if (!isRead) {
      found.add(await stateByListing(covering, landed, digests));
      keys.push(covering.key);
      continue;
    }
    const own = await signedFor(landed[0] as Landed, digests);
    for (const version of landed) found.add(stateIn(own?.digest, version));
    if (own) keys.push(own.version.key);
  }
  const status = WORST_FIRST.find((state) => found.has(state)) ?? 'pending';
  return {
    status,
    digestKey: status === 'sealed' ? (keys.sort().at(-1) as string) : null,
    from: unread > 0 ? 'listing' : 'digest',
  };
}

const WORST_FIRST = ['pending', 'late', 'sealed'] as const;

function stateIn(digest: Digest | undefined, version: Landed): Integrity['status'] {
  if (!digest) return 'pending';
  if (placeIn(digest, version)) return 'sealed';
  return version.lastModified >= digest.to ? 'pending' : 'late';
}

/** A damaged digest seals nothing; that it is damaged is for the verifier to say. */
async function signedFor(
  { lastModified }: Landed,
  digests: SignedDigests,
): Promise<ReadDigest | undefined> {
  return ifReadable(() => digests.sealing(lastModified));
}

/** An interval ends where the next begins, so that one is sealed for certain once a later one is. */
async function stateByListing(
  covering: ListedVersion,
  landed: readonly Landed[],
  digests: SignedDigests,
): Promise<Integrity['status']> {
  const at = Date.parse(landed[0]?.lastModified as string);
  for (const day of [at, at + DAY_MILLIS]) {
    if ((await digests.ofDay(day)).some(({ key }) => key > covering.key)) return 'sealed';
  }
  return 'pending';
}
