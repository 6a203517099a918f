import { createHash } from 'node:crypto';
import {
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
  type S3Client,
} from '@aws-sdk/client-s3';
import { LineageError } from '../domain/errors.ts';
import type { ObjectVersion } from '../domain/evidence/ports.ts';
import type { Lock } from '../domain/evidence/retention.ts';
import { wholeBody } from './s3-body.ts';
import { isMissing, isS3Error, s3Unavailable, s3WriteFailed } from './s3-errors.ts';

/** Other content stands where ours should go: never overwritten, never ignored. */
class ConflictingObjectError extends LineageError {
  override readonly name = 'ConflictingObjectError';

  constructor() {
    super('conflicting_object', 'another object stands under this key');
  }
}

/** Concurrent writers of one key get 409 and may try again; more than this is no race any more. */
const MAX_CONFLICT_RETRIES = 3;

/** Object metadata (ASCII): what a second writer of the same key needs to recognise its own content and lock. */
const Meta = {
  contentHash: 'content-hash',
  mode: 'lock-mode',
  retainUntil: 'retain-until',
  clamped: 'lock-clamped',
} as const;

export interface WriteOncePut {
  readonly key: string;
  readonly body: Uint8Array;
  readonly contentHash: string;
  readonly contentType: string;
  readonly lock?: Lock;
  /** Beside what is ours; names in lower case, values in ASCII. */
  readonly metadata?: Readonly<Record<string, string>>;
}

/** A bucket whose keys are written once, with checksum and lock in the same request. */
export class WriteOnceBucket {
  readonly #client: S3Client;
  readonly #bucket: string;

  constructor(client: S3Client, bucket: string) {
    this.#client = client;
    this.#bucket = bucket;
  }

  /**
   * Puts an object, or finds the same content there already and answers its version and lock.
   * @throws ConflictingObjectError, RefusedByStoreError, UnavailableError
   */
  async put(put: WriteOncePut): Promise<ObjectVersion & { lock?: Lock }> {
    for (let attempt = 0; ; attempt++) {
      try {
        const { VersionId } = await this.#client.send(new PutObjectCommand(this.#request(put)));
        return { ...this.#version(put.key, VersionId), ...(put.lock && { lock: put.lock }) };
      } catch (error) {
        if (isS3Error(error, 'PreconditionFailed')) {
          const standing = await this.standing(put.key, put.contentHash);
          if (standing) return standing;
        }
        const isRace = isS3Error(error, 'ConditionalRequestConflict');
        if (!isRace || attempt === MAX_CONFLICT_RETRIES) throw s3WriteFailed(error);
      }
    }
  }

  /**
   * Current content of a key; undefined when it is not there.
   * @throws UnreadableRecordError `object_too_large`, UnavailableError
   */
  async find(key: string): Promise<Uint8Array | undefined> {
    try {
      const answer = await this.#client.send(
        new GetObjectCommand({ Bucket: this.#bucket, Key: key }),
      );
      return answer.Body && (await wholeBody(answer));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw s3Unavailable(error);
    }
  }

  /**
   * The version that stands under a key, and its lock; undefined when there is none.
   * @throws ConflictingObjectError when it has other content, UnavailableError
   */
  async standing(
    key: string,
    contentHash: string,
  ): Promise<(ObjectVersion & { lock?: Lock }) | undefined> {
    try {
      const { VersionId, Metadata = {} } = await this.#client.send(
        new HeadObjectCommand({ Bucket: this.#bucket, Key: key }),
      );
      if (Metadata[Meta.contentHash] !== contentHash) throw new ConflictingObjectError();
      const lock = lockOf(Metadata);
      return { ...this.#version(key, VersionId), ...(lock && { lock }) };
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw s3Unavailable(error);
    }
  }

  /** Whether a version is the one that stands under its key. @throws UnavailableError */
  async holds({ bucket, key, versionId }: ObjectVersion): Promise<boolean> {
    if (bucket !== this.#bucket) return false;
    try {
      const { VersionId } = await this.#client.send(
        new HeadObjectCommand({ Bucket: this.#bucket, Key: key }),
      );
      return VersionId === versionId;
    } catch (error) {
      if (isMissing(error)) return false;
      throw s3Unavailable(error);
    }
  }

  #request(put: WriteOncePut): PutObjectCommandInput {
    const { key, body, contentHash, contentType, lock, metadata } = put;
    return {
      Bucket: this.#bucket,
      Key: key,
      Body: body,
      ContentType: contentType,
      ChecksumSHA256: createHash('sha256').update(body).digest('base64'),
      IfNoneMatch: '*',
      Metadata: { ...metadata, [Meta.contentHash]: contentHash, ...(lock && lockMetadata(lock)) },
      ...(lock && {
        ObjectLockMode: lock.mode,
        ObjectLockRetainUntilDate: new Date(lock.retainUntil),
      }),
    };
  }

  /** S3 calls the only version of an unversioned bucket `null`. */
  #version(key: string, versionId = 'null'): ObjectVersion {
    return { bucket: this.#bucket, key, versionId };
  }
}

function lockMetadata({ mode, retainUntil, clamped }: Lock): Record<string, string> {
  return { [Meta.mode]: mode, [Meta.retainUntil]: retainUntil, [Meta.clamped]: String(clamped) };
}

/** The lock that an object was put with, from its metadata. */
export function lockOf(metadata: Readonly<Record<string, string>>): Lock | undefined {
  const { [Meta.mode]: mode, [Meta.retainUntil]: retainUntil, [Meta.clamped]: clamped } = metadata;
  if ((mode !== 'GOVERNANCE' && mode !== 'COMPLIANCE') || !retainUntil) return undefined;
  return { mode, retainUntil, clamped: clamped === 'true' };
}
