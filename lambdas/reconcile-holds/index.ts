import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { DynamoHoldIndex } from '../adapters/dynamo-hold-index.ts';
import { DynamoRunIndex } from '../adapters/dynamo-run-index.ts';
import { DynamoTable } from '../adapters/dynamo-table.ts';
import { S3LegalHolds } from '../adapters/s3-legal-holds.ts';
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
const index = new DynamoTable(createDynamoClient(), requireEnv('INDEX_TABLE_NAME'));

const handle = createHandler({
  index: new DynamoRunIndex(index),
  holds: new DynamoHoldIndex(index),
  legalHolds: new S3LegalHolds(s3),
  inspector: new S3VersionInspector(s3),
  reader: new S3VersionReader(s3),
  vault: new S3EvidenceVault(s3, vaultBucket),
  vaultBucket,
  retention: requireRetention(),
  clock: Date.now,
  logger: new Logger(),
  metrics: new Metrics(),
});

export const handler = entryPoint(handle);
