import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { DynamoProducerRegistry } from '../adapters/dynamo-producer-registry.ts';
import { DynamoTable } from '../adapters/dynamo-table.ts';
import { DynamoUsage } from '../adapters/dynamo-usage.ts';
import { KinesisPublisher } from '../adapters/kinesis-publisher.ts';
import { KmsEpochKeys } from '../adapters/kms-epoch-keys.ts';
import { RateLimiter } from '../domain/producers/rate-limit.ts';
import { requireAuthMode } from '../shared/auth-env.ts';
import { createDynamoClient, createKinesisClient, createKmsClient } from '../shared/clients.ts';
import { entryPoint } from '../shared/entry-point.ts';
import { requireEnv, requireInteger } from '../shared/env.ts';
import { createHandler } from './handler.ts';

const dynamo = createDynamoClient();
const producers = new DynamoTable(dynamo, requireEnv('PRODUCERS_TABLE_NAME'));
const usage = new DynamoUsage(new DynamoTable(dynamo, requireEnv('USAGE_TABLE_NAME')));

const handle = createHandler({
  publisher: new KinesisPublisher(
    createKinesisClient(),
    requireEnv('LINEAGE_STREAM_NAME'),
    Date.now,
  ),
  registry: new DynamoProducerRegistry(producers, Date.now, requireInteger('KEY_CACHE_SECONDS')),
  authMode: requireAuthMode(),
  epochKeys: new KmsEpochKeys(createKmsClient(), producers, Date.now),
  limiter: new RateLimiter(usage),
  rejections: usage,
  metrics: new Metrics(),
  maxRecordBytes: requireInteger('MAX_RECORD_BYTES'),
  clock: Date.now,
  logger: new Logger(),
});

export const handler = entryPoint(handle);
