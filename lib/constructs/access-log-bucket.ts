import { Duration } from 'aws-cdk-lib';
import { type Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { retainedBucket } from './retained-bucket.ts';

export interface AccessLogBucketProps {
  /** Days that a log object is kept. */
  readonly retentionDays: number;
}

/** Where S3 writes who touched vault and staging; unlocked, because log delivery refuses a bucket with a default lock. */
export class AccessLogBucket extends Construct {
  readonly bucket: Bucket;

  constructor(scope: Construct, id: string, props: AccessLogBucketProps) {
    super(scope, id);
    this.bucket = retainedBucket(this, 'Bucket', {
      encryption: BucketEncryption.S3_MANAGED, // log delivery cannot use a customer managed key
      lifecycleRules: [
        {
          abortIncompleteMultipartUploadAfter: Duration.days(1),
          expiration: Duration.days(props.retentionDays),
        },
      ],
    });
  }
}
