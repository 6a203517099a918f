import { Logger } from '@aws-lambda-powertools/logger';
import { Metrics } from '@aws-lambda-powertools/metrics';
import { DynamoHoldIndex } from '../adapters/dynamo-hold-index.ts';
import { DynamoRunIndex } from '../adapters/dynamo-run-index.ts';
import { DynamoSubjectKeys } from '../adapters/dynamo-subject-keys.ts';
import { DynamoTable } from '../adapters/dynamo-table.ts';
import { KmsEpochKeys } from '../adapters/kms-epoch-keys.ts';
import { S3LegalHolds } from '../adapters/s3-legal-holds.ts';
import { S3EvidenceVault } from '../adapters/s3-vault.ts';
import { S3VersionReader } from '../adapters/s3-version-reader.ts';
import { createDynamoClient, createKmsClient, createS3Client } from '../shared/clients.ts';
import { entryPoint } from '../shared/entry-point.ts';
import { requireEnv, requireList } from '../shared/env.ts';
import { readRedactionPolicy } from '../shared/redaction-env.ts';
import { requireRetention } from '../shared/retention-env.ts';
import { createHandler } from './handler.ts';

const s3 = createS3Client();
const dynamo = createDynamoClient();
const index = new DynamoTable(dynamo, requireEnv('INDEX_TABLE_NAME'));
const producers = new DynamoTable(dynamo, requireEnv('PRODUCERS_TABLE_NAME'));

const handle = createHandler({
  vault: new S3EvidenceVault(s3, requireEnv('VAULT_BUCKET_NAME')),
  reader: new S3VersionReader(s3),
  index: new DynamoRunIndex(index),
  holds: new DynamoHoldIndex(index),
  legalHolds: new S3LegalHolds(s3),
  epochKeys: new KmsEpochKeys(createKmsClient(), producers, Date.now),
  subjectKeys: new DynamoSubjectKeys(new DynamoTable(dynamo, requireEnv('SUBJECTS_TABLE_NAME'))),
  policy: readRedactionPolicy(),
  retention: requireRetention(),
  traceContextFacets: requireList('TRACE_CONTEXT_FACETS'),
  clock: Date.now,
  logger: new Logger(),
  metrics: new Metrics(),
});

export const handler = entryPoint(handle);
