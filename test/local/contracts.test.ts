import { inject } from 'vitest';
import { DynamoHoldIndex } from '../../lambdas/adapters/dynamo-hold-index.ts';
import { DynamoProducerDirectory } from '../../lambdas/adapters/dynamo-producer-directory.ts';
import { DynamoProducerRegistry } from '../../lambdas/adapters/dynamo-producer-registry.ts';
import { DynamoRunIndex } from '../../lambdas/adapters/dynamo-run-index.ts';
import { DynamoSubjectKeys } from '../../lambdas/adapters/dynamo-subject-keys.ts';
import { DynamoTable } from '../../lambdas/adapters/dynamo-table.ts';
import { DynamoUsage } from '../../lambdas/adapters/dynamo-usage.ts';
import { S3LegalHolds } from '../../lambdas/adapters/s3-legal-holds.ts';
import { S3EvidenceVault } from '../../lambdas/adapters/s3-vault.ts';
import { S3VersionInspector } from '../../lambdas/adapters/s3-version-inspector.ts';
import { S3VersionReader } from '../../lambdas/adapters/s3-version-reader.ts';
import { lockFor } from '../../lambdas/domain/evidence/retention.ts';
import { environments } from '../../lib/config/environments.ts';
import { retentionSetting } from '../../lib/config/retention-setting.ts';
import { createClients } from '../../localstack/clients.ts';
import { describeHoldIndexContract } from '../support/contracts/hold-index-contract.ts';
import { describeLegalHoldsContract } from '../support/contracts/legal-holds-contract.ts';
import { describeProducersContract } from '../support/contracts/producers-contract.ts';
import { describeRunIndexContract } from '../support/contracts/run-index-contract.ts';
import { describeSubjectKeysContract } from '../support/contracts/subject-keys-contract.ts';
import { describeUsageContract } from '../support/contracts/usage-contract.ts';
import { describeVaultContract } from '../support/contracts/vault-contract.ts';

const { endpointUrl, buckets, tables } = inject('environment');
const clients = createClients(endpointUrl);
const retention = retentionSetting(environments.local);
const lock = lockFor(retention, retention.lineageDays, Date.now(), Date.now());

describeVaultContract('S3', () => {
  const vault = new S3EvidenceVault(clients.s3, buckets.vault);
  return {
    vault,
    reader: new S3VersionReader(clients.s3),
    streams: new S3VersionReader(clients.s3),
    inspector: new S3VersionInspector(clients.s3),
    bucket: buckets.vault,
    lock,
  };
});

describeProducersContract('DynamoDB', () => {
  const table = new DynamoTable(clients.dynamodb, tables.producers);
  return {
    directory: new DynamoProducerDirectory(table),
    freshRegistry: () => new DynamoProducerRegistry(table, Date.now, 1),
  };
});

describeRunIndexContract(
  'DynamoDB',
  () => new DynamoRunIndex(new DynamoTable(clients.dynamodb, tables.index)),
);

describeHoldIndexContract(
  'DynamoDB',
  () => new DynamoHoldIndex(new DynamoTable(clients.dynamodb, tables.index)),
);

describeLegalHoldsContract('S3', () => ({
  vault: new S3EvidenceVault(clients.s3, buckets.vault),
  legalHolds: new S3LegalHolds(clients.s3),
  inspector: new S3VersionInspector(clients.s3),
  lock,
}));

describeSubjectKeysContract(
  'DynamoDB',
  () => new DynamoSubjectKeys(new DynamoTable(clients.dynamodb, tables.subjects)),
);

describeUsageContract(
  'DynamoDB',
  () => new DynamoUsage(new DynamoTable(clients.dynamodb, tables.usage)),
);
