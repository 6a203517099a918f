import type { Finding, StreamPlane } from './audit/findings.ts';
import type { BucketGuards, KeyGuards, Seen } from './audit/guards.ts';
import type { Rejection, RejectionCount } from './audit/rejections.ts';
import type { EvidenceObject } from './evidence/evidence-object.ts';
import type {
  DeclarationEntry,
  DeliveryEntry,
  EventClaim,
  ReferenceEntry,
  RunDatasetEntry,
  RunEventEntry,
  TraceDeliveryEntry,
  TraceRunEntry,
} from './evidence/index-entries.ts';
import type { EpochKey } from './evidence/keyed-hash.ts';
import type { Lock } from './evidence/retention.ts';
import type { Hold, HoldCover } from './holds/hold.ts';
import type { Identity } from './openlineage/event.ts';
import type { Producer } from './producers/producer.ts';
import type { Registration } from './producers/registration.ts';
import type { RoleIdentity } from './producers/role-arn.ts';

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

/** Where ungoverned traces wait; unlocked, emptied by lifecycle. */
export interface TraceStaging {
  putObject(object: EvidenceObject): Promise<ObjectVersion>;
}

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

/** Working papers of a long task: unlocked, and gone with the lifecycle of staging. */
export interface WorkNotes {
  /** Puts a JSON document, over what stood there. @throws UnavailableError */
  put(key: string, document: unknown): Promise<void>;
  /** @throws UnavailableError */
  find(key: string): Promise<unknown | undefined>;
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

/** One object version, opened. */
export interface OpenedVersion {
  /** As S3 says; absent when the version is not locked. */
  readonly lock?: Pick<Lock, 'mode' | 'retainUntil'>;
  /** Names in lower case. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Iterating throws UnavailableError when the connection breaks. */
  readonly body: AsyncIterable<Uint8Array>;
}

/** Reads object versions of any size piece by piece, with what S3 says about them. */
export interface VersionStreams {
  /**
   * @throws UnreadableRecordError when that version is gone, or encrypted under a key of its writer's own;
   * AccessDeniedError when content or lock may not be looked at, UnavailableError
   */
  open(version: ObjectVersion): Promise<OpenedVersion>;
}

/** The part of the vault that the digest chain is written to. */
export interface ChainVault extends EvidenceVault {
  /**
   * Puts bytes as they are, with object metadata beside them, the same way as any document.
   * @throws ConflictingObjectError when other bytes stand there, UnavailableError
   */
  putBytes(
    key: string,
    body: Uint8Array,
    lock: Lock,
    description: {
      readonly contentType: string;
      readonly metadata?: Readonly<Record<string, string>>;
    },
  ): Promise<ObjectVersion>;
}

/** A key that signs digests; its private half never leaves KMS. */
export interface DigestSigner {
  /** SHA-256 (hex) of the public key in DER form. */
  readonly fingerprint: string;
  /** SPKI, PEM. */
  readonly publicKey: string;
  /**
   * ECDSA over the SHA-256 of the bytes; DER.
   * @throws LineageError `signing_refused` when the key is disabled or ours no more, UnavailableError
   */
  sign(bytes: Uint8Array): Promise<Uint8Array>;
}

export interface SigningKeys {
  /** The key of the configured generation. @throws as {@link DigestSigner.sign} */
  current(): Promise<DigestSigner>;
  /** The newest key with this fingerprint; undefined when no generation has it. @throws as {@link DigestSigner.sign} */
  byFingerprint(fingerprint: string): Promise<DigestSigner | undefined>;
}

/** What goes out of the account after each digest, so that a chain cut short does not match it. */
export interface AnchoredHead {
  readonly bucket: string;
  readonly key: string;
  readonly number: number;
  readonly from: string;
  readonly to: string;
  /** Hex, of the digest's bytes. */
  readonly sha256: string;
  /** Base64. */
  readonly signature: string;
}

export interface HeadAnchor {
  /** Where heads go, as digests say it. */
  readonly name: string;
  /** @throws UnavailableError */
  publish(head: AnchoredHead): Promise<void>;
}

/** Looks at object versions one by one, and at what a folder really holds. */
export interface VersionInspector {
  /** @throws UnavailableError when S3 does not answer */
  inspect(version: ObjectVersion): Promise<VersionState>;
  /** Every version and delete marker under a prefix, page by page. @throws AccessDeniedError */
  list(bucket: string, prefix: string): AsyncIterable<ListedVersion>;
  /** Names directly below a prefix that end in a slash. @throws AccessDeniedError */
  folders(bucket: string, prefix: string): Promise<string[]>;
}

/** What stands around a bucket and a key right now. A right that we lost is `denied`, never "not set". */
export interface GuardReader {
  /** @throws UnavailableError when S3 does not answer */
  bucket(bucketName: string): Promise<Seen<BucketGuards>>;
  /** @throws UnavailableError when KMS does not answer */
  key(keyArn: string): Promise<Seen<KeyGuards>>;
}

/** Makes the lock of a version longer. */
export interface RetentionExtender {
  /**
   * Locks a version until a later time than it is. False when S3 refuses, which it does for an earlier one.
   * @throws UnavailableError when S3 does not answer
   */
  extend(version: ObjectVersion, lock: Pick<Lock, 'mode' | 'retainUntil'>): Promise<boolean>;
}

/**
 * The tables: a cache of the vault. Every write is idempotent. Of a delivery, a run event and a finding the first
 * stored location wins; of a dataset and a reference, which many events may name, the receipt that sorts first.
 */
export interface RunIndex {
  putDelivery(entry: DeliveryEntry): Promise<void>;
  putRunEvent(entry: RunEventEntry): Promise<void>;
  putRunDataset(entry: RunDatasetEntry): Promise<void>;
  putDeclaration(entry: DeclarationEntry): Promise<void>;
  putReference(entry: ReferenceEntry): Promise<void>;
  putTraceDelivery(entry: TraceDeliveryEntry): Promise<void>;
  putTraceRun(entry: TraceRunEntry): Promise<void>;
  putFinding(finding: Finding): Promise<void>;
  /** Answers which event stands for the group, run, type and time of a claim: its own, unless another came first. */
  claimEvent(claim: EventClaim): Promise<EventClaim>;
  /**
   * Points a staged trace delivery at its promoted copy, in the row of the delivery first and then in
   * the row by which promotion finds its work; a second promotion changes nothing.
   */
  promoteTraceDelivery(entry: TraceDeliveryEntry, location: Location, lock: Lock): Promise<void>;
  /** Moves the lock that the rows of a stored event or trace promise, never to an earlier time. */
  extendRow(entry: RunEventEntry | TraceDeliveryEntry, retainUntil: string): Promise<void>;

  /** All rows of a receipt: one for each trace of an export, and one for quarantine. */
  deliveries(receiptId: string): Promise<DeliveryEntry[]>;
  /**
   * The delivery of each record, in order, in few calls and consistently; undefined where there is none. What was
   * only quarantined is none.
   */
  findDeliveries(
    records: ReadonlyArray<{ readonly receiptId: string; readonly traceId?: string }>,
  ): Promise<Array<DeliveryEntry | undefined>>;
  /** Of a receipt that was quarantined first and archived later, the archived delivery. */
  delivery(receiptId: string): Promise<DeliveryEntry | undefined>;
  runEvents(runKey: string): Promise<RunEventEntry[]>;
  /** Events of the run whose lock is promised to end before a time (RFC 3339 UTC), page by page. */
  runEventsLockedBefore(runKey: string, time: string): AsyncIterable<RunEventEntry>;
  /** Whether any event of the run is held, without reading them. */
  holdsRun(runKey: string): Promise<boolean>;
  runDatasets(runKey: string): Promise<RunDatasetEntry[]>;
  declarations(job: Identity): Promise<DeclarationEntry[]>;
  references(runKey: string): Promise<ReferenceEntry[]>;
  runTraces(runKey: string): Promise<TraceRunEntry[]>;
  runFindings(runKey: string): Promise<Finding[]>;
  /** Strongly consistent, as are {@link traceRuns} and {@link isTraceLinked}: the two sides of a join write first, then read the other. */
  traceDeliveries(traceId: string): Promise<TraceDeliveryEntry[]>;
  traceRuns(traceId: string): Promise<TraceRunEntry[]>;
  /** Whether any link of the trace stands, without reading them. */
  isTraceLinked(traceId: string): Promise<boolean>;
  /** Everything accepted in one hour (`YYYY-MM-DDTHH`) on one index shard, page by page. */
  acceptedInHour(hour: string, shard: number): AsyncIterable<DeliveryEntry>;
}

/** The legal hold of an object version, apart from its retention: no date, and no bypass. */
export interface LegalHolds {
  /** @throws AccessDeniedError, UnavailableError */
  set(version: ObjectVersion, on: boolean): Promise<void>;
}

/** Legal holds as they stand, a cache of `holds/` in the vault. Every look is consistent, every write idempotent. */
export interface HoldIndex {
  /** Of two steps of a hold the later one stands, in whatever order they are put. */
  put(hold: Hold): Promise<void>;
  /** Active and released ones. */
  ofRun(runKey: string): Promise<Hold[]>;
  /** @param after the id at which the last page ended */
  list(limit: number, after?: string): Promise<{ holds: Hold[]; next?: string }>;
  /** Whether there has ever been a hold: without one, nobody has to look further. */
  hasAny(): Promise<boolean>;
  /** Says how a hold stands towards a subject; the later step of a hold stands. */
  putCover(subject: string, cover: HoldCover): Promise<void>;
  covers(subject: string): Promise<HoldCover[]>;
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

/** That a stream took a record, and nothing of what it said. */
export interface StreamArrival {
  readonly sequenceNumber: string;
  /** By the clock of the stream. */
  readonly arrivedAtMillis: number;
  /** RFC 3339 UTC: the acceptance by which the archive files it. */
  readonly acceptedAt: string;
}

/** What the streams took, read once more. */
export interface StreamCounter {
  /** How long the stream of a plane keeps its records. @throws UnavailableError */
  retentionMillis(plane: StreamPlane): Promise<number>;
  /** Every shard that may still hold a record, closed ones included. @throws UnavailableError */
  shards(plane: StreamPlane): Promise<string[]>;
  /**
   * The records of a shard that arrived in the half-open interval, in order; those past retention are absent.
   * @throws UnavailableError before anything is left out for another reason
   */
  arrivals(
    plane: StreamPlane,
    shardId: string,
    fromMillis: number,
    toMillis: number,
  ): AsyncIterable<StreamArrival>;
}

/** Who a request comes from; asked for every one. */
export interface ProducerRegistry {
  /**
   * The key with this id, unless its validity has ended.
   * @throws UnavailableError when the look-up fails: never mistaken for an unknown key
   */
  findByKeyId(keyId: string): Promise<{ keyHash: string; registration: Registration } | undefined>;
  /** The producer that calls with an IAM role. @throws UnavailableError */
  findByRole(role: RoleIdentity): Promise<Registration | undefined>;
}

/** The producers as they stand, for those who administer them. Every look is consistent. */
export interface ProducerDirectory {
  find(producerId: string): Promise<Producer | undefined>;
  /** @param after where the last page ended */
  list(limit: number, after?: string): Promise<{ producers: Producer[]; next?: string }>;
  /** Whether the role of a registration is free or its own; without a role, always. Reserves nothing. */
  mayHaveRole(registration: Registration): Promise<boolean>;
  /**
   * Writes the producer, its keys and its role in one step. False, and nothing is written, when the
   * producer does not stand at `before` any more or its role is another's.
   */
  put(
    before: Producer | undefined,
    after: Producer,
    newKey?: { readonly keyId: string; readonly keyHash: string },
  ): Promise<boolean>;
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

/** Keys of persons, each at random, in a table that forgets. */
export interface SubjectKeys {
  /**
   * The key held under a look-up, made where there was none: of two who make one at a time both get the first.
   * Never cached, so that an erasure counts at once.
   * @returns undefined when it was erased
   * @throws UnavailableError
   */
  secretOf(lookup: string): Promise<Uint8Array | undefined>;
}

/** What stands where a key was destroyed, so that none is made there again. */
export interface Tombstone {
  readonly erasureId: string;
  /** RFC 3339 UTC. */
  readonly erasedAt: string;
  readonly reference: string;
  /** False where the person had not been named before. */
  readonly hadKey: boolean;
}

/** The same keys, for whoever answers to the persons. */
export interface ErasableSubjects {
  /** Undefined when there was never a key. @throws UnavailableError */
  find(lookup: string): Promise<{ readonly secret: Uint8Array } | Tombstone | undefined>;
  /** Puts a tombstone in the place of a key, or where none is; one that stands there stays. @throws UnavailableError */
  erase(lookup: string, erasure: Omit<Tombstone, 'hadKey'>): Promise<Tombstone>;
}

/** Tokens of one window that a container asks for. */
export interface TokenLease {
  readonly producerId: string;
  readonly windowStartMillis: number;
  /** At most `capacity`. */
  readonly tokens: number;
  /** What the window has for all containers together. */
  readonly capacity: number;
}

export interface RateLeases {
  /**
   * Takes all of the tokens or none; false when the window has not so many left.
   * @throws UnavailableError when that cannot be told: never mistaken for room
   */
  lease(lease: TokenLease): Promise<boolean>;
}

/** Counts of final refusals, short-lived: evidence is the report that is made of them. */
export interface RejectionLedger {
  /**
   * Adds to a count; keeps the sample while there are few of its kind.
   * @throws UnavailableError when that cannot be told, and it may have been counted all the same
   */
  count(rejection: Rejection): Promise<void>;
  /** Everything counted in a UTC hour (`YYYY-MM-DDTHH`). @throws UnavailableError */
  ofHour(hour: string): Promise<RejectionCount[]>;
}

/** Our own clock in milliseconds. */
export type Clock = () => number;
