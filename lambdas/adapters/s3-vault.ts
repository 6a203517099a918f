import type { S3Client } from '@aws-sdk/client-s3';
import type { EvidenceObject } from '../domain/evidence/evidence-object.ts';
import type { ObjectVersion } from '../domain/evidence/ports.ts';
import type { Lock } from '../domain/evidence/retention.ts';
import type { ChainVault } from '../domain/integrity/ports.ts';
import { sha256Hex } from '../domain/store-key.ts';
import type { TraceStaging } from '../domain/traces/ports.ts';
import { WriteOnceBucket } from './s3-write-once-bucket.ts';

const GZIP = 'application/gzip';
const JSON_TYPE = 'application/json';

/** The locked bucket. */
export class S3EvidenceVault implements ChainVault {
  readonly #bucket: WriteOnceBucket;

  constructor(client: S3Client, bucket: string) {
    this.#bucket = new WriteOnceBucket(client, bucket);
  }

  async putObject(object: EvidenceObject, lock: Lock): Promise<ObjectVersion & { lock: Lock }> {
    const { key, body, contentHash } = object;
    const put = await this.#bucket.put({ key, body, contentHash, contentType: GZIP, lock });
    return { ...put, lock: put.lock ?? lock };
  }

  async putDocument(key: string, document: unknown, lock: Lock): Promise<ObjectVersion> {
    const body = Buffer.from(JSON.stringify(document));
    return this.putBytes(key, body, lock, { contentType: JSON_TYPE });
  }

  async putBytes(
    key: string,
    body: Uint8Array,
    lock: Lock,
    description: Parameters<ChainVault['putBytes']>[3],
  ): Promise<ObjectVersion> {
    const contentHash = sha256Hex(body);
    const { lock: _lock, ...version } = await this.#bucket.put({
      ...{ key, body, contentHash, lock },
      ...description,
    });
    return version;
  }

  async findDocument(key: string, document: unknown): Promise<ObjectVersion | undefined> {
    const standing = await this.#bucket.standing(key, sha256Hex(JSON.stringify(document)));
    if (!standing) return undefined;
    const { lock: _lock, ...version } = standing;
    return version;
  }

  holds(version: ObjectVersion): Promise<boolean> {
    return this.#bucket.holds(version);
  }

  /** A document that is written once; undefined when it is not there. */
  find(key: string): Promise<Uint8Array | undefined> {
    return this.#bucket.find(key);
  }
}

/** Where ungoverned traces wait, unlocked. */
export class S3TraceStaging implements TraceStaging {
  readonly #bucket: WriteOnceBucket;

  constructor(client: S3Client, bucket: string) {
    this.#bucket = new WriteOnceBucket(client, bucket);
  }

  putObject({ key, body, contentHash }: EvidenceObject): Promise<ObjectVersion> {
    return this.#bucket.put({ key, body, contentHash, contentType: GZIP });
  }
}
