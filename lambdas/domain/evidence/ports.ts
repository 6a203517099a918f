import type { EvidenceObject } from './evidence-object.ts';
import type { EpochKey } from './keyed-hash.ts';
import type { Lock } from './retention.ts';

/** A version of an object, the only thing that can be evidence. */
export interface ObjectVersion {
  readonly bucket: string;
  readonly key: string;
  readonly versionId: string;
}

/** One line (0-based) of an object version. */
export interface Location extends ObjectVersion {
  readonly line: number;
}

/** The locked bucket. Every write is conditional: a key is written once. */
export interface EvidenceVault {
  /**
   * Puts an object with its lock in one request. An object that already stands there with the same
   * content counts as put; its version and lock are answered.
   * @throws UnavailableError when the store does not answer, ConflictingObjectError when other content stands there
   */
  putObject(object: EvidenceObject, lock: Lock): Promise<ObjectVersion & { readonly lock: Lock }>;
  /** Puts a JSON document (finding, report, quarantine, key) the same way. */
  putDocument(key: string, document: unknown, lock: Lock): Promise<ObjectVersion>;
  /**
   * The version of a document that was put before; undefined when nothing stands under the key.
   * @throws UnavailableError, ConflictingObjectError when other content stands there
   */
  findDocument(key: string, document: unknown): Promise<ObjectVersion | undefined>;
  /** Whether a version still stands under its key. @throws UnavailableError */
  holds(version: ObjectVersion): Promise<boolean>;
  /** What stands under a key, as it is stored; undefined when nothing does. @throws UnavailableError */
  find(key: string): Promise<Uint8Array | undefined>;
}

/** The part of the vault that documents need which are read again when they are written. */
export type DocumentVault = Pick<EvidenceVault, 'putDocument' | 'find'>;

/** Reads object versions of vault and staging. */
export interface ObjectReader {
  /** @throws UnreadableRecordError when that version is gone, or larger than anything of ours */
  read(version: ObjectVersion): Promise<Uint8Array>;
}

/** An object version as it stands. */
export interface StoredObject {
  readonly body: Uint8Array;
  /** As it was promised when the object was put; as S3 has it where that lasts longer. Absent where there is none. */
  readonly lock?: Lock;
}

/** Reads object versions of vault and staging together with their locks. */
export interface StoredObjects {
  /** @throws as {@link ObjectReader.read}, UnavailableError */
  readLocked(version: ObjectVersion): Promise<StoredObject>;
}

/** What S3 says of one object version. `denied` is not `missing`: losing the right to look is a finding of its own. */
export type VersionState =
  | {
      readonly status: 'present';
      /** RFC 3339 UTC, by the clock of S3, to the second. */
      readonly lastModified: string;
      /** Absent when the version is not locked. */
      readonly mode?: Lock['mode'];
      readonly retainUntil?: string;
      readonly legalHold: boolean;
      /** How far the copy in the replica is; absent where no rule copies it. */
      readonly replication?: 'PENDING' | 'COMPLETED' | 'FAILED';
    }
  | { readonly status: 'missing' }
  | { readonly status: 'denied' };

/** A version or delete marker found by listing a prefix. */
export interface ListedVersion extends ObjectVersion {
  readonly deleteMarker: boolean;
  /** RFC 3339 UTC, by the clock of S3. */
  readonly lastModified: string;
  /** 0 for a delete marker. */
  readonly bytes: number;
  /** Without quotes; absent for a delete marker. */
  readonly etag?: string;
}

/** Looks at object versions one by one, and at what a folder really holds. */
export interface VersionInspector {
  /** @throws UnavailableError when S3 does not answer */
  inspect(version: ObjectVersion): Promise<VersionState>;
  /** Every version and delete marker under a prefix, page by page. @throws AccessDeniedError */
  list(bucket: string, prefix: string): AsyncIterable<ListedVersion>;
  /** Those of them whose keys go on without a slash. @throws AccessDeniedError */
  files(bucket: string, prefix: string): AsyncIterable<ListedVersion>;
  /** Names directly below a prefix that end in a slash. @throws AccessDeniedError */
  folders(bucket: string, prefix: string): Promise<string[]>;
}

/** A record for the stream; the partition key keeps the events of a run on one shard. */
export interface OutgoingRecord {
  readonly partitionKey: string;
  readonly data: Uint8Array;
}

export interface EventPublisher {
  /**
   * Answers, per record and in order, whether the stream acknowledged it.
   * @throws UnavailableError when the stream took none of them
   */
  publish(records: readonly OutgoingRecord[]): Promise<readonly boolean[]>;
}

export interface EpochKeys {
  /** The key whose epoch covers an instant. @throws UnavailableError when it cannot be unwrapped */
  at(epochMillis: number): Promise<EpochKey>;
  /**
   * The key of an epoch; undefined for one that this store never had.
   * @param knownAtMillis when the epoch was there for certain if it ever was: what was read before is read anew
   * @throws UnavailableError when that cannot be told, or the key cannot be unwrapped
   */
  byEpoch(epoch: number, knownAtMillis?: number): Promise<EpochKey | undefined>;
}

/** Our own clock in milliseconds. */
export type Clock = () => number;
