import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  GetObjectCommand,
  HeadObjectCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { MAX_READ_BYTES } from '../../../lambdas/adapters/s3-body.ts';
import { S3EvidenceVault, S3TraceStaging } from '../../../lambdas/adapters/s3-vault.ts';
import { RefusedByStoreError, UnavailableError } from '../../../lambdas/domain/errors.ts';

const s3 = mockClient(S3Client);
const vault = () => new S3EvidenceVault(new S3Client({}), 'bucket');
const failure = (name: string, httpStatusCode = 400) =>
  new S3ServiceException({
    name,
    $fault: 'client',
    $metadata: { httpStatusCode },
    message: 'canary-7f3e9d01',
  });

const OBJECT = {
  key: 'lineage/x.ndjson.gz',
  body: Buffer.from('bytes'),
  contentHash: 'hash-1',
  envelopes: [],
  leafHashes: [],
};
const LOCK = {
  mode: 'COMPLIANCE',
  retainUntil: '2033-01-01T00:00:00.000Z',
  clamped: false,
} as const;
const puts = () => s3.commandCalls(PutObjectCommand).map(({ args }) => args[0].input);

beforeEach(() => s3.reset());

describe('S3EvidenceVault', () => {
  it('puts object, checksum, condition and lock in one request', async () => {
    s3.on(PutObjectCommand).resolves({ VersionId: 'v1' });
    expect(await vault().putObject(OBJECT, LOCK)).toEqual({
      bucket: 'bucket',
      key: OBJECT.key,
      versionId: 'v1',
      lock: LOCK,
    });
    expect(s3.calls()).toHaveLength(1);
    expect(puts()).toMatchObject([
      {
        ...{ Bucket: 'bucket', Key: OBJECT.key, Body: OBJECT.body, IfNoneMatch: '*' },
        ChecksumSHA256: createHash('sha256').update(OBJECT.body).digest('base64'),
        ObjectLockMode: 'COMPLIANCE',
        ObjectLockRetainUntilDate: new Date(LOCK.retainUntil),
      },
    ]);
  });

  it('finds what stands under a key, and nothing where nothing does', async () => {
    const body = Readable.from([Buffer.from('by'), Buffer.from('tes')]);
    s3.on(GetObjectCommand)
      .resolvesOnce({ Body: body as never })
      .rejectsOnce(failure('NoSuchKey', 404))
      .rejects(failure('SlowDown', 503));
    expect(String(await vault().find('holds/x'))).toBe('bytes');
    expect(await vault().find('holds/x')).toBeUndefined();
    await expect(vault().find('holds/x')).rejects.toThrow(UnavailableError);
  });

  it('keeps nothing that is larger than any document of ours', async () => {
    const body = Readable.from([Buffer.from('x')]);
    s3.on(GetObjectCommand).resolves({ ContentLength: MAX_READ_BYTES + 1, Body: body as never });
    await expect(vault().find('holds/x')).rejects.toMatchObject({ code: 'object_too_large' });
    expect(body.destroyed).toBe(true);
  });

  it('finds no document where nothing stands', async () => {
    s3.on(HeadObjectCommand).rejects(failure('NotFound', 404));
    expect(await vault().findDocument('reports/x', {})).toBeUndefined();
  });

  it('never takes a document that it may not look at, or cannot reach, for absent', async () => {
    for (const name of ['AccessDenied', 'Forbidden', 'SlowDown']) {
      s3.on(HeadObjectCommand).rejects(failure(name, 403));
      await expect(vault().findDocument('reports/x', {})).rejects.toThrow(UnavailableError);
    }
  });

  it('puts a document the same way', async () => {
    s3.on(PutObjectCommand).resolves({ VersionId: 'v1' });
    expect(await vault().putDocument('findings/a.json', { a: 1 }, LOCK)).toEqual({
      bucket: 'bucket',
      key: 'findings/a.json',
      versionId: 'v1',
    });
    expect(puts()).toMatchObject([
      { IfNoneMatch: '*', ObjectLockMode: 'COMPLIANCE', Body: Buffer.from('{"a":1}') },
    ]);
  });

  it('never asks for governance to be bypassed', async () => {
    s3.on(PutObjectCommand).resolves({});
    await vault().putObject(OBJECT, LOCK);
    expect(Object.keys(puts()[0] ?? {})).not.toContain('BypassGovernanceRetention');
  });

  it('takes an object with the same content for stored, under the lock that it has', async () => {
    s3.on(PutObjectCommand).rejects(failure('PreconditionFailed', 412));
    const Metadata = {
      'content-hash': 'hash-1',
      'retain-until': '2031-01-01T00:00:00.000Z',
      'lock-mode': 'GOVERNANCE',
    };
    s3.on(HeadObjectCommand).resolves({ VersionId: 'v0', Metadata });
    expect(await vault().putObject(OBJECT, LOCK)).toMatchObject({
      versionId: 'v0',
      lock: { mode: 'GOVERNANCE', retainUntil: '2031-01-01T00:00:00.000Z' },
    });
  });

  it.each<Record<string, string> | undefined>([{ 'content-hash': 'other' }, {}, undefined])(
    'never takes other content for its own: %j',
    async (Metadata) => {
      s3.on(PutObjectCommand).rejects(failure('PreconditionFailed', 412));
      s3.on(HeadObjectCommand).resolves({ VersionId: 'v0', ...(Metadata && { Metadata }) });
      await expect(vault().putObject(OBJECT, LOCK)).rejects.toThrow(
        expect.objectContaining({ code: 'conflicting_object' }),
      );
      expect(puts()).toHaveLength(1);
    },
  );

  it('recognises the content that it wrote itself', async () => {
    s3.on(PutObjectCommand)
      .resolvesOnce({ VersionId: 'v1' })
      .rejects(failure('PreconditionFailed', 412));
    await vault().putDocument('k', { a: 1 }, LOCK);
    s3.on(HeadObjectCommand).resolves({ VersionId: 'v1', Metadata: puts()[0]?.Metadata ?? {} });
    expect(await vault().putDocument('k', { a: 1 }, LOCK)).toMatchObject({ versionId: 'v1' });
    await expect(vault().putDocument('k', { a: 2 }, LOCK)).rejects.toThrow();
  });

  it('tries again when another writer is at the same key', async () => {
    s3.on(PutObjectCommand)
      .rejectsOnce(failure('ConditionalRequestConflict', 409))
      .resolves({ VersionId: 'v1' });
    expect(await vault().putObject(OBJECT, LOCK)).toMatchObject({ versionId: 'v1' });
    expect(puts()).toHaveLength(2);
  });

  it('gives up on a conflict that does not end', async () => {
    s3.on(PutObjectCommand).rejects(failure('ConditionalRequestConflict', 409));
    await expect(vault().putObject(OBJECT, LOCK)).rejects.toThrow(UnavailableError);
    expect(puts()).toHaveLength(4);
  });

  it.each([
    ...['EntityTooLarge', 'InvalidArgument', 'KeyTooLongError', 'MetadataTooLarge'].map((name) => ({
      name,
      error: RefusedByStoreError,
    })),
    // a body that broke on its way, a disabled key, a token that ended: all of them 400, and all of them pass
    ...['BadDigest', 'KMS.DisabledException', 'ExpiredToken', 'RequestTimeout'].map((name) => ({
      name,
      error: UnavailableError,
    })),
  ])('tells what S3 will never take from what passes: $name', async ({ name, error }) => {
    s3.on(PutObjectCommand).rejects(failure(name, 400));
    await expect(vault().putObject(OBJECT, LOCK)).rejects.toThrow(error);
  });

  it.each([
    failure('AccessDenied', 403),
    failure('InternalError', 500),
    new Error('canary-7f3e9d01'),
  ])('hides what S3 says (%#): messages quote what was sent', async (error) => {
    s3.on(PutObjectCommand).rejects(error);
    const thrown = await vault()
      .putObject(OBJECT, LOCK)
      .catch((caught: Error) => caught);
    expect(thrown).toBeInstanceOf(UnavailableError);
    expect((thrown as Error).message).not.toContain('canary');
  });
});

describe('S3TraceStaging', () => {
  it('puts without a lock, but no less once', async () => {
    s3.on(PutObjectCommand).resolves({ VersionId: 'v1' });
    await new S3TraceStaging(new S3Client({}), 'staging').putObject(OBJECT);
    expect(puts()).toMatchObject([{ Bucket: 'staging', IfNoneMatch: '*' }]);
    expect(Object.keys(puts()[0] ?? {}).filter((name) => name.startsWith('ObjectLock'))).toEqual(
      [],
    );
  });
});
