import type { Readable } from 'node:stream';
import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { UnreadableRecordError } from '../domain/errors.ts';
import type { ObjectReader, ObjectVersion } from '../domain/ports.ts';
import { isS3Error, s3Unavailable } from './s3-errors.ts';

/**
 * The largest documents that are read whole are digests (MAX_DIGEST_BYTES of the verifier): evidence objects have half of it
 * (MAX_STORED_BYTES). What is larger was put there by somebody else, and must not fill the memory of who reads it.
 */
export const MAX_READ_BYTES = 128 * 1024 * 1024;

/** Reads object versions of any bucket that the function may read. */
export class S3ObjectReader implements ObjectReader {
  readonly #client: S3Client;

  constructor(client: S3Client) {
    this.#client = client;
  }

  async read({ bucket, key, versionId }: ObjectVersion): Promise<Uint8Array> {
    try {
      const { Body, ContentLength = 0 } = await this.#client.send(
        new GetObjectCommand({ Bucket: bucket, Key: key, VersionId: versionId }),
      );
      if (!Body) throw new UnreadableRecordError('object_empty');
      if (ContentLength > MAX_READ_BYTES) {
        (Body as Partial<Readable>).destroy?.(); // or its connection stays taken
        throw new UnreadableRecordError('object_too_large');
      }
      return await Body.transformToByteArray();
    } catch (error) {
      if (isS3Error(error, 'NoSuchKey', 'NoSuchVersion', 'NotFound')) {
        throw new UnreadableRecordError('object_version_missing');
      }
      throw s3Unavailable(error);
    }
  }
}
