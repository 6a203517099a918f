import {
  GetObjectCommand,
  PutObjectCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { S3WorkNotes } from '../../../lambdas/adapters/s3-work-notes.ts';
import { UnavailableError } from '../../../lambdas/domain/errors.ts';

const s3 = mockClient(S3Client);
const failure = (name: string, httpStatusCode: number) =>
  new S3ServiceException({
    ...{ name, $fault: 'client', message: 'canary-7f3e9d01' },
    $metadata: { httpStatusCode },
  });
const bodyOf = (text: string) => ({ transformToString: async () => text }) as never;

beforeEach(() => s3.reset());

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
