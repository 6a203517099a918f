import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { DynamoRunIndex } from '../adapters/dynamo-run-index.ts';
import { DynamoTable } from '../adapters/dynamo-table.ts';
import { S3ObjectReader } from '../adapters/s3-object-reader.ts';
import { S3EvidenceVault } from '../adapters/s3-vault.ts';
import { createDynamoClient, createS3Client } from '../shared/clients.ts';
import { entryPoint } from '../shared/entry-point.ts';
import { requireEnv, requireList } from '../shared/env.ts';
import { requireRetention } from '../shared/retention-env.ts';
import { createHandler } from './handler.ts';

const s3 = createS3Client();

const handle = createHandler({
  vault: new S3EvidenceVault(s3, requireEnv('VAULT_BUCKET_NAME')),
  reader: new S3ObjectReader(s3),
  index: new DynamoRunIndex(new DynamoTable(createDynamoClient(), requireEnv('INDEX_TABLE_NAME'))),
  retention: requireRetention(),
  traceContextFacets: requireList('TRACE_CONTEXT_FACETS'),
  clock: Date.now,
  logger: new Logger(),
  metrics: new Metrics(),
});

export const handler = entryPoint(handle);
