import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { UnreadableRecordError } from '../domain/errors.ts';
import type { ObjectReader, ObjectVersion } from '../domain/ports.ts';
import { isS3Error, s3Unavailable } from './s3-errors.ts';

/** Reads object versions of any bucket that the function may read. */
export class S3ObjectReader implements ObjectReader {
  readonly #client: S3Client;

  constructor(client: S3Client) {
    this.#client = client;
  }

  async read({ bucket, key, versionId }: ObjectVersion): Promise<Uint8Array> {
    try {
      const { Body } = await this.#client.send(
        new GetObjectCommand({ Bucket: bucket, Key: key, VersionId: versionId }),
      );
      if (!Body) throw new UnreadableRecordError('object_empty');
      return await Body.transformToByteArray();
    } catch (error) {
      if (isS3Error(error, 'NoSuchKey', 'NoSuchVersion', 'NotFound')) {
        throw new UnreadableRecordError('object_version_missing');
      }
      throw s3Unavailable(error);
    }
  }
}
