import { RemovalPolicy } from 'aws-cdk-lib';
import { BlockPublicAccess, Bucket, type BucketProps, ObjectOwnership } from 'aws-cdk-lib/aws-s3';
import type { Construct } from 'constructs';

/** A closed bucket, TLS only unless its own policy says so, that stays with its policy when its stack goes: unguarded it would be of no use. */
export function retainedBucket(scope: Construct, id: string, props: BucketProps): Bucket {
  const bucket = new Bucket(scope, id, {
    enforceSSL: true,
    ...props,
    blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
    objectOwnership: ObjectOwnership.BUCKET_OWNER_ENFORCED,
    removalPolicy: RemovalPolicy.RETAIN,
  });
  bucket.policy?.applyRemovalPolicy(RemovalPolicy.RETAIN);
  return bucket;
}
