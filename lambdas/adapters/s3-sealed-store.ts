import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { AccessDeniedError, UnavailableError } from '../domain/errors.ts';
import { SIGNATURE_METADATA } from '../domain/integrity/digest.ts';
import type { ListedObject, OpenedObject, SealedStore } from '../domain/integrity/verify-store.ts';
import { isS3Error } from './s3-errors.ts';
import { S3VersionInspector } from './s3-version-inspector.ts';

/** A vault as its verifier sees it: versions, locks and times as S3 says them. */
export class S3SealedStore implements SealedStore {
  readonly bucket: string;
  readonly knowsVersions = true;
  readonly #client: S3Client;
  readonly #inspector: S3VersionInspector;

  constructor(client: S3Client, bucket: string) {
    this.#client = client;
    this.#inspector = new S3VersionInspector(client);
    this.bucket = bucket;
  }

  async *list(prefix: string): AsyncGenerator<ListedObject> {
    for await (const version of this.#inspector.list(this.bucket, prefix)) {
      const { key, versionId, lastModified, deleteMarker } = version;
      yield { key, versionId, lastModified, ...(deleteMarker && { deleteMarker }) };
    }
  }

  async open(key: string, versionId?: string): Promise<OpenedObject | undefined> {
    try {
      const { Body, Metadata, VersionId, ObjectLockMode, ObjectLockRetainUntilDate } =
        await this.#client.send(
          new GetObjectCommand({ Bucket: this.bucket, Key: key, VersionId: versionId }),
        );
      if (!Body) throw new UnavailableError('s3');
      const signature = Metadata?.[SIGNATURE_METADATA];
      return {
        chunks: Body as AsyncIterable<Uint8Array>,
        lock:
          ObjectLockMode && ObjectLockRetainUntilDate
            ? { mode: ObjectLockMode, retainUntil: ObjectLockRetainUntilDate.toISOString() }
            : await this.#lockOf(key, versionId ?? VersionId),
        ...(signature !== undefined && { signature }),
      };
    } catch (error) {
      if (isS3Error(error, 'NoSuchKey', 'NoSuchVersion', 'NotFound')) return undefined;
      // A version id that S3 could not have given, as a forged digest may name one.
      if (isS3Error(error, 'InvalidArgument', 'MethodNotAllowed')) return undefined;
      if (isS3Error(error, 'AccessDenied')) throw new AccessDeniedError('s3', { cause: error });
      if (error instanceof AccessDeniedError || error instanceof UnavailableError) throw error;
      throw new UnavailableError('s3', { cause: error });
    }
  }

  /** Without the right to read them, S3 leaves lock fields out and does not say so. */
  async #lockOf(key: string, versionId: string | undefined): Promise<OpenedObject['lock']> {
    if (versionId === undefined) return 'unknown';
    const state = await this.#inspector.inspect({ bucket: this.bucket, key, versionId });
    if (state.status !== 'present') return 'unknown';
    const { mode, retainUntil } = state;
    return mode && retainUntil ? { mode, retainUntil } : 'none';
  }
}
