import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { DynamoRunIndex } from '../adapters/dynamo-run-index.ts';
import { DynamoTable } from '../adapters/dynamo-table.ts';
import { KinesisStreamCounter } from '../adapters/kinesis-stream-counter.ts';
import { KmsSigningKeys } from '../adapters/kms-signing-keys.ts';
import { S3EvidenceVault } from '../adapters/s3-vault.ts';
import { S3VersionInspector } from '../adapters/s3-version-inspector.ts';
import { S3VersionReader } from '../adapters/s3-version-reader.ts';
import { SnsHeadAnchor } from '../adapters/sns-head-anchor.ts';
import { UNANCHORED } from '../domain/integrity/digest.ts';
import {
  createDynamoClient,
  createKinesisClient,
  createKmsClient,
  createS3Client,
  createSnsClient,
} from '../shared/clients.ts';
import { entryPoint } from '../shared/entry-point.ts';
import { requireEnv, requireInteger, requireList } from '../shared/env.ts';
import { requireRetention } from '../shared/retention-env.ts';
import { createHandler } from './handler.ts';

const s3 = createS3Client();
const reader = new S3VersionReader(s3, requireList('OWN_KEY_ARNS'));
const inspector = new S3VersionInspector(s3);
const vaultBucket = requireEnv('VAULT_BUCKET_NAME');
/** `unanchored`, or the ARN of a topic. */
const anchor = requireEnv('SEAL_ANCHOR');

const handle = createHandler({
  vault: new S3EvidenceVault(s3, vaultBucket),
  vaultBucket,
  streams: reader,
  inspector,
  index: new DynamoRunIndex(new DynamoTable(createDynamoClient(), requireEnv('INDEX_TABLE_NAME'))),
  keys: new KmsSigningKeys(createKmsClient(), requireList('SIGNING_KEY_IDS')),
  ...(anchor !== UNANCHORED && { anchor: new SnsHeadAnchor(createSnsClient(anchor), anchor) }),
  counting: {
    counter: new KinesisStreamCounter(createKinesisClient(), {
      lineage: requireEnv('LINEAGE_STREAM_NAME'),
      traces: requireEnv('TRACES_STREAM_NAME'),
    }),
    inspector,
    reader,
    vaultBucket,
    stagingBucket: requireEnv('STAGING_BUCKET_NAME'),
    graceMillis: requireInteger('SEAL_GRACE_MINUTES') * 60_000,
  },
  retention: requireRetention(),
  settings: {
    intervalMinutes: requireInteger('SEAL_INTERVAL_MINUTES'),
    closeAfterSeconds: requireInteger('SEAL_CLOSE_AFTER_SECONDS'),
    folderDays: requireInteger('SEAL_FOLDER_DAYS'),
  },
  clock: Date.now,
  logger: new Logger(),
  metrics: new Metrics(),
});

export const handler = entryPoint(handle);
