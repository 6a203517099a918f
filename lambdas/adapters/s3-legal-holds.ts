import { PutObjectLegalHoldCommand, type S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { AccessDeniedError, UnreadableRecordError } from '../domain/errors.ts';
import type { LegalHolds, ObjectVersion } from '../domain/ports.ts';
import { isS3Error, s3Unavailable } from './s3-errors.ts';

/** Sets and lifts legal holds of object versions. */
export class S3LegalHolds implements LegalHolds {
  readonly #client: S3Client;

  constructor(client: S3Client) {
    this.#client = client;
  }

  async set({ bucket, key, versionId }: ObjectVersion, on: boolean): Promise<void> {
    try {
      await this.#client.send(
        new PutObjectLegalHoldCommand({
          ...{ Bucket: bucket, Key: key, VersionId: versionId },
          LegalHold: { Status: on ? 'ON' : 'OFF' },
        }),
      );
    } catch (error) {
      if (isS3Error(error, 'NoSuchKey', 'NoSuchVersion', 'NotFound')) {
        throw new UnreadableRecordError('object_version_missing');
      }
      if (error instanceof S3ServiceException && error.$metadata.httpStatusCode === 403) {
        throw new AccessDeniedError('s3', { cause: error });
      }
      throw s3Unavailable(error);
    }
  }
}
