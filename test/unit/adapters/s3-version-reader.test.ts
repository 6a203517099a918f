import { Readable } from 'node:stream';
import {
  GetObjectCommand,
  GetObjectRetentionCommand,
  HeadObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { MAX_READ_BYTES } from '../../../lambdas/adapters/s3-body.ts';
import { S3VersionReader } from '../../../lambdas/adapters/s3-version-reader.ts';
import {
  AccessDeniedError,
  UnavailableError,
  UnreadableRecordError,
} from '../../../lambdas/domain/errors.ts';

const s3 = mockClient(S3Client);
const VERSION = { bucket: 'b', key: 'k', versionId: 'v1' };
const UNTIL = new Date('2033-01-01T00:00:00Z');
const OWN_KEY = 'arn:aws:kms:eu-west-1:111122223333:key/own';
const failure = (name: string, httpStatusCode: number) =>
  new S3ServiceException({
    ...{ name, $fault: 'client', message: 'canary-7f3e9d01' },
    $metadata: { httpStatusCode },
  });
const reader = new S3VersionReader(new S3Client({}), [OWN_KEY]);
const found = (rest: object = {}) => {
  const body = Readable.from([Buffer.from('x')]);
  s3.on(GetObjectCommand).resolves({ Body: body as never, ...rest });
  return body;
};

beforeEach(() => s3.reset());

describe('opening a version', () => {
  it('takes the lock that comes with the object, in one request', async () => {
    found({ ObjectLockMode: 'COMPLIANCE', ObjectLockRetainUntilDate: UNTIL });
    expect((await reader.open(VERSION)).lock).toEqual({
      ...{ mode: 'COMPLIANCE', retainUntil: UNTIL.toISOString() },
    });
    expect(s3.calls()).toHaveLength(1);
    expect(s3.calls()[0]?.args[0].input).toEqual({ Bucket: 'b', Key: 'k', VersionId: 'v1' });
  });

  it('asks where none comes: what may not be read is not absent', async () => {
    found();
    s3.on(GetObjectRetentionCommand)
      .resolvesOnce({ Retention: { Mode: 'GOVERNANCE', RetainUntilDate: UNTIL } })
      .rejectsOnce(failure('NoSuchObjectLockConfiguration', 404))
      .rejectsOnce(failure('AccessDenied', 403))
      .rejects(failure('SlowDown', 503));
    expect((await reader.open(VERSION)).lock).toMatchObject({ mode: 'GOVERNANCE' });
    expect(await reader.open(VERSION)).not.toHaveProperty('lock');
    await expect(reader.open(VERSION)).rejects.toThrow(AccessDeniedError);
    await expect(reader.open(VERSION)).rejects.toThrow(UnavailableError);
  });

  it.each([
    ['NoSuchVersion', 404, UnreadableRecordError],
    ['InvalidObjectState', 403, UnreadableRecordError],
    ['InvalidRequest', 400, UnreadableRecordError],
    ['AccessDenied', 403, AccessDeniedError],
    ['InternalError', 500, UnavailableError],
  ])('tells %s apart', async (name, status, error) => {
    s3.on(GetObjectCommand).rejects(failure(name, status));
    await expect(reader.open(VERSION)).rejects.toThrow(error);
  });

  it('is unavailable when the connection breaks in the middle', async () => {
    const Body = Readable.from(
      (async function* () {
        yield 'x';
        throw new Error('canary-7f3e9d01');
      })(),
    );
    s3.on(GetObjectCommand).resolves({ Body: Body as never });
    s3.on(GetObjectRetentionCommand).rejects(failure('NoSuchObjectLockConfiguration', 404));
    const { body } = await reader.open(VERSION);
    const read = async () => {
      for await (const _piece of body);
    };
    await expect(read()).rejects.toThrow(UnavailableError);
  });
});

describe('reading a version with its lock', () => {
  const PROMISED = {
    'lock-mode': 'GOVERNANCE',
    'retain-until': '2030-01-02T00:00:00.000Z',
    'lock-clamped': 'true',
  };
  const read = () => reader.readLocked(VERSION);

  it.each([
    ['as promised', PROMISED, '2030-01-02T00:00:00Z', '2030-01-02T00:00:00.000Z', true],
    ['as extended since', PROMISED, '2031-01-01T00:00:00Z', '2031-01-01T00:00:00.000Z', true],
    [
      'as promised where it was shortened',
      PROMISED,
      '2029-01-01',
      '2030-01-02T00:00:00.000Z',
      true,
    ],
    ['as promised where S3 does not say', PROMISED, undefined, '2030-01-02T00:00:00.000Z', true],
    [
      'as S3 has it where nothing was promised',
      {},
      '2031-01-01',
      '2031-01-01T00:00:00.000Z',
      false,
    ],
  ])('answers the lock %s', async (_, metadata, until, retainUntil, clamped) => {
    found({
      Metadata: metadata,
      ...(until && { ObjectLockMode: 'GOVERNANCE', ObjectLockRetainUntilDate: new Date(until) }),
    });
    expect((await read()).lock).toEqual({ mode: 'GOVERNANCE', retainUntil, clamped });
  });

  it('answers the body of the named version, and no lock where there is none', async () => {
    found();
    expect(await read()).toEqual({ body: Buffer.from('x') });
    expect(s3.commandCalls(GetObjectCommand)[0]?.args[0].input).toEqual({
      ...{ Bucket: 'b', Key: 'k', VersionId: 'v1' },
    });
  });

  it('tells a version that is gone from a store that does not answer', async () => {
    s3.on(GetObjectCommand).rejectsOnce(failure('NoSuchVersion', 404));
    await expect(read()).rejects.toThrow(UnreadableRecordError);
    s3.on(GetObjectCommand).rejectsOnce(failure('SlowDown', 503));
    await expect(read()).rejects.toThrow(UnavailableError);
  });

  it('needs one request, and no right to read locks', async () => {
    found();
    await read();
    expect(s3.calls()).toHaveLength(1);
  });

  it.each(['AccessDenied', 'InvalidObjectState'])('is unavailable for %s', async (name) => {
    s3.on(GetObjectCommand).rejects(failure(name, 403));
    await expect(read()).rejects.toThrow(UnavailableError);
  });

  it('reads what is as large as a digest may be', async () => {
    found({ ContentLength: MAX_READ_BYTES });
    expect(Buffer.from(await reader.read(VERSION))).toEqual(Buffer.from('x'));
  });

  it('reads nothing larger, and lets go of it', async () => {
    const body = found({ ContentLength: MAX_READ_BYTES + 1 });
    await expect(reader.read(VERSION)).rejects.toMatchObject({
      ...{ name: 'UnreadableRecordError', code: 'object_too_large' },
    });
    expect(body.destroyed).toBe(true);
  });

  it('keeps no more than that of a body that says less of itself', async () => {
    const piece = Buffer.alloc(MAX_READ_BYTES / 2);
    const body = Readable.from([piece, piece, Buffer.from('x'), Buffer.from('never')]);
    s3.on(GetObjectCommand).resolves({ Body: body as never });
    await expect(reader.read(VERSION)).rejects.toMatchObject({ code: 'object_too_large' });
    expect(body.destroyed).toBe(true);
  });
});

describe('a version under a KMS key', () => {
  const denied = (SSEKMSKeyId?: string) => {
    s3.on(GetObjectCommand).rejects(failure('AccessDenied', 403));
    s3.on(HeadObjectCommand).resolves(SSEKMSKeyId === undefined ? {} : { SSEKMSKeyId });
  };
  const FOREIGN = { name: 'UnreadableRecordError', code: 'object_under_foreign_key' };

  it('that is not of the store is unreadable, and no missing right', async () => {
    denied('arn:aws:kms:eu-west-1:999999999999:key/theirs');
    await expect(reader.open(VERSION)).rejects.toMatchObject(FOREIGN);
    await expect(reader.read(VERSION)).rejects.toMatchObject(FOREIGN);
    const { ChecksumMode, ...input } = s3.commandCalls(HeadObjectCommand)[0]?.args[0].input ?? {};
    expect(input).toEqual({ Bucket: 'b', Key: 'k', VersionId: 'v1' });
    expect(ChecksumMode).toBeUndefined(); // or S3 would use the key
  });

  it.each([
    ['of the store', OWN_KEY],
    ['of nobody', undefined],
  ])('%s is denied', async (_, keyArn) => {
    denied(keyArn);
    await expect(reader.open(VERSION)).rejects.toThrow(AccessDeniedError);
  });

  it('is denied where the key may not be asked for, or nobody said which are ours', async () => {
    denied();
    s3.on(HeadObjectCommand).rejects(failure('403', 403));
    await expect(reader.open(VERSION)).rejects.toThrow(AccessDeniedError);
    s3.resetHistory();
    await expect(new S3VersionReader(new S3Client({})).open(VERSION)).rejects.toThrow(
      AccessDeniedError,
    );
    expect(s3.commandCalls(HeadObjectCommand)).toEqual([]);
  });
});
