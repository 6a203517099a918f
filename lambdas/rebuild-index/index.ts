import { Logger } from '@aws-lambda-powertools/logger';
import { DynamoRunIndex } from '../adapters/dynamo-run-index.ts';
import { DynamoTable } from '../adapters/dynamo-table.ts';
import { S3EvidenceVault } from '../adapters/s3-vault.ts';
import { S3VersionInspector } from '../adapters/s3-version-inspector.ts';
import { S3VersionReader } from '../adapters/s3-version-reader.ts';
import { S3WorkNotes } from '../adapters/s3-work-notes.ts';
import { createDynamoClient, createS3Client } from '../shared/clients.ts';
import { entryPoint } from '../shared/entry-point.ts';
import { requireEnv, requireList } from '../shared/env.ts';
import { requireRetention } from '../shared/retention-env.ts';
import { createHandler } from './handler.ts';

const s3 = createS3Client();
const vaultBucket = requireEnv('VAULT_BUCKET_NAME');
const stagingBucket = requireEnv('STAGING_BUCKET_NAME');

const handle = createHandler({
  index: new DynamoRunIndex(new DynamoTable(createDynamoClient(), requireEnv('INDEX_TABLE_NAME'))),
  inspector: new S3VersionInspector(s3),
  objects: new S3VersionReader(s3),
  notes: new S3WorkNotes(s3, stagingBucket),
  vault: new S3EvidenceVault(s3, vaultBucket),
  reader: new S3VersionReader(s3),
  vaultBucket,
  stagingBucket,
  traceContextFacets: requireList('TRACE_CONTEXT_FACETS'),
  runIdAttributes: requireList('RUN_ID_ATTRIBUTES'),
  retention: requireRetention(),
  clock: Date.now,
  logger: new Logger(),
});

export const handler = entryPoint(handle);
