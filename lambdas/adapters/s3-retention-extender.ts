import { PutObjectRetentionCommand, type S3Client } from '@aws-sdk/client-s3';
import type { RetentionExtender } from '../domain/audit/ports.ts';
import type { ObjectVersion } from '../domain/evidence/ports.ts';
import type { Lock } from '../domain/evidence/retention.ts';
import { s3Status, s3Unavailable } from './s3-errors.ts';

/** What S3 answers to a lock that it does not take: refused by a policy, earlier than what stands, or no such version. */
const REFUSALS: readonly unknown[] = [400, 403, 404];

/** Extends locks. It never asks to bypass governance, so that S3 itself refuses whatever would shorten one. */
export class S3RetentionExtender implements RetentionExtender {
  readonly #client: S3Client;

  constructor(client: S3Client) {
    this.#client = client;
  }

  async extend(
    { bucket, key, versionId }: ObjectVersion,
    { mode, retainUntil }: Pick<Lock, 'mode' | 'retainUntil'>,
  ): Promise<boolean> {
    try {
      await this.#client.send(
        new PutObjectRetentionCommand({
          Bucket: bucket,
          Key: key,
          VersionId: versionId,
          Retention: { Mode: mode, RetainUntilDate: new Date(retainUntil) },
        }),
      );
      return true;
    } catch (error) {
      if (REFUSALS.includes(s3Status(error))) return false;
      throw s3Unavailable(error);
    }
  }
}
