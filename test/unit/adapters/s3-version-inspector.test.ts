import {
  GetObjectLegalHoldCommand,
  GetObjectRetentionCommand,
  HeadObjectCommand,
  ListObjectVersionsCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { S3VersionInspector } from '../../../lambdas/adapters/s3-version-inspector.ts';
import { AccessDeniedError, UnavailableError } from '../../../lambdas/domain/errors.ts';

const s3 = mockClient(S3Client);
const inspector = new S3VersionInspector(new S3Client({}));
const LAST_MODIFIED = '2026-03-04T05:06:07.000Z';
const VERSION = { bucket: 'b', key: 'k', versionId: 'v1' };
const failure = (name: string, httpStatusCode: number) =>
  new S3ServiceException({ name, $fault: 'client', $metadata: { httpStatusCode } });

beforeEach(() => {
  s3.reset();
  s3.on(HeadObjectCommand).resolves({ LastModified: new Date(LAST_MODIFIED) });
  s3.on(GetObjectRetentionCommand).resolves({
    Retention: { Mode: 'COMPLIANCE', RetainUntilDate: new Date('2033-01-01T00:00:00Z') },
  });
  s3.on(GetObjectLegalHoldCommand).resolves({ LegalHold: { Status: 'OFF' } });
});

describe('inspecting a version', () => {
  it('asks for retention and hold of exactly that version', async () => {
    expect(await inspector.inspect(VERSION)).toEqual({
      status: 'present',
      lastModified: LAST_MODIFIED,
      mode: 'COMPLIANCE',
      retainUntil: '2033-01-01T00:00:00.000Z',
      legalHold: false,
    });
    for (const { args } of s3.calls())
      expect(args[0].input).toMatchObject({ Bucket: 'b', Key: 'k', VersionId: 'v1' });
  });

  it('says when the version came and how far its copy in the replica is', async () => {
    const LastModified = new Date('2026-03-01T00:00:00Z');
    s3.on(HeadObjectCommand).resolves({ LastModified, ReplicationStatus: 'FAILED' });
    expect(await inspector.inspect(VERSION)).toMatchObject({
      lastModified: '2026-03-01T00:00:00.000Z',
      replication: 'FAILED',
    });
    s3.on(HeadObjectCommand).resolves({ LastModified, ReplicationStatus: 'REPLICA' });
    expect(await inspector.inspect(VERSION)).not.toHaveProperty('replication');
  });

  it('sees a legal hold', async () => {
    s3.on(GetObjectLegalHoldCommand).resolves({ LegalHold: { Status: 'ON' } });
    expect(await inspector.inspect(VERSION)).toMatchObject({ legalHold: true });
  });

  it.each([
    'NoSuchObjectLockConfiguration',
    'ObjectLockConfigurationNotFoundError',
    'InvalidRequest',
  ])('takes %s for no lock', async (name) => {
    s3.on(GetObjectRetentionCommand).rejects(failure(name, 404));
    s3.on(GetObjectLegalHoldCommand).rejects(failure(name, 404));
    expect(await inspector.inspect(VERSION)).toEqual({
      ...{ status: 'present', lastModified: LAST_MODIFIED },
      legalHold: false,
    });
  });

  it('is missing when the version is', async () => {
    s3.on(HeadObjectCommand).rejects(failure('NotFound', 404));
    expect(await inspector.inspect(VERSION)).toEqual({ status: 'missing' });
  });

  it.each([HeadObjectCommand, GetObjectRetentionCommand, GetObjectLegalHoldCommand])(
    'is denied when any look is: never "no lock" (%#)',
    async (command) => {
      s3.on(command as typeof HeadObjectCommand).rejects(failure('AccessDenied', 403));
      expect(await inspector.inspect(VERSION)).toEqual({ status: 'denied' });
    },
  );

  it.each([500, 503])('is unavailable on %i', async (status) => {
    s3.on(HeadObjectCommand).rejects(failure('InternalError', status));
    await expect(inspector.inspect(VERSION)).rejects.toThrow(UnavailableError);
  });
});

describe('listing', () => {
  const all = async () => {
    const found = [];
    for await (const version of inspector.list('b', 'p/')) found.push(version);
    return found;
  };

  it('reads every page, delete markers included', async () => {
    const lastModified = '2026-11-29T10:00:00.000Z';
    const at = new Date(lastModified);
    s3.on(ListObjectVersionsCommand)
      .resolvesOnce({
        Versions: [{ Key: 'p/1', VersionId: 'a', Size: 5, LastModified: at }],
        IsTruncated: true,
        NextKeyMarker: 'p/1',
        NextVersionIdMarker: 'a',
      })
      .resolvesOnce({ DeleteMarkers: [{ Key: 'p/2', VersionId: 'b', LastModified: at }] });
    expect(await all()).toEqual([
      { bucket: 'b', key: 'p/1', versionId: 'a', deleteMarker: false, bytes: 5, lastModified },
      { bucket: 'b', key: 'p/2', versionId: 'b', deleteMarker: true, bytes: 0, lastModified },
    ]);
    expect(s3.commandCalls(ListObjectVersionsCommand)[1]?.args[0].input).toMatchObject({
      KeyMarker: 'p/1',
      VersionIdMarker: 'a',
    });
  });

  it('names the folders below a prefix', async () => {
    s3.on(ListObjectVersionsCommand, { Bucket: 'b', Prefix: 'p/', Delimiter: '/' })
      .resolvesOnce({
        CommonPrefixes: [{ Prefix: 'p/a/' }, {}],
        IsTruncated: true,
        NextKeyMarker: 'p/a/',
      })
      .resolvesOnce({ CommonPrefixes: [{ Prefix: 'p/b/' }] });
    expect(await inspector.folders('b', 'p/')).toEqual(['p/a/', 'p/b/']);
    expect(s3.commandCalls(ListObjectVersionsCommand)[1]?.args[0].input).toMatchObject({
      KeyMarker: 'p/a/',
    });
  });

  it('tells "may not look" from "nothing there" and from "does not answer"', async () => {
    s3.on(ListObjectVersionsCommand)
      .rejectsOnce(failure('AccessDenied', 403))
      .rejectsOnce(failure('SlowDown', 503))
      .resolves({});
    await expect(all()).rejects.toThrow(AccessDeniedError);
    await expect(all()).rejects.toThrow(UnavailableError);
    expect(await all()).toEqual([]);
    s3.on(ListObjectVersionsCommand).rejects(failure('AccessDenied', 403));
    await expect(inspector.folders('b', 'p/')).rejects.toThrow(AccessDeniedError);
  });
});
