import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import type { EnvironmentConfig } from '../config/environment-config.ts';
import { AccessLogBucket } from '../constructs/access-log-bucket.ts';
import { deploymentRoleArn } from '../constructs/deployment-role.ts';
import { DigestSigning } from '../constructs/digest-signing.ts';
import { EventStream } from '../constructs/event-stream.ts';
import type { EvidenceResources } from '../constructs/evidence-resources.ts';
import { EvidenceTables } from '../constructs/evidence-tables.ts';
import { EvidenceVault } from '../constructs/evidence-vault.ts';
import { FailureQueue } from '../constructs/failure-queue.ts';
import { HmacKeys } from '../constructs/hmac-keys.ts';
import { StagingBucket } from '../constructs/staging-bucket.ts';
import { SubjectKeys } from '../constructs/subject-keys.ts';

export interface DataStackProps extends StackProps {
  readonly config: EnvironmentConfig;
}

/** Everything that outlives a deployment: retained, and untouched when the pipeline changes. */
export class DataStack extends Stack {
  readonly resources: EvidenceResources;

  constructor(scope: Construct, id: string, props: DataStackProps) {
    super(scope, id, props);
    const { config } = props;
    const { adopt, deletionProtection, streams } = config;
    const logsAccess = !(adopt?.vault && adopt.staging);
    const accessLogs = logsAccess
      ? new AccessLogBucket(this, 'AccessLogs', { retentionDays: config.logRetentionDays }).bucket
      : undefined;

    const guardian = { deploymentRoleArn: deploymentRoleArn(this, config) };
    const signing = new DigestSigning(this, 'Signing', {
      ...guardian,
      adopted: adopt?.signing,
      generation: config.sealing.signingKey ?? (adopt?.signing.keyArns.length ?? 1) - 1,
    });

    this.resources = {
      vault: new EvidenceVault(this, 'Vault', {
        accessLogs,
        adopted: adopt?.vault,
        breakGlassRoleArn: config.guards.breakGlassRoleArn,
        ...guardian,
        replica: config.replica,
        retention: config.retention,
        sealerRoleArn: signing.role.roleArn,
      }),
      staging: new StagingBucket(this, 'Staging', {
        accessLogs,
        adopted: adopt?.staging,
        expiryDays: config.stagingDays,
      }),
      tables: new EvidenceTables(this, 'Tables', { deletionProtection }),
      hmacKeys: new HmacKeys(this, 'HmacKeys', { ...guardian, adoptedKeyArn: adopt?.hmacKeyArn }),
      signing,
      subjectKeys: new SubjectKeys(this, 'Subjects', { deletionProtection }),
      lineage: new EventStream(this, 'Lineage', {
        ...streams,
        adopted: adopt?.lineage,
        content: 'Lineage events',
      }),
      traces: new EventStream(this, 'Traces', {
        ...streams,
        adopted: adopt?.traces,
        content: 'Spans',
      }),
      lineageFailures: new FailureQueue(this, 'LineageFailures'),
      tracesFailures: new FailureQueue(this, 'TracesFailures'),
    };
    this.#publish(this.resources);
  }

  /** Exports stay even when the pipeline drops a use: CloudFormation would refuse to remove one that is still read. */
  #publish(resources: EvidenceResources): void {
    const { hmacKeys, lineage, lineageFailures, signing, staging, subjectKeys } = resources;
    const { tables, traces, tracesFailures, vault } = resources;
    const outputs: Record<string, string> = {
      VaultBucketName: vault.bucket.bucketName,
      StagingBucketName: staging.bucket.bucketName,
      IndexTableName: tables.index.table.tableName,
      ProducersTableName: tables.producers.table.tableName,
      UsageTableName: tables.usage.table.tableName,
      SubjectsTableName: subjectKeys.keys.table.tableName,
      LineageStreamName: lineage.stream.streamName,
      TracesStreamName: traces.stream.streamName,
      HmacKeyArn: hmacKeys.current.keyArn,
      SigningKeyId: (signing.keys.at(-1) as IKey).keyId,
      LineageFailureQueueUrl: lineageFailures.queue.queueUrl,
      TracesFailureQueueUrl: tracesFailures.queue.queueUrl,
    };
    for (const [name, value] of Object.entries(outputs)) {
      new CfnOutput(this, name, { value });
      this.#export(value);
    }
    const attributes = [
      vault.bucket.bucketArn,
      vault.key.keyArn,
      staging.bucket.bucketArn,
      staging.key.keyArn,
      tables.key.keyArn,
      tables.index.table.tableArn,
      tables.producers.table.tableArn,
      tables.usage.table.tableArn,
      subjectKeys.key.keyArn,
      subjectKeys.keys.table.tableArn,
      lineage.stream.streamArn,
      lineage.key.keyArn,
      traces.stream.streamArn,
      traces.key.keyArn,
      signing.role.roleName,
      ...signing.keys.map(({ keyId }) => keyId),
    ];
    for (const { deadLetters, queue } of [lineageFailures, tracesFailures]) {
      attributes.push(queue.queueArn, queue.queueName, deadLetters.queueArn, deadLetters.queueName);
    }
    for (const value of attributes) this.#export(value);
  }

  /** What was adopted is known by its name, and nobody has to import it. */
  #export(value: string): void {
    const resolved: unknown = this.resolve(value);
    const isOwn = typeof resolved === 'object' && resolved !== null && !('Fn::Join' in resolved);
    if (isOwn) this.exportValue(value);
  }
}
