import { createHash } from 'node:crypto';
import {
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { LineageError, UnavailableError, UnreadableRecordError } from '../domain/errors.ts';
import type { EvidenceObject } from '../domain/evidence/evidence-object.ts';
import type { Lock } from '../domain/evidence/retention.ts';
import { sha256Hex } from '../domain/evidence/store-key.ts';
import type { EvidenceVault, ObjectReader, ObjectVersion, TraceStaging } from '../domain/ports.ts';

/** Other content stands where ours should go: never overwritten, never ignored. */
class ConflictingObjectError extends LineageError {
  override readonly name = 'ConflictingObjectError';

  constructor() {
    super('conflicting_object', 'another object stands under this key');
  }
}

/** Concurrent writers of one key get 409 and may try again; more than this is no race any more. */
const MAX_CONFLICT_RETRIES = 3;

/** Object metadata (ASCII): what a second writer of the same key needs to recognise its own content. */
const Meta = {
  contentHash: 'content-hash',
  mode: 'lock-mode',
  retainUntil: 'retain-until',
} as const;

interface Put {
  readonly key: string;
  readonly body: Uint8Array;
  readonly contentHash: string;
  readonly contentType: string;
  readonly lock?: Lock;
}

/** Vault and staging on S3. A key is written once, with checksum and lock in the same request. */
export class S3ObjectStore implements ObjectReader {
  readonly #client: S3Client;
  readonly #bucket: string;

  constructor(client: S3Client, bucket: string) {
    this.#client = client;
    this.#bucket = bucket;
  }

  async read({ bucket, key, versionId }: ObjectVersion): Promise<Uint8Array> {
    try {
      const { Body } = await this.#client.send(
        new GetObjectCommand({ Bucket: bucket, Key: key, VersionId: versionId }),
      );
      if (!Body) throw new UnreadableRecordError('object_empty');
      return await Body.transformToByteArray();
    } catch (error) {
      if (isNamed(error, 'NoSuchKey', 'NoSuchVersion', 'NotFound')) {
        throw new UnreadableRecordError('object_version_missing');
      }
      throw unavailable(error);
    }
  }

  /** The current version of a key that is written once; undefined when it is not there. */
  async find(key: string): Promise<Uint8Array | undefined> {
    try {
      const { Body } = await this.#client.send(
        new GetObjectCommand({ Bucket: this.#bucket, Key: key }),
      );
      return await Body?.transformToByteArray();
    } catch (error) {
      if (isNamed(error, 'NoSuchKey', 'NotFound')) return undefined;
      throw unavailable(error);
    }
  }

  protected async put(put: Put): Promise<ObjectVersion & { lock?: Lock }> {
    for (let attempt = 0; ; attempt++) {
      try {
        const { VersionId } = await this.#client.send(new PutObjectCommand(this.#request(put)));
        return {
          bucket: this.#bucket,
          key: put.key,
          versionId: VersionId ?? 'null',
          ...(put.lock && { lock: put.lock }),
        };
      } catch (error) {
        if (isNamed(error, 'PreconditionFailed')) return this.#existing(put);
        if (isNamed(error, 'ConditionalRequestConflict') && attempt < MAX_CONFLICT_RETRIES)
          continue;
        throw unavailable(error);
      }
    }
  }

  #request({ key, body, contentHash, contentType, lock }: Put): PutObjectCommandInput {
    return {
      Bucket: this.#bucket,
      Key: key,
      Body: body,
      ContentType: contentType,
      ChecksumSHA256: createHash('sha256').update(body).digest('base64'),
      IfNoneMatch: '*',
      Metadata: {
        [Meta.contentHash]: contentHash,
        ...(lock && { [Meta.mode]: lock.mode, [Meta.retainUntil]: lock.retainUntil }),
      },
      ...(lock && {
        ObjectLockMode: lock.mode,
        ObjectLockRetainUntilDate: new Date(lock.retainUntil),
      }),
    };
  }

  async #existing(put: Put): Promise<ObjectVersion & { lock?: Lock }> {
    try {
      const { VersionId, Metadata = {} } = await this.#client.send(
        new HeadObjectCommand({ Bucket: this.#bucket, Key: put.key }),
      );
      if (Metadata[Meta.contentHash] !== put.contentHash) throw new ConflictingObjectError();
      const { [Meta.mode]: mode, [Meta.retainUntil]: retainUntil } = Metadata;
      return {
        bucket: this.#bucket,
        key: put.key,
        versionId: VersionId ?? 'null',
        ...(put.lock && retainUntil && { lock: { ...put.lock, mode: modeOf(mode), retainUntil } }),
      };
    } catch (error) {
      throw unavailable(error);
    }
  }
}

export class S3EvidenceVault extends S3ObjectStore implements EvidenceVault {
  async putObject(object: EvidenceObject, lock: Lock): Promise<ObjectVersion & { lock: Lock }> {
    const { key, body, contentHash } = object;
    const put = await this.put({ key, body, contentHash, contentType: 'application/gzip', lock });
    return { ...put, lock: put.lock ?? lock };
  }

  async putDocument(key: string, document: unknown, lock: Lock): Promise<ObjectVersion> {
    const body = Buffer.from(JSON.stringify(document));
    const contentHash = sha256Hex(body);
    const { bucket, versionId } = await this.put({
      key,
      body,
      contentHash,
      contentType: 'application/json',
      lock,
    });
    return { bucket, key, versionId };
  }
}

export class S3TraceStaging extends S3ObjectStore implements TraceStaging {
  async putObject({ key, body, contentHash }: EvidenceObject): Promise<ObjectVersion> {
    const { bucket, versionId } = await this.put({
      key,
      body,
      contentHash,
      contentType: 'application/gzip',
    });
    return { bucket, key, versionId };
  }
}

function modeOf(text: string | undefined): Lock['mode'] {
  return text === 'GOVERNANCE' ? text : 'COMPLIANCE';
}

function isNamed(error: unknown, ...names: readonly string[]): boolean {
  return error instanceof S3ServiceException && names.includes(error.name);
}

/** Our own errors pass; a foreign one is hidden, because SDK messages may quote what was sent. */
function unavailable(error: unknown): LineageError {
  return error instanceof LineageError ? error : new UnavailableError('s3', { cause: error });
}
