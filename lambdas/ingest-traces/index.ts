import { Logger } from '@aws-lambda-powertools/logger';
import { DynamoProducerRegistry } from '../adapters/dynamo-producer-registry.ts';
import { DynamoTable } from '../adapters/dynamo-table.ts';
import { KinesisPublisher } from '../adapters/kinesis-publisher.ts';
import { KmsEpochKeys } from '../adapters/kms-epoch-keys.ts';
import { requireAuthMode } from '../shared/auth-env.ts';
import { createDynamoClient, createKinesisClient, createKmsClient } from '../shared/clients.ts';
import { requireEnv, requireInteger } from '../shared/env.ts';
import { createHandler } from './handler.ts';

const producers = new DynamoTable(createDynamoClient(), requireEnv('PRODUCERS_TABLE_NAME'));

export const handler = createHandler({
  publisher: new KinesisPublisher(
    createKinesisClient(),
    requireEnv('TRACES_STREAM_NAME'),
    Date.now,
  ),
  registry: new DynamoProducerRegistry(producers, Date.now, requireInteger('KEY_CACHE_SECONDS')),
  authMode: requireAuthMode(),
  epochKeys: new KmsEpochKeys(createKmsClient(), producers, Date.now),
  maxRecordBytes: requireInteger('MAX_RECORD_BYTES'),
  clock: Date.now,
  logger: new Logger(),
});
