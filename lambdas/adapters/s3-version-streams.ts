import {
  GetObjectCommand,
  GetObjectRetentionCommand,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { AccessDeniedError, UnreadableRecordError } from '../domain/errors.ts';
import type { ObjectVersion, OpenedVersion, VersionStreams } from '../domain/ports.ts';
import { isS3Error, s3Unavailable } from './s3-errors.ts';

/** Opens object versions. S3 tells the lock with the object; where it tells none, it is asked whether that is so. */
export class S3VersionStreams implements VersionStreams {
  readonly #client: S3Client;

  constructor(client: S3Client) {
    this.#client = client;
  }

  async open({ bucket, key, versionId }: ObjectVersion): Promise<OpenedVersion> {
    const target = { Bucket: bucket, Key: key, VersionId: versionId };
    try {
      const got = await this.#client.send(new GetObjectCommand(target));
      const { Body, Metadata = {}, ObjectLockMode, ObjectLockRetainUntilDate } = got;
      const lock =
        ObjectLockMode && ObjectLockRetainUntilDate
          ? { mode: ObjectLockMode, retainUntil: ObjectLockRetainUntilDate.toISOString() }
          : await this.#lock(target);
      if (!Body) throw new UnreadableRecordError('object_empty');
      return {
        metadata: Metadata,
        ...(lock && { lock }),
        body: pieces(Body as unknown as AsyncIterable<Uint8Array>),
      };
    } catch (error) {
      throw translated(error);
    }
  }

  /** The headers of an object leave its lock out, without a word, when the caller may not read it: this call says so. */
  async #lock(target: {
    Bucket: string;
    Key: string;
    VersionId: string;
  }): Promise<OpenedVersion['lock']> {
    try {
      const { Retention } = await this.#client.send(new GetObjectRetentionCommand(target));
      const { Mode, RetainUntilDate } = Retention ?? {};
      return Mode && RetainUntilDate
        ? { mode: Mode, retainUntil: RetainUntilDate.toISOString() }
        : undefined;
    } catch (error) {
      if (isS3Error(error, 'NoSuchObjectLockConfiguration', 'InvalidRequest')) return undefined;
      throw error;
    }
  }
}

async function* pieces(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw translated(error);
  }
}

function translated(error: unknown): Error {
  if (isS3Error(error, 'NoSuchKey', 'NoSuchVersion', 'NotFound')) {
    return new UnreadableRecordError('object_version_missing');
  }
  // Of an archived version, and of one under a key of its writer's own: nobody who only reads is ever given those.
  if (isS3Error(error, 'InvalidObjectState', 'InvalidRequest')) {
    return new UnreadableRecordError('object_unreadable');
  }
  const isDenied = error instanceof S3ServiceException && error.$metadata.httpStatusCode === 403;
  return isDenied ? new AccessDeniedError('s3', { cause: error }) : s3Unavailable(error);
}
