import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { AwsGuardReader } from '../adapters/aws-guard-reader.ts';
import { DynamoRunIndex } from '../adapters/dynamo-run-index.ts';
import { DynamoTable } from '../adapters/dynamo-table.ts';
import { S3SealedStore } from '../adapters/s3-sealed-store.ts';
import { S3EvidenceVault } from '../adapters/s3-vault.ts';
import { S3VersionInspector } from '../adapters/s3-version-inspector.ts';
import { createDynamoClient, createKmsClient, createS3Client } from '../shared/clients.ts';
import { entryPoint } from '../shared/entry-point.ts';
import { requireEnv, requireInteger } from '../shared/env.ts';
import { requireGuards } from '../shared/guard-env.ts';
import { requireRetention } from '../shared/retention-env.ts';
import { createHandler } from './handler.ts';

const s3 = createS3Client();
const vaultBucket = requireEnv('VAULT_BUCKET_NAME');

const handle = createHandler({
  store: new S3SealedStore(s3, vaultBucket),
  inspector: new S3VersionInspector(s3),
  guardReader: new AwsGuardReader(s3, createKmsClient()),
  guards: requireGuards(),
  periodDays: requireInteger('VERIFICATION_PERIOD_DAYS'),
  vault: new S3EvidenceVault(s3, vaultBucket),
  index: new DynamoRunIndex(new DynamoTable(createDynamoClient(), requireEnv('INDEX_TABLE_NAME'))),
  retention: requireRetention(),
  clock: Date.now,
  logger: new Logger(),
  metrics: new Metrics(),
});

export const handler = entryPoint(handle);
