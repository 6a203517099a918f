import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import type { RetentionPolicy } from '../evidence/retention.ts';

/** What the guards of a vault are made of; ARNs may be tokens of a template. */
export interface GuardedVault extends Pick<RetentionPolicy, 'mode' | 'floorDays'> {
  readonly bucketArn: string;
  /** The key that everything in it is encrypted with. */
  readonly keyArn: string;
  /** The only role that may change what protects the vault and its key. */
  readonly deploymentRoleArn: string;
  /** The only role that may delete versions, and lift a GOVERNANCE lock to do so; nobody when it is not set. */
  readonly breakGlassRoleArn?: string;
  /** The only role that writes digests and the public keys of their signatures. */
  readonly signing: { readonly sealerRoleArn: string };
}

/** How a vault was deployed: what a control compares its guards with. Names and ARNs are those of the deployment. */
export interface GuardSetting extends GuardedVault {
  readonly bucketName: string;
  /** The keys that wrap those of received bodies: without them no receipt and no copy can be told. */
  readonly hmacKeyArns: readonly string[];
  /** The keys that sign digests, and the one role that they sign for. */
  readonly signing: { readonly keyArns: readonly string[]; readonly sealerRoleArn: string };
  /** Where S3 writes who touched the vault. Absent of a vault that was adopted: its log goes where it went. */
  readonly accessLogBucketName?: string;
  /** Days after which an upload that was never finished is removed. */
  readonly uploadDays: number;
  /** The bucket that every version is copied to; nowhere when it is not set. */
  readonly replicaBucketArn?: string;
}

/** A statement of a resource policy. */
export interface GuardStatement {
  readonly Sid: string;
  readonly Effect: 'Allow' | 'Deny';
  readonly Principal: { readonly AWS: string };
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

/**
 * Settings that decide whether evidence is still evidence, who reads it, and whether it shows who touched it. The rights
 * cover the deletion of a setting as well, where S3 has no right of its own for it: that of a lifecycle asks for
 * PutLifecycleConfiguration.
 * @see https://docs.aws.amazon.com/AmazonS3/latest/userguide/using-with-s3-policy-actions.html
 */
const GUARD_SETTINGS = [
  's3:DeleteBucket',
  's3:DeleteBucketPolicy',
  's3:PutBucketAcl',
  's3:PutBucketLogging',
  's3:PutBucketObjectLockConfiguration',
  's3:PutBucketOwnershipControls',
  's3:PutBucketPolicy',
  's3:PutBucketPublicAccessBlock',
  's3:PutBucketVersioning',
  's3:PutEncryptionConfiguration',
  's3:PutInventoryConfiguration', // audits read the inventory
  's3:PutLifecycleConfiguration',
  's3:PutReplicationConfiguration',
];

/** Disabling a key hides the evidence as well as deleting it would. */
const KEY_SETTINGS = [
  'kms:DisableKey',
  'kms:DisableKeyRotation',
  'kms:PutKeyPolicy',
  'kms:ScheduleKeyDeletion',
];

/** What administrators of the account may do with a signing key: look after it, and neither sign nor hand signing on. */
const MANAGEMENT = [
  'kms:CancelKeyDeletion',
  'kms:DescribeKey',
  'kms:DisableKey',
  'kms:EnableKey',
  'kms:GetKeyPolicy',
  'kms:GetKeyRotationStatus',
  'kms:GetPublicKey',
  'kms:ListGrants',
  'kms:ListKeyPolicies',
  'kms:ListResourceTags',
  'kms:PutKeyPolicy',
  'kms:ScheduleKeyDeletion',
  'kms:TagResource',
  'kms:UntagResource',
  'kms:UpdateKeyDescription',
];

/** Lock headers of a put are checked under PutObjectRetention as well as PutObject. */
const LOCKING_ACTIONS = ['s3:PutObject', 's3:PutObjectRetention'];

/** IAM path of the roles that may lift legal holds: a policy can name them before they are made. */
export const HOLD_ROLES_PATH = '/lineage-evidence/holds/';

/** Where the chain of digests lies: another's object under a key of it would stand in its way for as long as its lock. */
const SEALED_FOLDERS = [EvidencePrefix.digests, EvidencePrefix.publicKeys];

/**
 * What nobody may do to the vault, whatever other policies allow: the whole bucket policy, for the template that sets it
 * and for the control that looks whether it still stands.
 */
export function vaultStatements(vault: GuardedVault): GuardStatement[] {
  const { breakGlassRoleArn, bucketArn, deploymentRoleArn, floorDays, keyArn, mode, signing } =
    vault;
  const objects = `${bucketArn}/*`;
  const allBut = (roleArn: string | undefined) =>
    roleArn === undefined ? undefined : { ArnNotEquals: { 'aws:PrincipalArn': roleArn } };

  return [
    deny('DenyPlainHttp', 's3:*', [bucketArn, objects], {
      Bool: { 'aws:SecureTransport': 'false' },
    }),
    deny('DenyLockBelowFloor', LOCKING_ACTIONS, objects, {
      NumericLessThan: { 's3:object-lock-remaining-retention-days': `${floorDays}` },
    }),
    // an absent mode is "not equal" too, so this refuses a put without the mode header and a lock that is taken off
    deny('DenyOtherLockMode', LOCKING_ACTIONS, objects, {
      StringNotEquals: { 's3:object-lock-mode': mode },
    }),
    deny('DenyPutWithoutRetainUntil', 's3:PutObject', objects, {
      Null: { 's3:object-lock-retain-until-date': 'true' },
    }),
    // parts of a multipart upload and copies cannot carry the header: both are refused on purpose
    deny('DenyPutWithoutIfNoneMatch', 's3:PutObject', objects, {
      Null: { 's3:if-none-match': 'true' },
    }),
    // what is encrypted with a key of the caller's can be read by nobody else, and it is locked for years
    deny('DenyCustomerKeys', 's3:PutObject', objects, {
      Null: { 's3:x-amz-server-side-encryption-customer-algorithm': 'false' },
    }),
    // likewise a KMS key that is named and not the vault's
    deny('DenyOtherKmsKeys', 's3:PutObject', objects, {
      Null: { 's3:x-amz-server-side-encryption-aws-kms-key-id': 'false' },
      ArnNotEquals: { 's3:x-amz-server-side-encryption-aws-kms-key-id': keyArn },
    }),
    // likewise what has to be restored first; an absent class is STANDARD, and "not equal" as well
    deny('DenyOtherStorageClass', 's3:PutObject', objects, {
      Null: { 's3:x-amz-storage-class': 'false' },
      StringNotEquals: { 's3:x-amz-storage-class': 'STANDARD' },
    }),
    deny(
      'DenyForeignDigests',
      's3:PutObject',
      SEALED_FOLDERS.map((prefix) => `${bucketArn}/${prefix}*`),
      allBut(signing.sealerRoleArn),
    ),
    // replication writes under rights of its own, which neither ask for a lock nor for If-None-Match
    deny('DenyReplicationInto', ['s3:ReplicateDelete', 's3:ReplicateObject'], objects),
    deny(
      'DenyGovernanceBypass',
      's3:BypassGovernanceRetention',
      objects,
      allBut(breakGlassRoleArn),
    ),
    // an absent status is "not equal" too; whoever may set a hold needs nothing more than a right of its own
    deny('DenyHoldRelease', 's3:PutObjectLegalHold', objects, {
      StringNotEquals: { 's3:object-lock-legal-hold': 'ON' },
      ArnNotLike: { 'aws:PrincipalArn': `${accountOf(deploymentRoleArn)}:role${HOLD_ROLES_PATH}*` },
    }),
    deny('DenyDeleteMarkers', 's3:DeleteObject', objects),
    deny('DenyVersionDeletion', 's3:DeleteObjectVersion', objects, allBut(breakGlassRoleArn)),
    deny('DenyGuardChanges', GUARD_SETTINGS, bucketArn, allBut(deploymentRoleArn)),
  ];
}

/** What nobody but the deployment role may do to a key that evidence depends on. */
export function keyGuard(deploymentRoleArn: string): GuardStatement {
  // in a key policy, "*" is the key itself
  return deny('DenyGuardChanges', KEY_SETTINGS, '*', {
    ArnNotEquals: { 'aws:PrincipalArn': deploymentRoleArn },
  });
}

/** The whole policy of a signing key, in place of the default one, whose root may do everything. */
export function signingKeyStatements(roles: {
  /** The root of the account, which hands the question on to policies of the account. */
  readonly accountArn: string;
  readonly deploymentRoleArn: string;
  readonly sealerRoleArn: string;
}): GuardStatement[] {
  return [
    allow('AllowManagement', roles.accountArn, MANAGEMENT),
    allow('AllowSealer', roles.sealerRoleArn, ['kms:GetPublicKey', 'kms:Sign']),
    keyGuard(roles.deploymentRoleArn),
  ];
}

/** `arn:aws:iam::<account>` of a role, also where the account is a token of a template. */
function accountOf(roleArn: string): string {
  return roleArn.split(':role/')[0] as string;
}

function allow(Sid: string, roleArn: string, Action: readonly string[]): GuardStatement {
  return { Sid, Effect: 'Allow', Principal: { AWS: roleArn }, Action, Resource: '*' };
}

function deny(
  Sid: string,
  Action: GuardStatement['Action'],
  Resource: GuardStatement['Resource'],
  Condition?: GuardStatement['Condition'],
): GuardStatement {
  const principal = { AWS: '*' };
  return {
    Sid,
    Effect: 'Deny',
    Principal: principal,
    Action,
    Resource,
    ...(Condition && { Condition }),
  };
}
