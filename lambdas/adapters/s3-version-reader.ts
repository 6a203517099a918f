import {
  GetObjectCommand,
  type GetObjectCommandOutput,
  GetObjectRetentionCommand,
  HeadObjectCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import {
  AccessDeniedError,
  errorCode,
  UnavailableError,
  UnreadableRecordError,
} from '../domain/errors.ts';
import type {
  ObjectReader,
  ObjectVersion,
  StoredObject,
  StoredObjects,
} from '../domain/evidence/ports.ts';
import type { Lock } from '../domain/evidence/retention.ts';
import type { OpenedVersion, VersionStreams } from '../domain/integrity/ports.ts';
import { chunksOf, dropBody, wholeBody } from './s3-body.ts';
import { isMissing, isS3Error, s3Denied, s3Unavailable } from './s3-errors.ts';
import { lockOf } from './s3-write-once-bucket.ts';

const UNREADABLE = 'object_unreadable';

interface Target {
  readonly Bucket: string;
  readonly Key: string;
  readonly VersionId: string;
}

/**
 * Reads object versions of any bucket that the function may read, in one request each: whole, or piece by piece. GET
 * tells the lock to who may read it.
 */
export class S3VersionReader implements ObjectReader, StoredObjects, VersionStreams {
  readonly #client: S3Client;
  readonly #ownKeyArns: readonly string[];

  /**
   * @param ownKeyArns KMS keys of the buckets: given, a version under another one is unreadable, and does not pass for a
   * right that was lost
   */
  constructor(client: S3Client, ownKeyArns: readonly string[] = []) {
    this.#client = client;
    this.#ownKeyArns = ownKeyArns;
  }

  async read(version: ObjectVersion): Promise<Uint8Array> {
    return (await this.readLocked(version)).body;
  }

  async readLocked(version: ObjectVersion): Promise<StoredObject> {
    try {
      const got = await this.#get(targetOf(version));
      const body = await wholeBody(got);
      const actual = lockIn(got);
      const lock = laterOf(lockOf(got.Metadata ?? {}), actual && { ...actual, clamped: false });
      return { body, ...(lock && { lock }) };
    } catch (error) {
      // Who asks for content may ask again when the right is given back, or the object brought back from its archive.
      const isThere = error instanceof AccessDeniedError || errorCode(error) === UNREADABLE;
      throw isThere ? new UnavailableError('s3', { cause: error }) : s3Unavailable(error);
    }
  }

  async open(version: ObjectVersion): Promise<OpenedVersion> {
    const target = targetOf(version);
    const got = await this.#get(target);
    const lock = lockIn(got) ?? (await this.#askedLock(target, got));
    return { metadata: got.Metadata ?? {}, ...(lock && { lock }), body: pieces(got) };
  }

  async #get(target: Target): Promise<GetObjectCommandOutput> {
    try {
      const got = await this.#client.send(new GetObjectCommand(target));
      if (!got.Body) throw new UnreadableRecordError('object_empty');
      return got;
    } catch (error) {
      const failed = readFailed(error);
      const isForeign =
        failed instanceof AccessDeniedError && (await this.#isUnderForeignKey(target));
      throw isForeign ? new UnreadableRecordError('object_under_foreign_key') : failed;
    }
  }

  /**
   * HEAD names the key, and does not use it.
   * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_HeadObject.html
   */
  async #isUnderForeignKey(target: Target): Promise<boolean> {
    if (this.#ownKeyArns.length === 0) return false;
    try {
      const { SSEKMSKeyId } = await this.#client.send(new HeadObjectCommand(target));
      return SSEKMSKeyId !== undefined && !this.#ownKeyArns.includes(SSEKMSKeyId);
    } catch {
      return false; // denied as well: then it is a right of ours that is missing
    }
  }

  /** The headers of an object leave its lock out, without a word, when the caller may not read it: this call says so. */
  async #askedLock(target: Target, got: GetObjectCommandOutput): Promise<OpenedVersion['lock']> {
    try {
      const { Retention } = await this.#client.send(new GetObjectRetentionCommand(target));
      const { Mode, RetainUntilDate } = Retention ?? {};
      return lockIn({ ObjectLockMode: Mode, ObjectLockRetainUntilDate: RetainUntilDate });
    } catch (error) {
      if (isS3Error(error, 'NoSuchObjectLockConfiguration', 'InvalidRequest')) return undefined;
      dropBody(got);
      throw readFailed(error);
    }
  }
}

function targetOf({ bucket, key, versionId }: ObjectVersion): Target {
  return { Bucket: bucket, Key: key, VersionId: versionId };
}

function lockIn({
  ObjectLockMode: mode,
  ObjectLockRetainUntilDate: until,
}: {
  readonly ObjectLockMode?: GetObjectCommandOutput['ObjectLockMode'];
  readonly ObjectLockRetainUntilDate?: Date | undefined;
}): OpenedVersion['lock'] {
  return mode && until ? { mode, retainUntil: until.toISOString() } : undefined;
}

async function* pieces(got: GetObjectCommandOutput): AsyncGenerator<Uint8Array> {
  try {
    yield* chunksOf(got);
  } catch (error) {
    throw readFailed(error);
  }
}

/** A lock that was extended lasts longer than promised; one that was shortened must not pass for the promise. */
function laterOf(promised: Lock | undefined, actual: Lock | undefined): Lock | undefined {
  if (!promised || !actual) return promised ?? actual;
  return actual.retainUntil > promised.retainUntil
    ? { ...promised, retainUntil: actual.retainUntil }
    : promised;
}

function readFailed(error: unknown): Error {
  if (isMissing(error)) return new UnreadableRecordError('object_version_missing');
  // Of an archived version, and of one under a key of its writer's own: nobody who only reads is ever given those.
  return isS3Error(error, 'InvalidObjectState', 'InvalidRequest')
    ? new UnreadableRecordError(UNREADABLE)
    : s3Denied(error);
}
