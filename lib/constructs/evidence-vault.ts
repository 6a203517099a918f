import { Duration } from 'aws-cdk-lib';
import { AnyPrincipal, Effect, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { Bucket, BucketEncryption, type IBucket, ObjectLockRetention } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { EvidencePrefix } from '../../lambdas/domain/evidence/evidence-prefix.ts';
import type { AdoptedResources, RetentionConfig } from '../config/environment-config.ts';
import { customerKey } from './customer-key.ts';
import { allowObjects, allowToSeeAbsence, READ_VERSION } from './object-access.ts';
import { retainedBucket } from './retained-bucket.ts';
import type { ServiceFunction } from './service-function.ts';
import { vaultPolicy } from './vault-policy.ts';

export interface EvidenceVaultProps {
  readonly retention: RetentionConfig;
  /** ARN of the only role that may change what protects the vault and its key. */
  readonly deploymentRoleArn: string;
  /** Absent where no bucket is made that would log. */
  readonly accessLogs: IBucket | undefined;
  /** A vault that stands, with its guards. @default - a new one */
  readonly adopted?: AdoptedResources['vault'] | undefined;
}

/** Folders of the vault that functions touch: keys are an operator's. */
type VaultFolder = Exclude<keyof typeof EvidencePrefix, 'keys'>;

/** AWS documents GetObject as a condition of HEAD, also for a version. */
const INSPECT_VERSION = [
  's3:GetObject',
  's3:GetObjectLegalHold',
  's3:GetObjectRetention',
  's3:GetObjectVersion',
];

/** The write-once bucket: locked from creation, own key, TLS only, kept when everything else goes. */
export class EvidenceVault extends Construct {
  readonly bucket: IBucket;
  readonly key: IKey;

  constructor(scope: Construct, id: string, props: EvidenceVaultProps) {
    super(scope, id);
    const { accessLogs, adopted, deploymentRoleArn, retention } = props;
    if (adopted) {
      this.key = Key.fromKeyArn(this, 'Key', adopted.keyArn);
      this.bucket = Bucket.fromBucketName(this, 'Bucket', adopted.bucketName);
      return;
    }
    const floor = Duration.days(retention.floorDays);

    this.key = customerKey(this, 'Key', 'Evidence in the vault');
    this.key.addToResourcePolicy(keyGuard(deploymentRoleArn));
    this.bucket = retainedBucket(this, 'Bucket', {
      bucketKeyEnabled: true,
      encryption: BucketEncryption.KMS,
      encryptionKey: this.key,
      // no rule expires a version: over a lock that a hold or a long run extended it would leave a delete marker
      lifecycleRules: [{ abortIncompleteMultipartUploadAfter: Duration.days(1) }],
      objectLockDefaultRetention:
        retention.mode === 'COMPLIANCE'
          ? ObjectLockRetention.compliance(floor)
          : ObjectLockRetention.governance(floor),
      objectLockEnabled: true,
      serverAccessLogsBucket: accessLogs,
      serverAccessLogsPrefix: 'vault/',
      versioned: true,
    });
    for (const statement of vaultPolicy({ bucket: this.bucket, deploymentRoleArn, retention })) {
      this.bucket.addToResourcePolicy(statement);
    }
  }

  /** New locked objects in the folders, and a look at the one that stands where a new one should go. */
  grantWrite(fn: ServiceFunction, ...folders: readonly VaultFolder[]): void {
    this.#allow(fn, ['s3:PutObject', 's3:PutObjectRetention'], folders);
    // S3 asks for Decrypt to check what it encrypted
    fn.allow(['kms:Decrypt', 'kms:GenerateDataKey'], [this.key.keyArn]);
    this.#allow(fn, ['s3:GetObject'], folders);
    allowToSeeAbsence(fn, this.bucket);
    fn.allow(['kms:Decrypt'], [this.key.keyArn]);
  }

  /** Content of named versions in the folders. */
  grantReadVersions(fn: ServiceFunction, ...folders: readonly VaultFolder[]): void {
    this.#allow(fn, READ_VERSION, folders);
    allowToSeeAbsence(fn, this.bucket);
    fn.allow(['kms:Decrypt'], [this.key.keyArn]);
  }

  /** Whether versions in the folders are there, until when they are locked and whether they are held. */
  grantInspect(fn: ServiceFunction, ...folders: readonly VaultFolder[]): void {
    this.#allow(fn, INSPECT_VERSION, folders);
    allowToSeeAbsence(fn, this.bucket);
  }

  grantList(fn: ServiceFunction): void {
    fn.allow(['s3:ListBucketVersions'], [this.bucket.bucketArn]);
  }

  #allow(fn: ServiceFunction, actions: readonly string[], folders: readonly VaultFolder[]): void {
    allowObjects(
      fn,
      this.bucket,
      actions,
      folders.map((folder) => EvidencePrefix[folder]),
    );
  }
}

/** Disabling the key hides the evidence as well as deleting it would. */
function keyGuard(deploymentRoleArn: string): PolicyStatement {
  return new PolicyStatement({
    sid: 'DenyGuardChanges',
    effect: Effect.DENY,
    principals: [new AnyPrincipal()],
    actions: [
      'kms:DisableKey',
      'kms:DisableKeyRotation',
      'kms:PutKeyPolicy',
      'kms:ScheduleKeyDeletion',
    ],
    resources: ['*'], // in a key policy, "*" is the key itself
    conditions: { ArnNotEquals: { 'aws:PrincipalArn': deploymentRoleArn } },
  });
}
