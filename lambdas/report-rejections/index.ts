import { Logger } from '@aws-lambda-powertools/logger';
import { DynamoRunIndex } from '../adapters/dynamo-run-index.ts';
import { DynamoTable } from '../adapters/dynamo-table.ts';
import { DynamoUsage } from '../adapters/dynamo-usage.ts';
import { S3EvidenceVault } from '../adapters/s3-vault.ts';
import { createDynamoClient, createS3Client } from '../shared/clients.ts';
import { entryPoint } from '../shared/entry-point.ts';
import { requireEnv } from '../shared/env.ts';
import { requireRetention } from '../shared/retention-env.ts';
import { createHandler } from './handler.ts';

const dynamo = createDynamoClient();

const handle = createHandler({
  rejections: new DynamoUsage(new DynamoTable(dynamo, requireEnv('USAGE_TABLE_NAME'))),
  index: new DynamoRunIndex(new DynamoTable(dynamo, requireEnv('INDEX_TABLE_NAME'))),
  vault: new S3EvidenceVault(createS3Client(), requireEnv('VAULT_BUCKET_NAME')),
  retention: requireRetention(),
  clock: Date.now,
  logger: new Logger(),
});

export const handler = entryPoint(handle);
