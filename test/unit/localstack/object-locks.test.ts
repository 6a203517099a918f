import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PutObjectLegalHoldCommand, S3Client } from '@aws-sdk/client-s3';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, expect, it } from 'vitest';
import { writeJson } from '../../../localstack/json-file.ts';
import { restoreLocks } from '../../../localstack/object-locks.ts';

const folder = mkdtempSync(join(tmpdir(), 'object-locks-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it('sets locks until it was done once, so that a start after an interrupted one goes on', async () => {
  const path = join(folder, 'object-locks.json');
  writeJson(path, [{ bucket: 'vault', key: 'evidence', versionId: '1', legalHold: true }]);
  const s3 = mockClient(S3Client);
  s3.on(PutObjectLegalHoldCommand).rejectsOnce(new Error('interrupted')).resolves({});
  const client = new S3Client({});
  await expect(restoreLocks(client, path)).rejects.toThrow('interrupted');
  await restoreLocks(client, path);
  // A hold that was lifted meanwhile must not come back.
  await restoreLocks(client, path);
  expect(s3.commandCalls(PutObjectLegalHoldCommand)).toHaveLength(2);
});
