import { AnyPrincipal, Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import type { IBucket } from 'aws-cdk-lib/aws-s3';
import type { RetentionConfig } from '../config/environment-config.ts';

export interface VaultPolicyProps {
  readonly bucket: IBucket;
  readonly retention: RetentionConfig;
  /** ARN of the only role that may change what protects the vault. */
  readonly deploymentRoleArn: string;
}

/** Settings that decide whether evidence is still evidence. */
const GUARD_SETTINGS = [
  's3:DeleteBucketPolicy',
  's3:PutBucketObjectLockConfiguration',
  's3:PutBucketPolicy',
  's3:PutBucketPublicAccessBlock',
  's3:PutBucketVersioning',
  's3:PutEncryptionConfiguration',
  's3:PutLifecycleConfiguration',
  's3:PutReplicationConfiguration',
];

/** Lock headers of a put are checked under PutObjectRetention as well as PutObject. */
const LOCKING_ACTIONS = ['s3:PutObject', 's3:PutObjectRetention'];

/** What nobody may do to the vault, whatever other policies allow. */
export function vaultPolicy(props: VaultPolicyProps): PolicyStatement[] {
  const { bucket, deploymentRoleArn, retention } = props;
  const deny = (
    sid: string,
    actions: readonly string[],
    resource: string,
    conditions?: Record<string, Record<string, string>>,
  ) =>
    new PolicyStatement({
      sid,
      effect: Effect.DENY,
      principals: [new AnyPrincipal()],
      actions: [...actions],
      resources: [resource],
      ...(conditions && { conditions }),
    });
  const objects = bucket.arnForObjects('*');

  const statements = [
    deny('DenyLockBelowFloor', LOCKING_ACTIONS, objects, {
      NumericLessThan: { 's3:object-lock-remaining-retention-days': `${retention.floorDays}` },
    }),
    // an absent mode is "not equal" too, so this refuses a put without the mode header
    deny('DenyOtherLockMode', LOCKING_ACTIONS, objects, {
      StringNotEquals: { 's3:object-lock-mode': retention.mode },
    }),
    deny('DenyPutWithoutRetainUntil', ['s3:PutObject'], objects, {
      Null: { 's3:object-lock-retain-until-date': 'true' },
    }),
    // parts of a multipart upload and copies cannot carry the header: both are refused on purpose
    deny('DenyPutWithoutIfNoneMatch', ['s3:PutObject'], objects, {
      Null: { 's3:if-none-match': 'true' },
    }),
    deny('DenyGovernanceBypass', ['s3:BypassGovernanceRetention'], objects),
    deny('DenyDeleteMarkers', ['s3:DeleteObject'], objects),
    deny('DenyGuardChanges', GUARD_SETTINGS, bucket.bucketArn, {
      ArnNotEquals: { 'aws:PrincipalArn': deploymentRoleArn },
    }),
  ];
  if (retention.mode === 'COMPLIANCE') {
    statements.push(deny('DenyVersionDeletion', ['s3:DeleteObjectVersion'], objects));
  }
  return statements;
}
