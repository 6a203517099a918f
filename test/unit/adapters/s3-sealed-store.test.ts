import {
  GetObjectCommand,
  GetObjectRetentionCommand,
  ListObjectVersionsCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { S3SealedStore } from '../../../lambdas/adapters/s3-sealed-store.ts';
import { AccessDeniedError, UnavailableError } from '../../../lambdas/domain/errors.ts';

const s3 = mockClient(S3Client);
const store = new S3SealedStore(new S3Client({}), 'vault');
const UNTIL = new Date('2033-01-01T00:00:00Z');
const failure = (name: string, httpStatusCode: number) =>
  new S3ServiceException({ name, $fault: 'client', $metadata: { httpStatusCode } });

const answer = (members: Record<string, unknown> = {}) =>
  s3
    .on(GetObjectCommand)
    .resolves({ Body: [Buffer.from('x')], VersionId: 'v1', ...members } as object);

beforeEach(() => s3.reset());

describe('finding a version that nobody may open', () => {
  const listed = (Key: string, VersionId: string) => ({ Key, VersionId, LastModified: UNTIL });

  beforeEach(() => {
    s3.on(ListObjectVersionsCommand, { Bucket: 'vault', Prefix: 'k' }).resolves({
      Versions: [
        { ...listed('k', 'v2'), Size: 2, ETag: '"two"' },
        { ...listed('k', 'v1'), Size: 1, ETag: '"one"' },
        { ...listed('k-longer', 'v3'), Size: 3, ETag: '"three"' },
      ],
    });
  });

  it('answers its size and ETag, and nothing of one that is not there', async () => {
    expect(await store.find('k', 'v1')).toEqual({ bytes: 1, etag: 'one' });
    expect(await store.find('k', 'v3')).toBeUndefined();
  });

  it('answers no ETag of a replica, which may be encrypted anew', async () => {
    s3.on(ListObjectVersionsCommand, { Bucket: 'replica' }).resolves({
      Versions: [{ ...listed('k', 'v1'), Size: 1, ETag: '"other"' }],
    });
    const replica = new S3SealedStore(new S3Client({}), 'replica', 'vault');
    expect(await replica.find('k', 'v1')).toEqual({ bytes: 1 });
  });
});

describe('opening a version', () => {
  it('answers its bytes, its lock and the signature in its metadata', async () => {
    answer({
      ...{ ObjectLockMode: 'COMPLIANCE', ObjectLockRetainUntilDate: UNTIL },
      Metadata: { signature: 'MEUC' },
    });
    expect(await store.open('k', 'v1')).toEqual({
      chunks: expect.anything(),
      lock: { mode: 'COMPLIANCE', retainUntil: UNTIL.toISOString() },
      signature: 'MEUC',
    });
    expect(s3.commandCalls(GetObjectCommand)[0]?.args[0].input).toEqual({
      ...{ Bucket: 'vault', Key: 'k', VersionId: 'v1' },
    });
  });

  it('asks for the lock that an answer leaves out, of the version that it read', async () => {
    answer();
    s3.on(GetObjectRetentionCommand, { VersionId: 'v1' }).resolves({
      Retention: { Mode: 'GOVERNANCE', RetainUntilDate: UNTIL },
    });
    const lock = { mode: 'GOVERNANCE', retainUntil: UNTIL.toISOString() };
    expect(await store.open('k', 'v1')).toMatchObject({ lock });
  });

  it('tells a version without a lock from one whose lock it may not read', async () => {
    answer();
    s3.on(GetObjectRetentionCommand).rejects(failure('NoSuchObjectLockConfiguration', 404));
    expect(await store.open('k', 'v1')).toMatchObject({ lock: 'none' });
    s3.on(GetObjectRetentionCommand).rejects(failure('AccessDenied', 403));
    await expect(store.open('k', 'v1')).rejects.toThrow(AccessDeniedError);
  });

  it.each([
    ['NoSuchKey', 404],
    ['NoSuchVersion', 404],
  ])('takes %s for no such version', async (name, status) => {
    s3.on(GetObjectCommand).rejects(failure(name, status));
    expect(await store.open('k', 'v1')).toBeUndefined();
  });

  it('never takes what it may not read, or what does not answer, for missing', async () => {
    s3.on(GetObjectCommand).rejects(failure('AccessDenied', 403));
    await expect(store.open('k', 'v1')).rejects.toThrow(AccessDeniedError);
    s3.on(GetObjectCommand).rejects(failure('InternalError', 500));
    await expect(store.open('k', 'v1')).rejects.toThrow(UnavailableError);
    // KMS refuses: the bytes are there and cannot be read.
    s3.on(GetObjectCommand).rejects(failure('KMS.DisabledException', 400));
    await expect(store.open('k', 'v1')).rejects.toThrow(UnavailableError);
  });
});

it('lists versions and delete markers with their times', async () => {
  const LastModified = new Date('2026-03-04T05:01:00Z');
  s3.on(ListObjectVersionsCommand, { Bucket: 'vault', Prefix: 'p/' }).resolves({
    Versions: [{ Key: 'p/a', VersionId: 'v1', LastModified, Size: 3 }],
    DeleteMarkers: [{ Key: 'p/a', VersionId: 'v2', LastModified }],
  });
  const listed = [];
  for await (const version of store.list('p/')) listed.push(version);
  const lastModified = LastModified.toISOString();
  expect(listed).toEqual([
    { key: 'p/a', versionId: 'v1', lastModified },
    { key: 'p/a', versionId: 'v2', lastModified, deleteMarker: true },
  ]);
});
