import {
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { S3StoredObjects } from '../../../lambdas/adapters/s3-stored-objects.ts';
import { S3WorkNotes } from '../../../lambdas/adapters/s3-work-notes.ts';
import { UnavailableError, UnreadableRecordError } from '../../../lambdas/domain/errors.ts';

const s3 = mockClient(S3Client);
const VERSION = { bucket: 'vault', key: 'k', versionId: 'v' };
const failure = (name: string, httpStatusCode = 400) =>
  new S3ServiceException({
    ...{ name, $fault: 'client', message: 'canary-7f3e9d01' },
    $metadata: { httpStatusCode },
  });

const PROMISED = {
  'lock-mode': 'GOVERNANCE',
  'retain-until': '2030-01-02T00:00:00.000Z',
  'lock-clamped': 'true',
};
const bodyOf = (text: string) =>
  ({
    transformToByteArray: async () => Buffer.from(text),
    transformToString: async () => text,
  }) as never;

beforeEach(() => s3.reset());

describe('S3StoredObjects', () => {
  const open = () => new S3StoredObjects(new S3Client({})).open(VERSION);
  const answer = (Metadata: Record<string, string>, until?: string) =>
    s3.on(GetObjectCommand).resolves({
      ...{ Body: bodyOf('x'), Metadata },
      ...(until && { ObjectLockMode: 'GOVERNANCE', ObjectLockRetainUntilDate: new Date(until) }),
    });

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
    answer(metadata, until);
    expect((await open()).lock).toEqual({ mode: 'GOVERNANCE', retainUntil, clamped });
  });

  it('answers the body of the named version, and no lock where there is none', async () => {
    answer({});
    expect(await open()).toEqual({ body: Buffer.from('x') });
    expect(s3.commandCalls(GetObjectCommand)[0]?.args[0].input).toEqual({
      ...{ Bucket: 'vault', Key: 'k', VersionId: 'v' },
    });
  });

  it('tells a version that is gone from a store that does not answer', async () => {
    s3.on(GetObjectCommand).rejectsOnce(failure('NoSuchVersion', 404));
    await expect(open()).rejects.toThrow(UnreadableRecordError);
    s3.on(GetObjectCommand).rejectsOnce(failure('SlowDown', 503));
    await expect(open()).rejects.toThrow(UnavailableError);
  });
});

describe('S3WorkNotes', () => {
  const notes = () => new S3WorkNotes(new S3Client({}), 'staging');

  it('puts a document and finds it again', async () => {
    s3.on(PutObjectCommand).resolves({});
    await notes().put('plans/x.json', { a: 1 });
    const { Body } = s3.commandCalls(PutObjectCommand)[0]?.args[0].input ?? {};
    s3.on(GetObjectCommand).resolves({ Body: bodyOf(Body as string) });
    expect(await notes().find('plans/x.json')).toEqual({ a: 1 });
  });

  it('finds nothing where nothing stands, and says so when it may not look', async () => {
    s3.on(GetObjectCommand).rejectsOnce(failure('NoSuchKey', 404));
    expect(await notes().find('x')).toBeUndefined();
    s3.on(GetObjectCommand).rejectsOnce(failure('AccessDenied', 403));
    await expect(notes().find('x')).rejects.toThrow(UnavailableError);
    s3.on(PutObjectCommand).rejectsOnce(failure('AccessDenied', 403));
    await expect(notes().put('x', {})).rejects.toThrow(UnavailableError);
  });
});
