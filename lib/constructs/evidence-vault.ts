import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { type IKey, Key } from 'aws-cdk-lib/aws-kms';
import { Bucket, BucketEncryption, type IBucket, ObjectLockRetention } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import {
  type GuardSetting,
  keyGuard,
  vaultStatements,
} from '../../lambdas/domain/audit/guard-policy.ts';
import { EvidencePrefix } from '../../lambdas/domain/evidence/evidence-prefix.ts';
import type {
  AdoptedResources,
  ReplicaConfig,
  RetentionConfig,
} from '../config/environment-config.ts';
import { customerKey } from './customer-key.ts';
import { allowObjects, allowToSeeAbsence, READ_VERSION } from './object-access.ts';
import { retainedBucket } from './retained-bucket.ts';
import type { ServiceFunction } from './service-function.ts';
import { VaultReplication } from './vault-replication.ts';

export interface EvidenceVaultProps {
  readonly retention: RetentionConfig;
  /** ARN of the only role that may change what protects the vault and its key. */
  readonly deploymentRoleArn: string;
  /** ARN of the only role that may delete versions; nobody when it is not set. */
  readonly breakGlassRoleArn?: string;
  /** ARN of the only role that writes digests and public keys. */
  readonly sealerRoleArn: string;
  /** Where every version is copied to; nowhere when it is not set. */
  readonly replica?: ReplicaConfig;
  /** Absent where no bucket is made that would log. */
  readonly accessLogs: IBucket | undefined;
  /** A vault that stands, with its guards. @default - a new one */
  readonly adopted?: AdoptedResources['vault'] | undefined;
}

/** Folders of the vault that functions write to or read: keys are an operator's. */
export type VaultFolder = Exclude<keyof typeof EvidencePrefix, 'keys'>;

/** AWS documents GetObject as a condition of HEAD, also for a version. */
const INSPECT_VERSION = [
  's3:GetObject',
  's3:GetObjectLegalHold',
  's3:GetObjectRetention',
  's3:GetObjectVersion',
];

/** One right for each setting that a control looks at. */
const READ_GUARDS = [
  's3:GetBucketLogging',
  's3:GetBucketObjectLockConfiguration',
  's3:GetBucketOwnershipControls',
  's3:GetBucketPolicy',
  's3:GetBucketPublicAccessBlock',
  's3:GetBucketVersioning',
  's3:GetEncryptionConfiguration',
  's3:GetLifecycleConfiguration',
  's3:GetReplicationConfiguration',
];
export const READ_KEY_GUARDS = ['kms:DescribeKey', 'kms:GetKeyPolicy'];
/** Of keys that KMS can rotate: those that sign are none. */
export const READ_ROTATED_KEY_GUARDS = [...READ_KEY_GUARDS, 'kms:GetKeyRotationStatus'];

/** The store uploads in one request: what was never finished is not ours. */
const UPLOAD_DAYS = 1;

/** The write-once bucket: locked from creation, own key, TLS only, kept when everything else goes. */
export class EvidenceVault extends Construct {
  readonly bucket: IBucket;
  readonly key: IKey;
  /** What the guards are made of; see `guardSetting` for those of the keys as well. */
  readonly guards: Omit<GuardSetting, 'hmacKeyArns' | 'signing'>;

  constructor(scope: Construct, id: string, props: EvidenceVaultProps) {
    super(scope, id);
    const { accessLogs, adopted, breakGlassRoleArn, deploymentRoleArn, replica, retention } = props;
    const made = adopted ? undefined : this.#make(props);
    this.key = made?.key ?? Key.fromKeyArn(this, 'Key', adopted?.keyArn as string);
    this.bucket =
      made?.bucket ?? Bucket.fromBucketName(this, 'Bucket', adopted?.bucketName as string);
    this.guards = {
      mode: retention.mode,
      floorDays: retention.floorDays,
      bucketArn: this.bucket.bucketArn,
      bucketName: this.bucket.bucketName,
      keyArn: this.key.keyArn,
      ...(accessLogs && made && { accessLogBucketName: accessLogs.bucketName }),
      uploadDays: UPLOAD_DAYS,
      deploymentRoleArn,
      ...(breakGlassRoleArn !== undefined && { breakGlassRoleArn }),
      ...(replica && { replicaBucketArn: replica.bucketArn }),
    };
    if (!made) return;
    const signing = { sealerRoleArn: props.sealerRoleArn };
    for (const statement of vaultStatements({ ...this.guards, signing })) {
      made.bucket.addToResourcePolicy(PolicyStatement.fromJson(statement));
    }
    made.bucket.policy?.applyRemovalPolicy(RemovalPolicy.RETAIN); // unguarded, what stays would be of no use
    if (replica) new VaultReplication(this, 'Replication', { ...made, replica });
  }

  #make({ accessLogs, deploymentRoleArn, retention }: EvidenceVaultProps) {
    const floor = Duration.days(retention.floorDays);
    const key = customerKey(this, 'Key', 'Evidence in the vault');
    key.addToResourcePolicy(PolicyStatement.fromJson(keyGuard(deploymentRoleArn)));
    const bucket = retainedBucket(this, 'Bucket', {
      bucketKeyEnabled: true,
      encryption: BucketEncryption.KMS,
      encryptionKey: key,
      enforceSSL: false, // one of the guards above says so
      // no rule expires a version: over a lock that a hold or a long run extended it would leave a delete marker
      lifecycleRules: [{ abortIncompleteMultipartUploadAfter: Duration.days(UPLOAD_DAYS) }],
      objectLockDefaultRetention:
        retention.mode === 'COMPLIANCE'
          ? ObjectLockRetention.compliance(floor)
          : ObjectLockRetention.governance(floor),
      objectLockEnabled: true,
      ...(accessLogs && {
        serverAccessLogsBucket: accessLogs,
        serverAccessLogsPrefix: 'vault/',
      }),
      versioned: true,
    });
    return { bucket, key };
  }

  /** New locked objects in the folders, and a look at the one that stands where a new one should go. */
  grantWrite(fn: ServiceFunction, ...folders: readonly VaultFolder[]): void {
    this.#allow(fn, ['s3:GetObject', 's3:PutObject', 's3:PutObjectRetention'], folders);
    // S3 asks for Decrypt to check what it encrypted
    fn.allow(['kms:Decrypt', 'kms:GenerateDataKey'], [this.key.keyArn]);
  }

  /** {@link grantWrite}, and a look for what may not stand there. */
  grantFindOrWrite(fn: ServiceFunction, ...folders: readonly VaultFolder[]): void {
    this.grantWrite(fn, ...folders);
    allowToSeeAbsence(fn, this.bucket);
  }

  /** Content of named versions in the folders. */
  grantReadVersions(fn: ServiceFunction, ...folders: readonly VaultFolder[]): void {
    this.#allow(fn, READ_VERSION, folders);
    allowToSeeAbsence(fn, this.bucket);
    fn.allow(['kms:Decrypt'], [this.key.keyArn]);
  }

  /**
   * Content and retention of named versions in the folders: S3 tells the lock with the object to who may read it.
   * @see https://docs.aws.amazon.com/AmazonS3/latest/API/API_GetObject.html
   */
  grantReadLocked(
    fn: ServiceFunction,
    ...folders: ReadonlyArray<keyof typeof EvidencePrefix>
  ): void {
    this.#allow(fn, [...READ_VERSION, 's3:GetObjectRetention'], folders);
    allowToSeeAbsence(fn, this.bucket);
    fn.allow(['kms:Decrypt'], [this.key.keyArn]);
  }

  /** {@link grantReadLocked} for every version, whatever folder it lies in; digests list them all. */
  grantReadAll(fn: ServiceFunction): void {
    this.grantReadLocked(
      fn,
      ...(Object.keys(EvidencePrefix) as Array<keyof typeof EvidencePrefix>),
    );
  }

  /** Whether versions in the folders are there, until when they are locked and whether they are held. */
  grantInspect(fn: ServiceFunction, ...folders: ReadonlyArray<keyof typeof EvidencePrefix>): void {
    this.#allow(fn, INSPECT_VERSION, folders);
    allowToSeeAbsence(fn, this.bucket);
  }

  /** Longer locks of versions in the folders; S3 refuses shorter ones to whoever may not bypass. */
  grantExtend(fn: ServiceFunction, ...folders: ReadonlyArray<keyof typeof EvidencePrefix>): void {
    this.#allow(fn, ['s3:PutObjectRetention', ...INSPECT_VERSION], folders);
    allowToSeeAbsence(fn, this.bucket);
  }

  /** A look at everything that {@link guards} speaks of, and at nothing that lies in the vault. */
  grantReadGuards(fn: ServiceFunction): void {
    fn.allow(READ_GUARDS, [this.bucket.bucketArn]);
    fn.allow(READ_ROTATED_KEY_GUARDS, [this.key.keyArn]);
  }

  /**
   * Legal holds of versions in the folders: set, and lifted unless `onlyOn`.
   * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/object-lock-managing.html
   */
  grantHold(fn: ServiceFunction, folders: readonly VaultFolder[], { onlyOn = false } = {}): void {
    this.#allow(
      fn,
      ['s3:PutObjectLegalHold'],
      folders,
      onlyOn ? { StringEquals: { 's3:object-lock-legal-hold': ['ON'] } } : undefined,
    );
  }

  grantList(fn: ServiceFunction): void {
    fn.allow(['s3:ListBucketVersions'], [this.bucket.bucketArn]);
  }

  #allow(
    fn: ServiceFunction,
    actions: readonly string[],
    folders: ReadonlyArray<keyof typeof EvidencePrefix>,
    conditions?: Parameters<ServiceFunction['allow']>[2],
  ): void {
    const prefixes = folders.map((folder) => EvidencePrefix[folder]);
    allowObjects(fn, this.bucket, actions, prefixes, conditions);
  }
}
