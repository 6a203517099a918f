import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { LambdaClient } from '@aws-sdk/client-lambda';
import { DynamoRunIndex } from '../adapters/dynamo-run-index.ts';
import { DynamoTable } from '../adapters/dynamo-table.ts';
import { KinesisStreamReader } from '../adapters/kinesis-stream-reader.ts';
import { LambdaArchiver } from '../adapters/lambda-archiver.ts';
import { S3EvidenceVault } from '../adapters/s3-vault.ts';
import {
  createDynamoClient,
  createKinesisReaderClient,
  createS3Client,
} from '../shared/clients.ts';
import { entryPoint } from '../shared/entry-point.ts';
import { requireEnv } from '../shared/env.ts';
import { requireRetention } from '../shared/retention-env.ts';
import { createHandler } from './handler.ts';

const streams = {
  lineage: requireEnv('LINEAGE_STREAM_NAME'),
  traces: requireEnv('TRACES_STREAM_NAME'),
};

const handle = createHandler({
  stream: new KinesisStreamReader(createKinesisReaderClient(), streams),
  archiver: new LambdaArchiver(new LambdaClient({}), {
    lineage: requireEnv('ARCHIVE_FUNCTION_NAME'),
    traces: requireEnv('ARCHIVE_TRACES_FUNCTION_NAME'),
  }),
  vault: new S3EvidenceVault(createS3Client(), requireEnv('VAULT_BUCKET_NAME')),
  index: new DynamoRunIndex(new DynamoTable(createDynamoClient(), requireEnv('INDEX_TABLE_NAME'))),
  retention: requireRetention(),
  planeOf: (streamArn) => (streamArn.endsWith(`/${streams.traces}`) ? 'traces' : 'lineage'),
  clock: Date.now,
  logger: new Logger(),
  metrics: new Metrics(),
});

export const handler = entryPoint(handle);
