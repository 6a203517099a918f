import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { S3Client } from '@aws-sdk/client-s3';
import { SFNClient } from '@aws-sdk/client-sfn';
import { DynamoHoldIndex } from '../../lambdas/adapters/dynamo-hold-index.ts';
import { DynamoProducerDirectory } from '../../lambdas/adapters/dynamo-producer-directory.ts';
import { DynamoRunIndex } from '../../lambdas/adapters/dynamo-run-index.ts';
import { DynamoTable } from '../../lambdas/adapters/dynamo-table.ts';
import { fileEpochKey, type WrappedEpochKey } from '../../lambdas/adapters/kms-epoch-keys.ts';
import { S3EvidenceVault } from '../../lambdas/adapters/s3-vault.ts';
import { S3VersionInspector } from '../../lambdas/adapters/s3-version-inspector.ts';
import { S3VersionReader } from '../../lambdas/adapters/s3-version-reader.ts';
import { S3WorkNotes } from '../../lambdas/adapters/s3-work-notes.ts';
import type { RebuildIndexDependencies } from '../../lambdas/domain/rebuild/rebuild-index.ts';
import type { RegisterDependencies } from '../../lambdas/domain/rebuild/rebuild-registers.ts';
import { retentionSetting } from '../../lib/config/retention-setting.ts';
import { clientConfigOf, configOf } from './administration.ts';
import type { DeploymentRecord } from './deployment.ts';

export interface Rebuilding {
  readonly index: RebuildIndexDependencies;
  readonly registers: RegisterDependencies;
  readonly stepFunctions: SFNClient;
  /** Starts the function that puts the covers of holds anew, which stand in no document. */
  readonly startHoldReconciliation: () => Promise<void>;
}

/** Rebuilds the tables of a deployment with the AWS credentials of the caller; an emulator with its own. */
export function rebuildingOf(deployment: DeploymentRecord): Rebuilding {
  const { stage, buckets, tables, functions } = deployment;
  const client = clientConfigOf(deployment);
  const environment = configOf(stage);
  const s3 = new S3Client(client);
  const dynamo = new DynamoDBClient(client);
  const producers = new DynamoTable(dynamo, tables.producers);
  const index = new DynamoTable(dynamo, tables.index);
  const reading = {
    inspector: new S3VersionInspector(s3),
    objects: new S3VersionReader(s3),
    vaultBucket: buckets.vault,
  };
  return {
    index: {
      ...reading,
      index: new DynamoRunIndex(index),
      notes: new S3WorkNotes(s3, buckets.staging),
      vault: new S3EvidenceVault(s3, buckets.vault),
      reader: new S3VersionReader(s3),
      stagingBucket: buckets.staging,
      ...environment.join,
      retention: retentionSetting(environment),
      clock: Date.now,
    },
    registers: {
      ...reading,
      directory: new DynamoProducerDirectory(producers),
      holds: new DynamoHoldIndex(index),
      retention: retentionSetting(environment),
      clock: Date.now,
      fileEpoch: (document) => fileEpochKey(producers, document as WrappedEpochKey),
    },
    stepFunctions: new SFNClient(client),
    startHoldReconciliation: async () => {
      const FunctionName = functions.reconcileHolds;
      const invoke = new InvokeCommand({ FunctionName, InvocationType: 'Event', Payload: '{}' });
      await new LambdaClient(client).send(invoke);
    },
  };
}
