import { Readable } from 'node:stream';
import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { MAX_READ_BYTES, S3ObjectReader } from '../../../lambdas/adapters/s3-object-reader.ts';

const s3 = mockClient(S3Client);
const read = () =>
  new S3ObjectReader(new S3Client({})).read({ bucket: 'vault', key: 'k', versionId: 'v' });

beforeEach(() => s3.reset());

describe('S3ObjectReader', () => {
  const answer = (ContentLength: number) => {
    const body = Object.assign(Readable.from([Buffer.from('x')]), {
      transformToByteArray: async () => Buffer.from('x'),
    });
    s3.on(GetObjectCommand).resolves({ ContentLength, Body: body as never });
    return body;
  };

  it('reads what is as large as a digest may be', async () => {
    answer(MAX_READ_BYTES);
    expect(await read()).toEqual(Buffer.from('x'));
  });

  it('reads nothing larger, and lets go of it', async () => {
    const body = answer(MAX_READ_BYTES + 1);
    await expect(read()).rejects.toMatchObject({
      ...{ name: 'UnreadableRecordError', code: 'object_too_large' },
    });
    expect(body.destroyed).toBe(true);
  });
});
