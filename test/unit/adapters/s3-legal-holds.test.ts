import { PutObjectLegalHoldCommand, S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { S3LegalHolds } from '../../../lambdas/adapters/s3-legal-holds.ts';

const s3 = mockClient(S3Client);
const holds = new S3LegalHolds(new S3Client({}));
const VERSION = { bucket: 'b', key: 'k', versionId: 'v1' };

beforeEach(() => s3.reset());

describe('S3LegalHolds', () => {
  it.each([
    [true, 'ON'],
    [false, 'OFF'],
  ])('sets exactly that version: %s', async (on, Status) => {
    s3.on(PutObjectLegalHoldCommand).resolves({});
    await holds.set(VERSION, on);
    expect(s3.commandCalls(PutObjectLegalHoldCommand).map(({ args }) => args[0].input)).toEqual([
      { Bucket: 'b', Key: 'k', VersionId: 'v1', LegalHold: { Status } },
    ]);
  });

  it.each([
    ['NoSuchVersion', 404, 'object_version_missing'],
    ['NoSuchKey', 404, 'object_version_missing'],
    ['AccessDenied', 403, 'access_denied'],
    ['InternalError', 500, 's3_unavailable'],
    ['SlowDown', 503, 's3_unavailable'],
  ])('calls %s by our own code', async (name, httpStatusCode, code) => {
    const error = { name, $fault: 'client', $metadata: { httpStatusCode } } as const;
    s3.on(PutObjectLegalHoldCommand).rejects(new S3ServiceException(error));
    await expect(holds.set(VERSION, true)).rejects.toThrow(expect.objectContaining({ code }));
  });
});
