import { Logger } from '@aws-lambda-powertools/logger';
import { DynamoHoldIndex } from '../adapters/dynamo-hold-index.ts';
import { DynamoProducerRegistry } from '../adapters/dynamo-producer-registry.ts';
import { DynamoRunIndex } from '../adapters/dynamo-run-index.ts';
import { DynamoTable } from '../adapters/dynamo-table.ts';
import { S3LegalHolds } from '../adapters/s3-legal-holds.ts';
import { S3EvidenceVault } from '../adapters/s3-vault.ts';
import { S3VersionInspector } from '../adapters/s3-version-inspector.ts';
import { S3VersionReader } from '../adapters/s3-version-reader.ts';
import { requireAuthMode } from '../shared/auth-env.ts';
import { createDynamoClient, createS3Client } from '../shared/clients.ts';
import { entryPoint } from '../shared/entry-point.ts';
import { requireEnv, requireInteger } from '../shared/env.ts';
import { requireRetention } from '../shared/retention-env.ts';
import { createHandler } from './handler.ts';

const s3 = createS3Client();
const dynamo = createDynamoClient();
const producers = new DynamoTable(dynamo, requireEnv('PRODUCERS_TABLE_NAME'));
const index = new DynamoTable(dynamo, requireEnv('INDEX_TABLE_NAME'));

const handle = createHandler({
  registry: new DynamoProducerRegistry(producers, Date.now, requireInteger('KEY_CACHE_SECONDS')),
  authMode: requireAuthMode(),
  index: new DynamoRunIndex(index),
  holds: new DynamoHoldIndex(index),
  legalHolds: new S3LegalHolds(s3),
  inspector: new S3VersionInspector(s3),
  reader: new S3VersionReader(s3),
  vault: new S3EvidenceVault(s3, requireEnv('VAULT_BUCKET_NAME')),
  retention: requireRetention(),
  clock: Date.now,
  logger: new Logger(),
});

export const handler = entryPoint(handle);
