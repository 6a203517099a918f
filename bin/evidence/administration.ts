import { randomUUID } from 'node:crypto';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { KMSClient } from '@aws-sdk/client-kms';
import { S3Client } from '@aws-sdk/client-s3';
import { DynamoProducerDirectory } from '../../lambdas/adapters/dynamo-producer-directory.ts';
import { DynamoSubjectKeys } from '../../lambdas/adapters/dynamo-subject-keys.ts';
import { DynamoTable } from '../../lambdas/adapters/dynamo-table.ts';
import {
  createEpochKey,
  fileEpochKey,
  KmsEpochKeys,
  type WrappedEpochKey,
} from '../../lambdas/adapters/kms-epoch-keys.ts';
import { randomText } from '../../lambdas/adapters/random-text.ts';
import { S3EvidenceVault } from '../../lambdas/adapters/s3-vault.ts';
import { EvidencePrefix } from '../../lambdas/domain/evidence/evidence-prefix.ts';
import { lockFor } from '../../lambdas/domain/evidence/retention.ts';
import type { ChangeDependencies } from '../../lambdas/domain/producers/commit-change.ts';
import type { ChangedBy } from '../../lambdas/domain/producers/producer.ts';
import type { SubjectDependencies } from '../../lambdas/domain/subjects/erase-subject.ts';
import type { EnvironmentConfig } from '../../lib/config/environment-config.ts';
import { environments } from '../../lib/config/environments.ts';
import { retentionSetting } from '../../lib/config/retention-setting.ts';
import { CliError, ExitCode } from './cli.ts';
import type { DeploymentRecord } from './deployment.ts';

/** What an operator does with AWS credentials of their own. */
export interface Administration {
  /**
   * Makes HMAC key epoch 0 where there is none. The vault's document decides: a run that broke off
   * between vault and table is completed, not repeated.
   */
  ensureFirstEpoch(): Promise<void>;
  /** What a change of a producer needs. */
  readonly producers: ChangeDependencies;
  /** What an erasure needs. */
  readonly subjects: SubjectDependencies;
}

/** As whom a command changes a producer. */
export const OPERATOR: ChangedBy = { via: 'aws-credentials' };

const FIRST_EPOCH = 0;

/** The configuration that a stage was deployed with. @throws CliError usage (2) when there is none */
export function configOf(stage: string): EnvironmentConfig {
  const config = Object.values(environments).find(({ name }) => name === stage);
  if (config) return config;
  throw new CliError(ExitCode.usage, `lib/config/environments.ts has no environment ${stage}.`);
}

/** Administers a deployment with the AWS credentials of the caller; an emulator with its own. */
export function administrationOf(deployment: DeploymentRecord): Administration {
  const { stage, buckets, tables, hmacKeyArn } = deployment;
  const config = clientConfigOf(deployment);
  const vault = new S3EvidenceVault(new S3Client(config), buckets.vault);
  const dynamo = new DynamoDBClient(config);
  const table = new DynamoTable(dynamo, tables.producers);
  const kms = new KMSClient(config);
  const retention = retentionSetting(configOf(stage));
  return {
    async ensureFirstEpoch() {
      const key = `${EvidencePrefix.keys}hmac/epoch-${FIRST_EPOCH}.json`;
      const held = await vault.find(key);
      if (held) {
        await fileEpochKey(table, JSON.parse(Buffer.from(held).toString()) as WrappedEpochKey);
        return;
      }
      const notBefore = new Date(0).toISOString();
      const document = await createEpochKey(kms, hmacKeyArn, FIRST_EPOCH, notBefore);
      const now = Date.now();
      await vault.putDocument(key, document, lockFor(retention, retention.recordDays, now, now));
      await fileEpochKey(table, document);
    },
    producers: {
      ...{ vault, retention, randomText, clock: Date.now },
      directory: new DynamoProducerDirectory(table),
    },
    subjects: {
      ...{ vault, retention, clock: Date.now, newErasureId: randomUUID },
      subjects: new DynamoSubjectKeys(new DynamoTable(dynamo, tables.subjects)),
      epochKeys: () => new KmsEpochKeys(kms, table, Date.now).every(),
    },
  };
}

/** How the clients of the AWS SDK reach a deployment. */
export function clientConfigOf({
  region,
  endpointUrl,
}: Pick<DeploymentRecord, 'region' | 'endpointUrl'>) {
  if (!endpointUrl) return { region };
  return {
    region,
    endpoint: endpointUrl,
    // The caller's own keys, or those of their profile, never reach an emulator.
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
    // Virtual-host names of buckets do not resolve there.
    forcePathStyle: true,
  };
}
