import { Logger } from '@aws-lambda-powertools/logger';
import { DescribeStreamSummaryCommand } from '@aws-sdk/client-kinesis';
import { DynamoHoldIndex } from '../adapters/dynamo-hold-index.ts';
import { DynamoProducerRegistry } from '../adapters/dynamo-producer-registry.ts';
import { DynamoRunIndex } from '../adapters/dynamo-run-index.ts';
import { DynamoTable } from '../adapters/dynamo-table.ts';
import { KmsEpochKeys } from '../adapters/kms-epoch-keys.ts';
import { S3VersionInspector } from '../adapters/s3-version-inspector.ts';
import { S3VersionReader } from '../adapters/s3-version-reader.ts';
import { requireAuthMode } from '../shared/auth-env.ts';
import {
  createDynamoClient,
  createKinesisClient,
  createKmsClient,
  createS3Client,
} from '../shared/clients.ts';
import { entryPoint } from '../shared/entry-point.ts';
import { requireEnv, requireInteger } from '../shared/env.ts';
import { createHandler } from './handler.ts';
import { HealthCheck } from './health.ts';

const dynamo = createDynamoClient();
const kinesis = createKinesisClient();
const s3 = createS3Client();
const producers = new DynamoTable(dynamo, requireEnv('PRODUCERS_TABLE_NAME'));
const indexTable = new DynamoTable(dynamo, requireEnv('INDEX_TABLE_NAME'));
const index = new DynamoRunIndex(indexTable);
const lineageStream = requireEnv('LINEAGE_STREAM_NAME');

const handle = createHandler({
  index,
  holds: new DynamoHoldIndex(indexTable),
  reader: new S3VersionReader(s3),
  inspector: new S3VersionInspector(s3),
  registry: new DynamoProducerRegistry(producers, Date.now, requireInteger('KEY_CACHE_SECONDS')),
  authMode: requireAuthMode(),
  epochKeys: new KmsEpochKeys(createKmsClient(), producers, Date.now),
  health: new HealthCheck(
    [
      () => kinesis.send(new DescribeStreamSummaryCommand({ StreamName: lineageStream })),
      () => index.delivery('health'),
    ],
    Date.now,
  ),
  clock: Date.now,
  logger: new Logger(),
});

export const handler = entryPoint(handle);
