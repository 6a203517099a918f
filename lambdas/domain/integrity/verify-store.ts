import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import type { RetentionPolicy } from '../evidence/retention.ts';
import { readWhole as readStream } from '../read-whole.ts';

/** A version as a listing has it. */
export interface ListedObject {
  readonly key: string;
  /** Absent where the store is a copy that does not know it. */
  readonly versionId?: string;
  /** RFC 3339 UTC. */
  readonly lastModified: string;
  readonly deleteMarker?: true;
}

/** What a listing says of the content of one version; a copy does not know everything. */
export interface ListedContent {
  readonly bytes?: number;
  readonly etag?: string;
}

/** An opened version. Whoever opens it reads it to its end, or returns from the iteration. */
export interface OpenedObject {
  readonly chunks: AsyncIterable<Uint8Array>;
  /** `unknown` when the store cannot tell, or may not: never taken for locked. */
  readonly lock: { mode: RetentionPolicy['mode']; retainUntil: string } | 'none' | 'unknown';
  /** Object metadata of a digest; absent where the store has none. */
  readonly signature?: string;
}

/** A vault, or a copy of one, as the verifier sees it. Nothing is ever written. */
export interface SealedStore {
  /** The bucket that digests must name; absent for a copy of files, which may come from any. */
  readonly bucket?: string;
  /** Whether versions, times and locks are those that S3 said. */
  readonly knowsVersions: boolean;
  /**
   * Everything below a prefix, folder by folder in the order of names; of a key with several versions the newest first.
   * @throws AccessDeniedError, UnavailableError when it cannot look
   */
  list(prefix: string): AsyncIterable<ListedObject>;
  /**
   * Opens a version as a listing or a digest names it; undefined when there is none.
   * @throws AccessDeniedError, UnavailableError when it cannot look
   */
  open(key: string, versionId?: string): Promise<OpenedObject | undefined>;
  /**
   * What a listing says of a version that perhaps nobody can open; undefined when there is none.
   * @throws AccessDeniedError, UnavailableError when it cannot look
   */
  find(key: string, versionId: string): Promise<ListedContent | undefined>;
}

/** The bytes of an object, or undefined when it has more of them than the limit. */
export function readWhole(
  { chunks }: OpenedObject,
  limitBytes: number,
): Promise<Buffer | undefined> {
  return readStream(chunks, limitBytes);
}

/** A store whose chain is what is given. */
export function listingOf(
  store: SealedStore,
  chain: () => AsyncIterable<ListedObject>,
): SealedStore {
  return {
    ...(store.bucket !== undefined && { bucket: store.bucket }),
    knowsVersions: store.knowsVersions,
    list: (prefix) => (prefix === EvidencePrefix.digests ? chain() : store.list(prefix)),
    open: (key, versionId) => store.open(key, versionId),
    find: (key, versionId) => store.find(key, versionId),
  };
}
