import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { UnreadableRecordError } from '../domain/errors.ts';
import type { Lock } from '../domain/evidence/retention.ts';
import type { ObjectVersion, StoredObject, StoredObjects } from '../domain/ports.ts';
import { isS3Error, s3Unavailable } from './s3-errors.ts';
import { lockOf } from './s3-write-once-bucket.ts';

/** Object versions with their locks, in one request each: GET answers the lock to who may read it. */
export class S3StoredObjects implements StoredObjects {
  readonly #client: S3Client;

  constructor(client: S3Client) {
    this.#client = client;
  }

  async open({ bucket, key, versionId }: ObjectVersion): Promise<StoredObject> {
    try {
      const { Body, Metadata, ObjectLockMode, ObjectLockRetainUntilDate } = await this.#client.send(
        new GetObjectCommand({ Bucket: bucket, Key: key, VersionId: versionId }),
      );
      if (!Body) throw new UnreadableRecordError('object_empty');
      const actual: Lock | undefined =
        ObjectLockMode && ObjectLockRetainUntilDate
          ? {
              mode: ObjectLockMode,
              retainUntil: ObjectLockRetainUntilDate.toISOString(),
              clamped: false,
            }
          : undefined;
      const lock = laterOf(lockOf(Metadata ?? {}), actual);
      return { body: await Body.transformToByteArray(), ...(lock && { lock }) };
    } catch (error) {
      if (isS3Error(error, 'NoSuchKey', 'NoSuchVersion', 'NotFound')) {
        throw new UnreadableRecordError('object_version_missing');
      }
      throw s3Unavailable(error);
    }
  }
}

/** A lock that was extended lasts longer than promised; one that was shortened must not pass for the promise. */
function laterOf(promised: Lock | undefined, actual: Lock | undefined): Lock | undefined {
  if (!promised || !actual) return promised ?? actual;
  return actual.retainUntil > promised.retainUntil
    ? { ...promised, retainUntil: actual.retainUntil }
    : promised;
}
