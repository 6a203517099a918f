import type { Finding } from './audit/findings.ts';
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
}

/** The part of the vault that documents need which are read again when they are written. */
export interface DocumentVault extends Pick<EvidenceVault, 'putDocument'> {
  /** A document that is written once; undefined when it is not there. */
  find(key: string): Promise<Uint8Array | undefined>;
}

/** Where ungoverned traces wait; unlocked, emptied by lifecycle. */
export interface TraceStaging {
  putObject(object: EvidenceObject): Promise<ObjectVersion>;
}

/** Reads object versions of vault and staging. */
export interface ObjectReader {
  /** @throws UnreadableRecordError when that version is gone */
  read(version: ObjectVersion): Promise<Uint8Array>;
}

/** What S3 says of one object version. `denied` is not `missing`: losing the right to look is a finding of its own. */
export type VersionState =
  | {
      readonly status: 'present';
      /** Absent when the version is not locked. */
      readonly mode?: Lock['mode'];
      readonly retainUntil?: string;
      readonly legalHold: boolean;
      /** RFC 3339 UTC, by the clock of S3. */
      readonly lastModified?: string;
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

/** Makes the lock of a version longer. */
export interface RetentionExtender {
  /**
   * Locks a version until a later time than it is. False when S3 refuses, which it does for an earlier one.
   * @throws UnavailableError when S3 does not answer
   */
  extend(version: ObjectVersion, lock: Pick<Lock, 'mode' | 'retainUntil'>): Promise<boolean>;
}

/** The tables: a cache of the vault. Every write is idempotent, and the first stored location wins. */
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
