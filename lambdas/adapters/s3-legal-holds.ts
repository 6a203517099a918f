import { PutObjectLegalHoldCommand, type S3Client } from '@aws-sdk/client-s3';
import { UnreadableRecordError } from '../domain/errors.ts';
import type { ObjectVersion } from '../domain/evidence/ports.ts';
import type { LegalHolds } from '../domain/holds/ports.ts';
import { isMissing, s3Denied } from './s3-errors.ts';

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
      throw isMissing(error)
        ? new UnreadableRecordError('object_version_missing')
        : s3Denied(error);
    }
  }
}
