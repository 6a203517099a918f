import { Logger } from '@aws-lambda-powertools/logger';
import { DynamoProducerDirectory } from '../adapters/dynamo-producer-directory.ts';
import { DynamoProducerRegistry } from '../adapters/dynamo-producer-registry.ts';
import { DynamoTable } from '../adapters/dynamo-table.ts';
import { randomText } from '../adapters/random-text.ts';
import { S3EvidenceVault } from '../adapters/s3-vault.ts';
import { requireAuthMode } from '../shared/auth-env.ts';
import { createDynamoClient, createS3Client } from '../shared/clients.ts';
import { entryPoint } from '../shared/entry-point.ts';
import { requireEnv, requireInteger } from '../shared/env.ts';
import { requireRetention } from '../shared/retention-env.ts';
import { createHandler } from './handler.ts';

const producers = new DynamoTable(createDynamoClient(), requireEnv('PRODUCERS_TABLE_NAME'));

const handle = createHandler({
  registry: new DynamoProducerRegistry(producers, Date.now, requireInteger('KEY_CACHE_SECONDS')),
  authMode: requireAuthMode(),
  directory: new DynamoProducerDirectory(producers),
  vault: new S3EvidenceVault(createS3Client(), requireEnv('VAULT_BUCKET_NAME')),
  retention: requireRetention(),
  randomText,
  clock: Date.now,
  logger: new Logger(),
});

export const handler = entryPoint(handle);
