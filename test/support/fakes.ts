import { randomBytes } from 'node:crypto';
import type { Finding, StreamPlane } from '../../lambdas/domain/audit/findings.ts';
import {
  MAX_SAMPLES,
  type Rejection,
  type RejectionCount,
} from '../../lambdas/domain/audit/rejections.ts';
import {
  LineageError,
  UnavailableError,
  UnreadableRecordError,
} from '../../lambdas/domain/errors.ts';
import type { EvidenceObject } from '../../lambdas/domain/evidence/evidence-object.ts';
import type {
  DeclarationEntry,
  DeliveryEntry,
  EventClaim,
  ReferenceEntry,
  RunDatasetEntry,
  RunEventEntry,
  TraceDeliveryEntry,
  TraceRunEntry,
} from '../../lambdas/domain/evidence/index-entries.ts';
import type { EpochKey } from '../../lambdas/domain/evidence/keyed-hash.ts';
import type { Lock } from '../../lambdas/domain/evidence/retention.ts';
import { sha256Hex, storeKey } from '../../lambdas/domain/evidence/store-key.ts';
import { versionName } from '../../lambdas/domain/evidence/version-name.ts';
import { SIGNATURE_METADATA } from '../../lambdas/domain/integrity/digest.ts';
import type { SealedStore } from '../../lambdas/domain/integrity/verify-store.ts';
import type { Identity } from '../../lambdas/domain/openlineage/event.ts';
import type {
  ChainVault,
  Clock,
  DocumentVault,
  EpochKeys,
  ErasableSubjects,
  EventPublisher,
  Location,
  ObjectReader,
  ObjectVersion,
  OutgoingRecord,
  ProducerDirectory,
  ProducerRegistry,
  RateLeases,
  RejectionLedger,
  RetentionExtender,
  RunIndex,
  StoredObjects,
  StreamArrival,
  StreamCounter,
  SubjectKeys,
  TokenLease,
  Tombstone,
  TraceStaging,
  VersionInspector,
  VersionStreams,
  WorkNotes,
} from '../../lambdas/domain/ports.ts';
import { isValidAt } from '../../lambdas/domain/producers/issued-key.ts';
import type { Producer } from '../../lambdas/domain/producers/producer.ts';
import type { Registration } from '../../lambdas/domain/producers/registration.ts';
import { type RoleIdentity, readRoleArn } from '../../lambdas/domain/producers/role-arn.ts';
import { STRICT } from '../../lambdas/domain/redaction/policy.ts';

/** An object version as a test may look at it. */
interface StoredVersion extends ObjectVersion {
  readonly lastModified: string;
  readonly body: Uint8Array;
  /** What decides whether a second put of the key is a replay or a conflict. */
  readonly content: string;
  readonly lock?: Lock;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly deleteMarker?: true;
}

/** Lets a test refuse calls by name, to see what a failure in the middle leaves behind. */
export class Faults {
  readonly calls: string[] = [];
  readonly #refusals = new Map<string, number>();
  readonly #errors = new Map<string, Error>();
  readonly #spared = new Map<string, number>();

  /** The next `times` calls of a method throw before they take effect. */
  refuse(method: string, times = 1, error: Error = new UnavailableError(method)): void {
    this.#refusals.set(method, times);
    this.#errors.set(method, error);
  }

  /** All calls of a method but the next few throw. */
  refuseAfter(method: string, calls: number): void {
    this.#spared.set(method, calls);
    this.refuse(method, Number.POSITIVE_INFINITY);
  }

  enter(method: string): void {
    this.calls.push(method);
    const spared = this.#spared.get(method) ?? 0;
    if (spared > 0) {
      this.#spared.set(method, spared - 1);
      return;
    }
    const left = this.#refusals.get(method) ?? 0;
    if (left === 0) return;
    this.#refusals.set(method, left - 1);
    throw this.#errors.get(method);
  }
}

/** A bucket with versions and `If-None-Match: *`: a key is written once. */
class InMemoryBucket {
  readonly bucket: string;
  readonly versions: StoredVersion[] = [];
  /** Names of the versions whose legal hold is on. */
  readonly held = new Set<string>();
  readonly #clock: Clock;
  #written = 0;

  constructor(bucket: string, clock: Clock = Date.now) {
    this.bucket = bucket;
    this.#clock = clock;
  }

  put(
    key: string,
    body: Uint8Array,
    content: string,
    lock?: Lock,
    metadata?: Readonly<Record<string, string>>,
  ): StoredVersion {
    return (
      this.standing(key, content) ??
      this.addVersion(key, body, { content, ...(lock && { lock }), ...(metadata && { metadata }) })
    );
  }

  /** Writes a version past every condition, as somebody with other rights than ours can. */
  addVersion(
    key: string,
    body: Uint8Array,
    rest: Partial<Pick<StoredVersion, 'content' | 'lock' | 'metadata' | 'deleteMarker'>> = {},
  ): StoredVersion {
    const versionId = `v${++this.#written}`;
    const lastModified = new Date(this.#clock()).toISOString();
    const stored = {
      bucket: this.bucket,
      key,
      versionId,
      lastModified,
      body,
      content: '',
      ...rest,
    };
    this.versions.push(stored);
    return stored;
  }

  standing(key: string, content: string): StoredVersion | undefined {
    const standing = this.versions.find((version) => version.key === key);
    if (standing && standing.content !== content) {
      throw new LineageError('conflicting_object', 'other content stands under this key');
    }
    return standing;
  }

  /** Takes a version away, as a lifecycle rule or an attacker does. */
  remove({ key, versionId }: ObjectVersion): void {
    const at = this.versions.findIndex((held) => held.key === key && held.versionId === versionId);
    if (at !== -1) this.versions.splice(at, 1);
  }

  /** Changes the bytes of a version behind the store's back. */
  overwrite({ key, versionId }: ObjectVersion, body: Uint8Array): void {
    const at = this.versions.findIndex((held) => held.key === key && held.versionId === versionId);
    if (at !== -1) this.versions[at] = { ...(this.versions[at] as StoredVersion), body };
  }
}

const versionOf = ({ bucket, key, versionId }: ObjectVersion): ObjectVersion => ({
  bucket,
  key,
  versionId,
});

export class InMemoryVault extends InMemoryBucket implements ChainVault, DocumentVault {
  readonly faults = new Faults();

  constructor(bucket = 'vault', clock?: Clock) {
    super(bucket, clock);
  }

  async putObject(
    object: EvidenceObject,
    lock: Lock,
  ): Promise<ObjectVersion & { readonly lock: Lock }> {
    this.faults.enter('putObject');
    const stored = this.put(object.key, object.body, object.contentHash, lock);
    return { ...versionOf(stored), lock: stored.lock as Lock };
  }

  async putDocument(key: string, document: unknown, lock: Lock): Promise<ObjectVersion> {
    this.faults.enter('putDocument');
    const text = JSON.stringify(document);
    return versionOf(this.put(key, Buffer.from(text), text, lock));
  }

  async putBytes(
    key: string,
    body: Uint8Array,
    lock: Lock,
    { metadata }: Parameters<ChainVault['putBytes']>[3],
  ): Promise<ObjectVersion> {
    this.faults.enter('putBytes');
    return versionOf(this.put(key, body, sha256Hex(body), lock, metadata));
  }

  async findDocument(key: string, document: unknown): Promise<ObjectVersion | undefined> {
    this.faults.enter('findDocument');
    const standing = this.standing(key, JSON.stringify(document));
    return standing && versionOf(standing);
  }

  async holds(version: ObjectVersion): Promise<boolean> {
    this.faults.enter('holds');
    return this.versions.some((held) => versionName(held) === versionName(version));
  }

  async find(key: string): Promise<Uint8Array | undefined> {
    this.faults.enter('find');
    return this.versions.find((version) => version.key === key)?.body;
  }
}

export class InMemoryStaging extends InMemoryBucket implements TraceStaging {
  readonly faults = new Faults();

  constructor(bucket = 'staging', clock?: Clock) {
    super(bucket, clock);
  }

  async putObject(object: EvidenceObject): Promise<ObjectVersion> {
    this.faults.enter('putObject');
    return versionOf(this.put(object.key, object.body, object.contentHash));
  }
}

/** Reads what any of these buckets holds. */
export function readerOver(
  ...buckets: ReadonlyArray<Pick<InMemoryBucket, 'bucket' | 'versions'>>
): ObjectReader {
  return {
    async read({ bucket, key, versionId }) {
      const held = buckets
        .find((candidate) => candidate.bucket === bucket)
        ?.versions.find((version) => version.key === key && version.versionId === versionId);
      if (!held) throw new UnreadableRecordError('version_missing');
      return held.body;
    },
  };
}

/** Opens what any of these buckets holds, in pieces of a few bytes. */
export function streamsOver(
  ...buckets: ReadonlyArray<Pick<InMemoryBucket, 'bucket' | 'versions'>>
): VersionStreams {
  return {
    async open({ bucket, key, versionId }) {
      const held = buckets
        .find((candidate) => candidate.bucket === bucket)
        ?.versions.find((version) => version.key === key && version.versionId === versionId);
      if (!held) throw new UnreadableRecordError('object_version_missing');
      const { body, lock, metadata = {} } = held;
      return {
        metadata,
        ...(lock && { lock: { mode: lock.mode, retainUntil: lock.retainUntil } }),
        body: (async function* () {
          for (let at = 0; at < body.length; at += 1000) yield body.subarray(at, at + 1000);
        })(),
      };
    },
  };
}

/** Reads the same with the lock that a version was put with. */
export function objectsOver(
  ...buckets: ReadonlyArray<Pick<InMemoryBucket, 'bucket' | 'versions'>>
): StoredObjects {
  const reader = readerOver(...buckets);
  return {
    async readLocked(version) {
      const body = await reader.read(version);
      const lock = buckets
        .flatMap(({ versions }) => versions)
        .find((held) => held.key === version.key && held.versionId === version.versionId)?.lock;
      return { body, ...(lock && { lock }) };
    },
  };
}

/** Working papers as a map. */
export class InMemoryNotes implements WorkNotes {
  readonly faults = new Faults();
  readonly documents = new Map<string, string>();

  async put(key: string, document: unknown): Promise<void> {
    this.faults.enter('put');
    this.documents.set(key, JSON.stringify(document));
  }

  async find(key: string): Promise<unknown | undefined> {
    this.faults.enter('find');
    const text = this.documents.get(key);
    return text === undefined ? undefined : JSON.parse(text);
  }
}

/** Looks at what these buckets hold. */
export function inspectorOver(
  ...buckets: ReadonlyArray<Pick<InMemoryBucket, 'bucket' | 'versions' | 'held'>>
): VersionInspector {
  const versionsOf = (bucket: string) =>
    buckets.find((candidate) => candidate.bucket === bucket)?.versions ?? [];
  return {
    async inspect({ bucket, key, versionId }) {
      const held = versionsOf(bucket).find(
        (version) => version.key === key && version.versionId === versionId,
      );
      if (!held) return { status: 'missing' };
      const { mode, retainUntil } = held.lock ?? {};
      return {
        status: 'present',
        // as HEAD says it: to the second
        lastModified: `${held.lastModified.slice(0, 19)}.000Z`,
        ...(mode && { mode }),
        ...(retainUntil && { retainUntil }),
        legalHold: buckets.some(({ held }) => held.has(versionName({ bucket, key, versionId }))),
      };
    },
    async *list(bucket, prefix) {
      for (const version of versionsOf(bucket)) {
        if (version.key.startsWith(prefix)) {
          yield {
            ...versionOf(version),
            deleteMarker: version.deleteMarker ?? false,
            lastModified: version.lastModified,
            bytes: version.body.length,
          };
        }
      }
    },
    async folders(bucket, prefix) {
      const below = versionsOf(bucket).flatMap(({ key }) => {
        const slash = key.startsWith(prefix) ? key.indexOf('/', prefix.length) : -1;
        return slash === -1 ? [] : key.slice(0, slash + 1);
      });
      return [...new Set(below)].sort();
    },
  };
}

/** What a bucket holds as a verifier sees it: in the order of keys, of one key the newest version first. */
export function sealedStoreOver({
  bucket,
  versions,
}: Pick<InMemoryBucket, 'bucket' | 'versions'>): SealedStore {
  return {
    bucket,
    knowsVersions: true,
    async *list(prefix) {
      const below = versions.filter(({ key }) => key.startsWith(prefix)).reverse();
      below.sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)));
      for (const { key, versionId, lastModified, deleteMarker } of below) {
        yield { key, versionId, lastModified, ...(deleteMarker && { deleteMarker }) };
      }
    },
    async open(key, versionId) {
      const held = versions.findLast(
        (version) => version.key === key && version.versionId === (versionId ?? version.versionId),
      );
      if (!held || held.deleteMarker) return undefined;
      const signature = held.metadata?.[SIGNATURE_METADATA];
      return {
        chunks: (async function* () {
          yield held.body;
        })(),
        lock: held.lock ?? 'none',
        ...(signature !== undefined && { signature }),
      };
    },
  };
}

/** Extends locks of what this bucket holds, as S3 does: never to an earlier time. */
export function extenderOver({ versions }: Pick<InMemoryBucket, 'versions'>) {
  const extended: Array<{ readonly key: string; readonly retainUntil: string }> = [];
  const extender: RetentionExtender = {
    async extend({ key, versionId }, { mode, retainUntil }) {
      const at = versions.findIndex((held) => held.key === key && held.versionId === versionId);
      const held = versions[at];
      if (!held || (held.lock && held.lock.retainUntil > retainUntil)) return false;
      extended.push({ key, retainUntil });
      versions[at] = { ...held, lock: { clamped: false, ...held.lock, mode, retainUntil } };
      return true;
    },
  };
  return { extender, extended };
}

/** The tables as maps. Every call yields once first, so that callers which run at once do interleave. */
export class InMemoryRunIndex implements RunIndex {
  readonly faults = new Faults();
  readonly deliveryRows = new Map<string, DeliveryEntry>();
  readonly runEventRows = new Map<string, RunEventEntry>();
  readonly claimRows = new Map<string, EventClaim>();
  readonly runDatasetRows = new Map<string, RunDatasetEntry>();
  readonly declarationRows = new Map<string, DeclarationEntry>();
  readonly referenceRows = new Map<string, ReferenceEntry>();
  readonly traceDeliveryRows = new Map<string, TraceDeliveryEntry>();
  readonly traceRunRows = new Map<string, TraceRunEntry>();
  readonly findingRows = new Map<string, Finding>();

  putDelivery = (entry: DeliveryEntry) =>
    this.#putFirst(
      'putDelivery',
      this.deliveryRows,
      // Quarantine has a row of its own beside what is archived after all.
      [entry.receiptId, entry.kind === 'quarantine' ? entry.kind : entry.traceId],
      entry,
    );

  putRunEvent = (entry: RunEventEntry) =>
    this.#putFirst('putRunEvent', this.runEventRows, [entry.runKey, entry.receiptId], entry);

  putRunDataset = (entry: RunDatasetEntry) =>
    this.#putLeast(
      'putRunDataset',
      this.runDatasetRows,
      [entry.runKey, entry.group, entry.access, entry.namespace, entry.name],
      entry,
    );

  putDeclaration = (entry: DeclarationEntry) =>
    this.#putFirst(
      'putDeclaration',
      this.declarationRows,
      [entry.job.namespace, entry.job.name, entry.receiptId],
      entry,
    );

  putReference = (entry: ReferenceEntry) =>
    this.#putLeast(
      'putReference',
      this.referenceRows,
      [entry.runKey, entry.by, entry.from, entry.group],
      entry,
    );

  putTraceDelivery = (entry: TraceDeliveryEntry) =>
    this.#putFirst(
      'putTraceDelivery',
      this.traceDeliveryRows,
      [entry.traceId, entry.receiptId],
      entry,
    );

  putTraceRun = (entry: TraceRunEntry) =>
    this.#putFirst(
      'putTraceRun',
      this.traceRunRows,
      [entry.traceId, entry.spanId, entry.runKey, entry.declaredBy, entry.receiptId],
      entry,
    );

  putFinding = (finding: Finding) =>
    this.#putFirst(
      'putFinding',
      this.findingRows,
      [finding.id, finding.at, finding.status],
      finding,
    );

  async claimEvent(claim: EventClaim): Promise<EventClaim> {
    const { group, runKey, eventType, eventTimeUtc } = claim;
    const key = [group, runKey, eventType, eventTimeUtc];
    await this.#putFirst('claimEvent', this.claimRows, key, claim);
    return this.claimRows.get(keyOf(key)) as EventClaim;
  }

  async promoteTraceDelivery(
    entry: TraceDeliveryEntry,
    location: Location,
    lock: Lock,
  ): Promise<void> {
    await this.#enter('promoteTraceDelivery');
    // The delivery first: promotion finds its work by the other row.
    const deliveryRow = keyOf([entry.receiptId, entry.traceId]);
    const delivery = this.deliveryRows.get(deliveryRow);
    if (delivery?.governed === false) {
      this.deliveryRows.set(deliveryRow, { ...delivery, governed: true, location, lock });
    }
    const traceRow = keyOf([entry.traceId, entry.receiptId]);
    const held = this.traceDeliveryRows.get(traceRow);
    if (held?.governed === false) {
      this.traceDeliveryRows.set(traceRow, { ...held, governed: true, location, lock });
    }
  }

  async extendRow(entry: RunEventEntry | TraceDeliveryEntry, retainUntil: string): Promise<void> {
    await this.#enter('extendRow');
    const extend = <T extends { readonly lock: Lock }>(rows: Map<string, T>, key: string) => {
      const row = rows.get(key);
      if (row && row.lock.retainUntil < retainUntil)
        rows.set(key, { ...row, lock: { ...row.lock, retainUntil } });
    };
    const { receiptId } = entry;
    const traceId = 'traceId' in entry ? entry.traceId : undefined;
    extend(this.deliveryRows, keyOf([receiptId, traceId]));
    if ('traceId' in entry) extend(this.traceDeliveryRows, keyOf([entry.traceId, receiptId]));
    else extend(this.runEventRows, keyOf([entry.runKey, receiptId]));
  }

  async *runEventsLockedBefore(runKey: string, time: string): AsyncIterable<RunEventEntry> {
    for (const row of await this.runEvents(runKey)) if (row.lock.retainUntil < time) yield row;
  }

  deliveries = (receiptId: string) =>
    this.#select('delivery', this.deliveryRows, (row) => row.receiptId === receiptId);

  async findDeliveries(
    records: ReadonlyArray<{ readonly receiptId: string; readonly traceId?: string }>,
  ): Promise<Array<DeliveryEntry | undefined>> {
    await this.#enter('findDeliveries');
    return records.map(({ receiptId, traceId }) =>
      this.deliveryRows.get(keyOf([receiptId, traceId])),
    );
  }

  async delivery(receiptId: string): Promise<DeliveryEntry | undefined> {
    const rows = await this.deliveries(receiptId);
    return rows.find(({ kind }) => kind !== 'quarantine') ?? rows[0];
  }

  runEvents = (runKey: string) =>
    this.#select('runEvents', this.runEventRows, (row) => row.runKey === runKey);

  holdsRun = async (runKey: string) => (await this.runEvents(runKey)).length > 0;

  runDatasets = (runKey: string) =>
    this.#select('runDatasets', this.runDatasetRows, (row) => row.runKey === runKey);

  declarations = ({ namespace, name }: Identity) =>
    this.#select(
      'declarations',
      this.declarationRows,
      ({ job }) => job.namespace === namespace && job.name === name,
    );

  references = (runKey: string) =>
    this.#select('references', this.referenceRows, (row) => row.runKey === runKey);

  runTraces = (runKey: string) =>
    this.#select('runTraces', this.traceRunRows, (row) => row.runKey === runKey);

  runFindings = (runKey: string) =>
    this.#select('runFindings', this.findingRows, (row) => row.runKeys.includes(runKey));

  traceDeliveries = (traceId: string) =>
    this.#select('traceDeliveries', this.traceDeliveryRows, (row) => row.traceId === traceId);

  traceRuns = (traceId: string) =>
    this.#select('traceRuns', this.traceRunRows, (row) => row.traceId === traceId);

  async isTraceLinked(traceId: string): Promise<boolean> {
    await this.#enter('isTraceLinked');
    return [...this.traceRunRows.values()].some((row) => row.traceId === traceId);
  }

  /** Everything is on shard 0. */
  async *acceptedInHour(hour: string, shard: number): AsyncIterable<DeliveryEntry> {
    await this.#enter('acceptedInHour');
    if (shard !== 0) return;
    for (const row of this.deliveryRows.values()) {
      if (new Date(row.acceptedAt).toISOString().startsWith(hour)) yield row;
    }
  }

  async #putFirst<T>(
    method: string,
    rows: Map<string, T>,
    key: Array<string | undefined>,
    row: T,
  ): Promise<void> {
    await this.#enter(method);
    if (!rows.has(keyOf(key))) rows.set(keyOf(key), row);
  }

  async #putLeast<T extends { readonly receiptId: string }>(
    method: string,
    rows: Map<string, T>,
    key: Array<string | undefined>,
    row: T,
  ): Promise<void> {
    await this.#enter(method);
    const held = rows.get(keyOf(key));
    if (!held || held.receiptId > row.receiptId) rows.set(keyOf(key), row);
  }

  async #select<T>(
    method: string,
    rows: Map<string, T>,
    wanted: (row: T) => boolean,
  ): Promise<T[]> {
    await this.#enter(method);
    return [...rows.values()].filter(wanted);
  }

  async #enter(method: string): Promise<void> {
    await Promise.resolve();
    this.faults.enter(method);
  }
}

const keyOf = (parts: Array<string | undefined>): string => JSON.stringify(parts);

/** A stream that keeps what was published; records whose key is refused are not acknowledged. */
export class InMemoryStream implements EventPublisher {
  readonly faults = new Faults();
  readonly records: OutgoingRecord[] = [];
  readonly refusedKeys = new Set<string>();

  async publish(records: readonly OutgoingRecord[]): Promise<readonly boolean[]> {
    this.faults.enter('publish');
    return records.map((record) => {
      const taken = !this.refusedKeys.has(record.partitionKey);
      if (taken) this.records.push(record);
      return taken;
    });
  }
}

/** Streams by shard, as they are read once more; `kept` hours of them. */
export class InMemoryStreamCounter implements StreamCounter {
  readonly faults = new Faults();
  readonly shardsOf = { lineage: new Map(), traces: new Map() } as Record<
    StreamPlane,
    Map<string, StreamArrival[]>
  >;
  retentionHours = 24;

  async retentionMillis(): Promise<number> {
    this.faults.enter('retentionMillis');
    return this.retentionHours * 3_600_000;
  }

  async shards(plane: StreamPlane): Promise<string[]> {
    this.faults.enter('shards');
    return [...this.shardsOf[plane].keys()];
  }

  async *arrivals(plane: StreamPlane, shardId: string, fromMillis: number, toMillis: number) {
    this.faults.enter('arrivals');
    for (const arrival of this.shardsOf[plane].get(shardId) ?? []) {
      const { arrivedAtMillis } = arrival;
      if (arrivedAtMillis >= fromMillis && arrivedAtMillis < toMillis) yield arrival;
    }
  }
}

interface KeyRow {
  /** Absent where a change told a key whose hash was never written, as DynamoDB does. */
  readonly keyHash?: string;
  readonly registration: Registration;
  readonly validUntil?: string;
}

/** Producers, their keys and roles as maps; nothing is cached. */
export class InMemoryProducers implements ProducerRegistry, ProducerDirectory {
  readonly faults = new Faults();
  readonly rows = new Map<string, KeyRow>();
  /** The row of a role that was given up stays, empty. */
  readonly roles = new Map<string, { producerId?: string; registration?: Registration }>();
  readonly producers = new Map<string, Producer>();
  readonly #clock: Clock;

  constructor(clock: Clock = () => 0) {
    this.#clock = clock;
  }

  async findByKeyId(keyId: string) {
    this.faults.enter('findByKeyId');
    const row = this.rows.get(keyId);
    if (row?.keyHash === undefined || !isValidAt(row, this.#clock())) return undefined;
    return { keyHash: row.keyHash, registration: row.registration };
  }

  async findByRole(role: RoleIdentity): Promise<Registration | undefined> {
    this.faults.enter('findByRole');
    return this.roles.get(roleKey(role))?.registration;
  }

  async find(producerId: string): Promise<Producer | undefined> {
    this.faults.enter('find');
    return this.producers.get(producerId);
  }

  async list(limit: number, after?: string) {
    this.faults.enter('list');
    const inOrder = [...this.producers]
      .map(([id, producer]): [string, Producer] => [storeKey('producer', id), producer])
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .filter(([key]) => after === undefined || key > after);
    const page = inOrder.slice(0, limit);
    const producers = page.map(([, producer]) => producer);
    const next = inOrder.length > limit ? page.at(-1)?.[0] : undefined;
    return { producers, ...(next !== undefined && { next }) };
  }

  async mayHaveRole(registration: Registration): Promise<boolean> {
    this.faults.enter('mayHaveRole');
    return this.#isRoleFreeFor(registration);
  }

  #isRoleFreeFor({ producerId, roleArn }: Registration): boolean {
    const role = roleArn === undefined ? undefined : readRoleArn(roleArn);
    const holder = role && this.roles.get(roleKey(role))?.producerId;
    return holder === undefined || holder === producerId;
  }

  async put(
    before: Producer | undefined,
    after: Producer,
    newKey?: { readonly keyId: string; readonly keyHash: string },
  ): Promise<boolean> {
    await Promise.resolve();
    this.faults.enter('put');
    const { registration } = after;
    if (this.producers.get(registration.producerId)?.version !== before?.version) return false;
    if (!this.#isRoleFreeFor(registration)) return false;
    this.producers.set(registration.producerId, after);
    for (const { keyId, validUntil } of after.keys) {
      const keyHash = keyId === newKey?.keyId ? newKey.keyHash : this.rows.get(keyId)?.keyHash;
      const state = { registration, ...(validUntil && { validUntil }) };
      this.rows.set(keyId, { ...(keyHash !== undefined && { keyHash }), ...state });
    }
    const { producerId, roleArn } = registration;
    const left = before?.registration.roleArn && readRoleArn(before.registration.roleArn);
    if (left) this.roles.set(roleKey(left), {});
    const role = roleArn === undefined ? undefined : readRoleArn(roleArn);
    if (role) this.roles.set(roleKey(role), { producerId, registration });
    return true;
  }
}

const roleKey = ({ account, name }: RoleIdentity) => `${account}/${name}`;

/** One epoch for all time. */
export class SingleEpochKey implements EpochKeys {
  readonly faults = new Faults();
  readonly key: EpochKey;

  constructor(key: EpochKey = { epoch: 0, secret: Buffer.alloc(32, 7) }) {
    this.key = key;
  }

  async at(_epochMillis: number): Promise<EpochKey> {
    this.faults.enter('at');
    return this.key;
  }

  async byEpoch(epoch: number): Promise<EpochKey | undefined> {
    this.faults.enter('byEpoch');
    return epoch === this.key.epoch ? this.key : undefined;
  }
}

/** Subject keys as a map. Calls yield first, so that two writers do interleave. */
export class InMemorySubjectKeys implements SubjectKeys, ErasableSubjects {
  readonly faults = new Faults();
  readonly held = new Map<string, { readonly secret: Uint8Array } | Tombstone>();
  calls = 0;

  async secretOf(lookup: string): Promise<Uint8Array | undefined> {
    this.calls++;
    this.faults.enter('secretOf');
    await Promise.resolve();
    const found = this.held.get(lookup) ?? { secret: randomBytes(32) };
    this.held.set(lookup, found);
    return 'secret' in found ? found.secret : undefined;
  }

  async find(lookup: string): Promise<{ readonly secret: Uint8Array } | Tombstone | undefined> {
    this.faults.enter('find');
    return this.held.get(lookup);
  }

  async erase(lookup: string, erasure: Omit<Tombstone, 'hadKey'>): Promise<Tombstone> {
    this.faults.enter('erase');
    const found = this.held.get(lookup);
    if (found && 'erasureId' in found) return found;
    const tombstone = { ...erasure, hadKey: found !== undefined };
    this.held.set(lookup, tombstone);
    return tombstone;
  }
}

/** What archiving needs beside the stores, for records of the epoch that builders use. */
export function singlePolicy() {
  return {
    epochKeys: new SingleEpochKey(),
    subjectKeys: new InMemorySubjectKeys(),
    policy: STRICT,
    recordPolicy: async () => undefined,
  };
}

/** Rate windows and refusal counters as maps. Calls yield first, so that containers do interleave. */
export class InMemoryUsage implements RateLeases, RejectionLedger {
  readonly faults = new Faults();
  readonly #leased = new Map<string, number>();
  readonly #counts = new Map<string, RejectionCount & { readonly hour: string }>();

  async lease({ producerId, windowStartMillis, tokens, capacity }: TokenLease): Promise<boolean> {
    await Promise.resolve();
    this.faults.enter('lease');
    const key = keyOf([producerId, String(windowStartMillis)]);
    const leased = (this.#leased.get(key) ?? 0) + tokens;
    if (leased > capacity) return false;
    this.#leased.set(key, leased);
    return true;
  }

  async count({ hour, producerId, rule, refused, sample }: Rejection): Promise<void> {
    await Promise.resolve();
    this.faults.enter('count');
    const key = keyOf([hour, producerId, rule]);
    const known = this.#counts.get(key);
    const samples = known?.samples ?? [];
    this.#counts.set(key, {
      ...{ hour, producerId, rule },
      refused: (known?.refused ?? 0) + refused,
      samples: samples.length < MAX_SAMPLES ? [...samples, sample] : samples,
    });
  }

  async ofHour(wanted: string): Promise<RejectionCount[]> {
    this.faults.enter('ofHour');
    return [...this.#counts.values()]
      .filter(({ hour }) => hour === wanted)
      .map(({ hour: _, ...count }) => count);
  }
}
