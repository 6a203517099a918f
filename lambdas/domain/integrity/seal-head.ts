import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import type { ListedVersion } from '../evidence/ports.ts';
import { besideDigest, documentOf, isDigestPlace } from './digest.ts';
import { firstVersions, type VaultListing } from './seal-listing.ts';
import {
  type DigestReaders,
  isDueAfter,
  readSigned,
  type SignedDigest,
  type StandingDigest,
} from './seal-standing.ts';
import {
  byDocument,
  type GoneDigest,
  goneDigests,
  irregularities,
  withPrevious,
} from './seal-strays.ts';

/** The last digest of the chain. */
interface Head extends StandingDigest {
  /** Its signature stands beside it as well: nothing of its writing was left undone. */
  readonly isSettled: boolean;
}

/** Where the chain stands, and what lies among its digests that should not. */
export interface FoundHead {
  readonly head?: Head;
  /** None of it is part of a digest. */
  readonly foreign: readonly ListedVersion[];
  /** Second versions and delete markers: keys are written once. */
  readonly irregular: readonly ListedVersion[];
  readonly gone: readonly GoneDigest[];
  /** What stands behind the head, by the documents that it belongs to. */
  readonly ahead: ReadonlyMap<string, readonly ListedVersion[]>;
}

/** Digests under keys that are not ours (any more) that are passed over in the search for one under a key of ours. */
const MAX_UNKNOWN_SIGNERS = 100;

/**
 * Finds the head: the last digest by its place that a key of ours signed, and what follows it as it announced. The
 * clock has no say in it: one that jumped would make an older digest the head. What else lies there, somebody put
 * there: it is passed over. Where no key of ours signed anything, the last that a public key of the vault signed.
 * @throws AccessDeniedError, UnavailableError
 */
export async function findHead(listing: VaultListing, readers: DigestReaders): Promise<FoundHead> {
  const search = new HeadSearch(listing, readers);
  const head = await search.find();
  const { listed, foreign } = search;
  const { gone, isStale } = await goneDigests(listed, listing);
  // Another sealer put it meanwhile: what it puts beside it must not pass for something in the way.
  if (isStale) return findHead(listing, readers);
  const headKey = head?.digest.location.key ?? '';
  const isAhead = ({ key }: ListedVersion) => (documentOf(key) ?? '') > headKey;
  return {
    ...(head && { head }),
    foreign,
    irregular: irregularities(listed),
    gone: head ? await withPrevious(gone, head.digest, listing) : gone,
    ahead: byDocument(listed.filter(isAhead)),
  };
}

/** Goes back day by day, so that what was listed is all that stands behind the head. */
class HeadSearch {
  readonly foreign: ListedVersion[] = [];
  readonly listed: ListedVersion[] = [];
  readonly #listing: VaultListing;
  readonly #readers: DigestReaders;
  /** The newest first. */
  readonly #unknown: SignedDigest[] = [];

  constructor(listing: VaultListing, readers: DigestReaders) {
    this.#listing = listing;
    this.#readers = readers;
  }

  async find(): Promise<Head | undefined> {
    const folders = await this.#listing.folders(EvidencePrefix.digests);
    for (const name of folders.toReversed()) {
      const folder = await this.#listing.all(name);
      for (const version of folder) {
        this.listed.push(version);
        if (!version.deleteMarker && documentOf(version.key) === undefined) {
          this.foreign.push(version);
        }
      }
      const documents = firstVersions(folder.filter(({ key }) => isDigestPlace(key)));
      for (const version of documents.sort((a, b) => (a.key > b.key ? -1 : 1))) {
        const signed = await readSigned(version, this.#listing, this.#readers);
        if (!signed) this.foreign.push(version);
        else if (signed.signer === 'ours') return this.#headOf(this.#lastAfter(signed));
        else this.#unknown.push(signed);
        const isEnough = this.#unknown.length >= MAX_UNKNOWN_SIGNERS;
        if (isEnough) return this.#headOf(this.#unknown[0] as SignedDigest);
      }
    }
    const [newest] = this.#unknown;
    return newest && this.#headOf(newest);
  }

  /** The last of those that follow a digest as it announced; the others are foreign. */
  #lastAfter(signed: SignedDigest): SignedDigest {
    let last = signed;
    for (const next of this.#unknown.toReversed()) {
      const isNext = next.standing.digest.previous?.sha256 === last.standing.sha256;
      if (isNext && isDueAfter(last, next)) last = next;
      else this.foreign.push(next.version);
    }
    return last;
  }

  #headOf({ standing }: SignedDigest): Head {
    const signatureKey = besideDigest(standing.digest.location.key, 'signature');
    const isSettled = this.listed.some(
      ({ key, deleteMarker }) => key === signatureKey && !deleteMarker,
    );
    return { ...standing, isSettled };
  }
}
