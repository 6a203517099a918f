import { Duration } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { Bucket, BucketEncryption, type IBucket } from 'aws-cdk-lib/aws-s3';
import type { StateMachine } from 'aws-cdk-lib/aws-stepfunctions';
import { Construct } from 'constructs';
import { EvidencePrefix, WorkPrefix } from '../../lambdas/domain/evidence/evidence-prefix.ts';
import type { AdoptedResources } from '../config/environment-config.ts';
import { customerKey } from './customer-key.ts';
import {
  acknowledgeObjects,
  allowObjects,
  allowToSeeAbsence,
  READ_VERSION,
} from './object-access.ts';
import { retainedBucket } from './retained-bucket.ts';
import type { ServiceFunction } from './service-function.ts';

export interface StagingBucketProps {
  /** Days until an object is removed by lifecycle, the only way it is. */
  readonly expiryDays: number;
  /** Absent where no bucket is made that would log. */
  readonly accessLogs: IBucket | undefined;
  /** A bucket that stands. @default - a new one */
  readonly adopted?: AdoptedResources['staging'] | undefined;
}

/** All that is ever staged. */
const STAGED = [EvidencePrefix.traces];

/** Redacted spans that no run has claimed yet: unlocked and short-lived. */
export class StagingBucket extends Construct {
  readonly bucket: IBucket;
  readonly key: IKey;

  constructor(scope: Construct, id: string, props: StagingBucketProps) {
    super(scope, id);
    const { adopted } = props;
    if (adopted) {
      this.key = Key.fromKeyArn(this, 'Key', adopted.keyArn);
      this.bucket = Bucket.fromBucketName(this, 'Bucket', adopted.bucketName);
      return;
    }
    this.key = customerKey(this, 'Key', 'Spans in staging');
    this.bucket = retainedBucket(this, 'Bucket', {
      bucketKeyEnabled: true,
      encryption: BucketEncryption.KMS,
      encryptionKey: this.key,
      lifecycleRules: [
        {
          abortIncompleteMultipartUploadAfter: Duration.days(1),
          expiration: Duration.days(props.expiryDays),
        },
      ],
      serverAccessLogsBucket: props.accessLogs,
      serverAccessLogsPrefix: 'staging/',
    });
  }

  /** New objects, and a look at the one that stands where a new one should go. */
  grantWrite(fn: ServiceFunction): void {
    allowObjects(fn, this.bucket, ['s3:GetObject', 's3:PutObject'], STAGED);
    allowToSeeAbsence(fn, this.bucket);
    fn.allow(['kms:Decrypt', 'kms:GenerateDataKey'], [this.key.keyArn]);
  }

  /** Content of named versions. */
  grantReadVersions(fn: ServiceFunction): void {
    allowObjects(fn, this.bucket, READ_VERSION, STAGED);
    allowToSeeAbsence(fn, this.bucket);
    fn.allow(['kms:Decrypt'], [this.key.keyArn]);
  }

  grantList(fn: ServiceFunction): void {
    fn.allow(['s3:ListBucketVersions'], [this.bucket.bucketArn]);
  }

  /** What a long task plans and what its workers did, both written and read. */
  grantNotes(fn: ServiceFunction): void {
    allowObjects(fn, this.bucket, ['s3:GetObject', 's3:PutObject'], Object.values(WorkPrefix));
    allowToSeeAbsence(fn, this.bucket);
    fn.allow(['kms:Decrypt', 'kms:GenerateDataKey'], [this.key.keyArn]);
  }

  /** The list that a Distributed Map reads its items from. */
  grantReadPlan(stateMachine: StateMachine): void {
    stateMachine.addToRolePolicy(
      new PolicyStatement({
        actions: ['s3:GetObject'],
        resources: [this.bucket.arnForObjects(`${WorkPrefix.plans}*`)],
      }),
    );
    stateMachine.addToRolePolicy(
      new PolicyStatement({ actions: ['kms:Decrypt'], resources: [this.key.keyArn] }),
    );
    acknowledgeObjects(stateMachine, this.bucket, [WorkPrefix.plans]);
  }
}
