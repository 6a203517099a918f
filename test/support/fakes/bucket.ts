import { LineageError, UnavailableError } from '../../../lambdas/domain/errors.ts';
import type { EvidenceObject } from '../../../lambdas/domain/evidence/evidence-object.ts';
import type {
  Clock,
  DocumentVault,
  ObjectVersion,
} from '../../../lambdas/domain/evidence/ports.ts';
import type { Lock } from '../../../lambdas/domain/evidence/retention.ts';
import { versionName } from '../../../lambdas/domain/evidence/version-name.ts';
import type { ChainVault } from '../../../lambdas/domain/integrity/ports.ts';
import { sha256Hex } from '../../../lambdas/domain/store-key.ts';
import type { TraceStaging } from '../../../lambdas/domain/traces/ports.ts';

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
export class InMemoryBucket {
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

export const versionOf = ({ bucket, key, versionId }: ObjectVersion): ObjectVersion => ({
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
