import { PutObjectRetentionCommand, S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { S3RetentionExtender } from '../../../lambdas/adapters/s3-retention-extender.ts';
import { UnavailableError } from '../../../lambdas/domain/errors.ts';

const s3 = mockClient(S3Client);
const extender = new S3RetentionExtender(new S3Client({}));
const VERSION = { bucket: 'b', key: 'k', versionId: 'v1' };
const LOCK = { mode: 'COMPLIANCE', retainUntil: '2033-01-01T00:00:00.000Z' } as const;
const failure = (httpStatusCode: number) =>
  new S3ServiceException({ name: 'Any', $fault: 'client', $metadata: { httpStatusCode } });

beforeEach(() => s3.reset());

describe('extending a lock', () => {
  it('asks for exactly that version, and never to bypass governance', async () => {
    s3.on(PutObjectRetentionCommand).resolves({});
    expect(await extender.extend(VERSION, LOCK)).toBe(true);
    expect(s3.commandCalls(PutObjectRetentionCommand)[0]?.args[0].input).toEqual({
      ...{ Bucket: 'b', Key: 'k', VersionId: 'v1' },
      Retention: { Mode: 'COMPLIANCE', RetainUntilDate: new Date(LOCK.retainUntil) },
    });
  });

  it.each([400, 403, 404])('is refused on %i', async (status) => {
    s3.on(PutObjectRetentionCommand).rejects(failure(status));
    expect(await extender.extend(VERSION, LOCK)).toBe(false);
  });

  it.each([500, 503])('is unavailable on %i', async (status) => {
    s3.on(PutObjectRetentionCommand).rejects(failure(status));
    await expect(extender.extend(VERSION, LOCK)).rejects.toThrow(UnavailableError);
  });

  it('is unavailable when nothing answers', async () => {
    s3.on(PutObjectRetentionCommand).rejects(new Error('socket hang up'));
    await expect(extender.extend(VERSION, LOCK)).rejects.toThrow(UnavailableError);
  });
});
