import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { DynamoRunIndex } from '../adapters/dynamo-run-index.ts';
import { DynamoTable } from '../adapters/dynamo-table.ts';
import { S3RetentionExtender } from '../adapters/s3-retention-extender.ts';
import { S3EvidenceVault } from '../adapters/s3-vault.ts';
import { S3VersionInspector } from '../adapters/s3-version-inspector.ts';
import { S3VersionReader } from '../adapters/s3-version-reader.ts';
import { createDynamoClient, createS3Client } from '../shared/clients.ts';
import { entryPoint } from '../shared/entry-point.ts';
import { requireEnv } from '../shared/env.ts';
import { requireRetention } from '../shared/retention-env.ts';
import { createHandler } from './handler.ts';

const s3 = createS3Client();
const vaultBucket = requireEnv('VAULT_BUCKET_NAME');

const handle = createHandler({
  index: new DynamoRunIndex(new DynamoTable(createDynamoClient(), requireEnv('INDEX_TABLE_NAME'))),
  inspector: new S3VersionInspector(s3),
  extender: new S3RetentionExtender(s3),
  isReplicated: requireEnv('REPLICATED') === 'true',
  vaultBucket,
  vault: new S3EvidenceVault(s3, vaultBucket),
  reader: new S3VersionReader(s3),
  retention: requireRetention(),
  clock: Date.now,
  logger: new Logger(),
  metrics: new Metrics(),
});

export const handler = entryPoint(handle);
