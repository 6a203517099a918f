import { LineageError } from '../errors.ts';
import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import type { ListedVersion } from '../evidence/ports.ts';
import { besideDigest, type Digest, documentOf, isDigestPlace } from './digest.ts';
import { firstVersions, type VaultListing } from './seal-listing.ts';
import {
  type DigestReaders,
  isDueAfter,
  openDigest,
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
  /** Why nothing may follow the head: it is then only what stands last, and anybody may have put it there. */
  readonly failure?: LineageError;
  /** None of it is part of a digest. */
  readonly foreign: readonly ListedVersion[];
  /** Second versions and delete markers: keys are written once. */
  readonly irregular: readonly ListedVersion[];
  readonly gone: readonly GoneDigest[];
  /** What stands behind the head, by the documents that it belongs to. */
  readonly ahead: ReadonlyMap<string, readonly ListedVersion[]>;
}

/**
 * Digests under keys that are not ours (any more) that are passed over in the search for one under a key of ours: a
 * hundred days of quarter hours. More of them, and no setting names the key that is due.
 */
const MAX_UNKNOWN_SIGNERS = 10_000;

/** Folders listed, and documents read, at the same time: small, but one may be as large as a digest is allowed to be. */
const AT_ONCE = 8;

interface HeadReaders extends DigestReaders {
  /** Whether to search on: what somebody put behind the head may be more than one run can read. */
  readonly hasTime: () => boolean;
}

/**
 * Finds the head: the last digest by its place that a key of ours signed, and what follows it as it announced. The
 * clock has no say in it: one that jumped would make an older digest the head. What else lies there, somebody put
 * there: it is passed over.
 * @throws AccessDeniedError, UnavailableError
 */
export async function findHead(listing: VaultListing, readers: HeadReaders): Promise<FoundHead> {
  const search = new HeadSearch(listing, readers);
  const head = await search.find();
  const { listed, foreign, failure } = search;
  const { gone, isStale } = await goneDigests(listed, listing);
  // Another sealer put it meanwhile: what it puts beside it must not pass for something in the way.
  if (isStale) return findHead(listing, readers);
  const headKey = head?.digest.location.key ?? '';
  const isAhead = ({ key }: ListedVersion) => (documentOf(key) ?? '') > headKey;
  const isOurs = head && !failure;
  return {
    ...(head && { head }),
    ...(failure && { failure }),
    foreign,
    irregular: irregularities(listed),
    gone: isOurs ? await withPrevious(gone, head.digest, listing) : gone,
    ahead: byDocument(listed.filter(isAhead)),
  };
}

/** What is kept of a digest that may follow one of ours: there may be many, and a digest may be large. */
type Link = Pick<SignedDigest, 'version'> & {
  readonly standing: Pick<StandingDigest, 'sha256'> & {
    readonly digest: Pick<Digest, 'previous' | 'signer' | 'nextSigner'>;
  };
};

/** Goes back day by day, so that what was listed is all that stands behind the head. */
class HeadSearch {
  readonly foreign: ListedVersion[] = [];
  readonly listed: ListedVersion[] = [];
  failure: LineageError | undefined;
  readonly #listing: VaultListing;
  readonly #readers: HeadReaders;
  /** The newest first. */
  readonly #unknown: Link[] = [];

  constructor(listing: VaultListing, readers: HeadReaders) {
    this.#listing = listing;
    this.#readers = readers;
  }

  async find(): Promise<Head | undefined> {
    let newest: SignedDigest | undefined;
    const folders = await this.#listing.folders(EvidencePrefix.digests);
    const listed = this.#ahead(folders.toReversed(), (name) => this.#listing.all(name));
    for await (const [, folder] of listed) {
      if (this.failure) break;
      for (const version of folder) {
        this.listed.push(version);
        if (!version.deleteMarker && documentOf(version.key) === undefined) {
          this.foreign.push(version);
        }
      }
      const documents = firstVersions(folder.filter(({ key }) => isDigestPlace(key)));
      documents.sort((a, b) => (a.key > b.key ? -1 : 1));
      const read = this.#ahead(documents, (version) =>
        readSigned(version, this.#listing, this.#readers),
      );
      for await (const [version, signed] of read) {
        if (!signed) this.foreign.push(version);
        else if (signed.signer === 'ours') return this.#lastAfter(signed);
        else {
          newest ??= signed;
          this.#unknown.push(linkOf(signed));
          this.failure = await this.#refusal();
          if (this.failure) return this.#headOf(newest);
        }
      }
    }
    if (this.failure) return newest && this.#headOf(newest);
    if (!newest) return undefined;
    this.failure = unknownKey();
    return this.#headOf(newest);
  }

  /** In order, with the next ones looked at already, twice as many each time: what is looked for is mostly the first. */
  async *#ahead<T, R>(
    items: readonly T[],
    look: (item: T) => Promise<R>,
  ): AsyncGenerator<readonly [item: T, seen: R]> {
    let next = 0;
    for (let size = 1; next < items.length; size = Math.min(2 * size, AT_ONCE)) {
      if (next > 0 && !this.#readers.hasTime()) {
        this.failure = new LineageError('head_not_found', 'too much stands behind the head');
        return;
      }
      const batch = items.slice(next, next + size);
      next += size;
      const seen = await Promise.all(batch.map(look));
      for (const [at, item] of batch.entries()) yield [item, seen[at] as Awaited<R>];
    }
  }

  /** Why what is not ours cannot be told from what is: then the search ends, and nothing is sealed. */
  async #refusal(): Promise<LineageError | undefined> {
    if (this.#unknown.length >= MAX_UNKNOWN_SIGNERS) return unknownKey();
    try {
      await this.#readers.keys.current();
      return undefined;
    } catch (error) {
      if (error instanceof LineageError) return error;
      throw error;
    }
  }

  /** The last of those that follow a digest as it announced; the others are foreign. */
  async #lastAfter(signed: SignedDigest): Promise<Head> {
    let last: Link = signed;
    for (const next of this.#unknown.toReversed()) {
      const isNext = next.standing.digest.previous?.sha256 === last.standing.sha256;
      if (isNext && isDueAfter(last, next)) last = next;
      else this.foreign.push(next.version);
    }
    if (last === signed) return this.#headOf(signed);
    return this.#headOf({ standing: await openDigest(last.version, this.#readers.streams) });
  }

  #headOf({ standing }: Pick<SignedDigest, 'standing'>): Head {
    const signatureKey = besideDigest(standing.digest.location.key, 'signature');
    const isSettled = this.listed.some(
      ({ key, deleteMarker }) => key === signatureKey && !deleteMarker,
    );
    return { ...standing, isSettled };
  }
}

function linkOf({ version, standing: { digest, sha256 } }: SignedDigest): Link {
  const { previous, signer, nextSigner } = digest;
  return {
    version,
    standing: { sha256, digest: { previous, signer, ...(nextSigner && { nextSigner }) } },
  };
}

function unknownKey(): LineageError {
  return new LineageError(
    'signing_key_unknown',
    'none of our keys signed what stands in the vault',
  );
}
