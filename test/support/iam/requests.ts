import type { EnvironmentConfig } from '../../../lib/config/environment-config.ts';
import type { Deployment } from './deployment.ts';
import { type AccessRequest, type Caller, evaluate } from './evaluate.ts';
import type { PolicyDocument } from './policy.ts';

const ACCOUNT = '111122223333';
export const DEPLOYMENT_ROLE = `arn:aws:iam::${ACCOUNT}:role/cdk-hnb659fds-cfn-exec-role-${ACCOUNT}-eu-central-1`;
export const BREAK_GLASS_ROLE = `arn:aws:iam::${ACCOUNT}:role/break-glass`;

const may = (...Action: string[]): PolicyDocument[] => [
  { Statement: { Effect: 'Allow', Action, Resource: '*' } },
];
const identity = (arn: string, ...actions: string[]): Caller => ({
  kind: 'identity',
  arn,
  policies: actions.length > 0 ? may(...actions) : [],
});

/** Everyone whom the table asks for: every role of the app, and others, each with all that it could be allowed elsewhere. */
export function callersOf(deployment: Deployment): Readonly<Record<string, Caller>> {
  return {
    ...deployment.roles(),
    deployment: identity(DEPLOYMENT_ROLE, '*'),
    'break-glass': identity(BREAK_GLASS_ROLE, 's3:*'),
    admin: identity(`arn:aws:iam::${ACCOUNT}:role/admin`, '*'),
    'role named like ours': identity(`arn:aws:iam::${ACCOUNT}:role/holds/FrontDoorHolds`, '*'),
    root: identity(`arn:aws:iam::${ACCOUNT}:root`),
    stranger: identity(`arn:aws:iam::${ACCOUNT}:role/stranger`),
    'another account': identity('arn:aws:iam::444455556666:role/admin', '*'),
    anybody: { kind: 'anonymous' },
    s3: { kind: 'service', service: 's3.amazonaws.com' },
  };
}

const CLOSED = 'the key policy neither allows it nor leaves it to the account';

/** Whoever may do everything in the account. */
export const MASTERS = ['deployment', 'admin', 'role named like ours', 'root'];

export interface Asked {
  readonly action: string;
  readonly on?: 'bucket' | 'object' | 'digest' | 'publicKey' | 'key' | 'hmacKey' | 'signingKey';
  readonly context?: Record<string, string | undefined>;
}

/** What happens, who is allowed, and what everybody else is told: the statements that deny, or why nothing allows. */
export type Row = readonly [string, Asked, readonly string[], string];

/** What the store itself sends when it writes. */
export const lockedPut =
  (config: EnvironmentConfig) =>
  (changes: Asked['context'] = {}): Asked => ({
    action: 's3:PutObject',
    context: {
      's3:if-none-match': '*',
      's3:object-lock-mode': config.retention.mode,
      's3:object-lock-remaining-retention-days': `${config.retention.floorDays}`,
      's3:object-lock-retain-until-date': '2033-12-01T00:00:00Z',
      ...changes,
    },
  });

/** The answer to a request about the vault or its key: `allowed`, the statements that deny, or why nothing allows. */
export function asking(deployment: Deployment) {
  const vault = deployment.bucket('Vault/Bucket');
  const key = deployment.key('Vault/Key');
  const hmacKey = deployment.key('HmacKeys/Epoch0');
  const signingKey = deployment.key('Signing/Key0');
  const guarded = {
    bucket: vault,
    object: vault,
    digest: vault,
    publicKey: vault,
    key,
    hmacKey,
    signingKey,
  };
  return (caller: Caller, { action, context = {}, on = 'object' }: Asked): string => {
    const present = Object.entries({ 'aws:SecureTransport': 'true', ...context }).filter(
      (entry): entry is [string, string] => entry[1] !== undefined,
    );
    const resources = {
      bucket: vault.arn,
      object: `${vault.arn}/lineage/class=standard/dt=2026-11-30/hour=07/x.ndjson.gz`,
      digest: `${vault.arn}/digests/dt=2026-11-30/070000.json`,
      publicKey: `${vault.arn}/public-keys/ab.pem`,
      key: key.arn,
      hmacKey: hmacKey.arn,
      signingKey: signingKey.arn,
    };
    const request: AccessRequest = {
      caller,
      action,
      resource: resources[on],
      context: Object.fromEntries(present),
    };
    const { allowed, by, why } = evaluate(request, guarded[on]);
    if (allowed) return 'allowed';
    return by.map((label) => label.replace('resource ', '')).join(', ') || why;
  };
}

/** A key is closed to those whom its policy does not even hand on to their account. */
export function refusalOf(caller: string, { on }: Asked, otherwise: string): string {
  const isKey = on === 'key' || on === 'hmacKey' || on === 'signingKey';
  if (isKey && caller === 'another account' && otherwise === CLOSED) return 'nothing allows it';
  const isOutside = isKey && ['anybody', 's3'].includes(caller);
  return isOutside && otherwise === 'nothing allows it' ? CLOSED : otherwise;
}

const GUARD_SETTINGS = [
  's3:DeleteBucket',
  's3:PutBucketAcl',
  's3:PutBucketLogging',
  's3:PutBucketObjectLockConfiguration',
  's3:PutBucketOwnershipControls',
  's3:PutBucketPublicAccessBlock',
  's3:PutBucketVersioning',
  's3:PutEncryptionConfiguration',
  's3:PutInventoryConfiguration',
  's3:PutLifecycleConfiguration',
  's3:PutReplicationConfiguration',
];

/** Functions that read or write the vault, whose objects are encrypted with its key. */
const READERS = [
  ...['archive', 'archive-traces', 'audit-retention', 'holds', 'producers', 'query'],
  ...['rebuild-index', 'reconcile-holds', 'redrive', 'report-rejections', 'seal', 'verify'],
];

/** The table of requests about the vault and the keys. */
export function requestsTo(deployment: Deployment, config: EnvironmentConfig): Row[] {
  const keyArn = deployment.key('Vault/Key').arn;
  const put = lockedPut(config);
  const { guards, retention } = config;
  const { floorDays, mode } = retention;
  const retain = (changes: Asked['context']): Asked => ({
    action: 's3:PutObjectRetention',
    context: { ...put(changes).context, 's3:if-none-match': undefined },
  });
  const days = (count: number) => ({ 's3:object-lock-remaining-retention-days': `${count}` });
  const other = mode === 'COMPLIANCE' ? 'GOVERNANCE' : 'COMPLIANCE';
  const unlocked = {
    's3:object-lock-mode': undefined,
    's3:object-lock-remaining-retention-days': undefined,
    's3:object-lock-retain-until-date': undefined,
  };
  const plain = { 'aws:SecureTransport': 'false' };
  return [
    [
      'a put with lock, period and If-None-Match',
      put(),
      ['archive', 'break-glass', ...MASTERS],
      'nothing allows it',
    ],
    ['a put a day under the floor', put(days(floorDays - 1)), [], 'DenyLockBelowFloor'],
    ['a put in the other mode', put({ 's3:object-lock-mode': other }), [], 'DenyOtherLockMode'],
    ['a put without mode', put({ 's3:object-lock-mode': undefined }), [], 'DenyOtherLockMode'],
    [
      'a put without any lock header',
      put(unlocked),
      [],
      'DenyOtherLockMode, DenyPutWithoutRetainUntil',
    ],
    [
      'a put over what stands there',
      put({ 's3:if-none-match': undefined }),
      [],
      'DenyPutWithoutIfNoneMatch',
    ],
    [
      "a put under a key of the caller's",
      put({ 's3:x-amz-server-side-encryption-customer-algorithm': 'AES256' }),
      [],
      'DenyCustomerKeys',
    ],
    [
      'a put under another KMS key',
      put({
        's3:x-amz-server-side-encryption-aws-kms-key-id': `arn:aws:kms:eu-central-1:${ACCOUNT}:key/other`,
      }),
      [],
      'DenyOtherKmsKeys',
    ],
    [
      'a put under the key of the vault by name',
      put({ 's3:x-amz-server-side-encryption-aws-kms-key-id': keyArn }),
      ['archive', 'break-glass', ...MASTERS],
      'nothing allows it',
    ],
    ...['GLACIER', 'DEEP_ARCHIVE', 'ONEZONE_IA', 'INTELLIGENT_TIERING'].map(
      (name): Row => [
        `a put into ${name}`,
        put({ 's3:x-amz-storage-class': name }),
        [],
        'DenyOtherStorageClass',
      ],
    ),
    [
      'a put into STANDARD by name',
      put({ 's3:x-amz-storage-class': 'STANDARD' }),
      ['archive', 'break-glass', ...MASTERS],
      'nothing allows it',
    ],
    ['a put over plain HTTP', put(plain), [], 'DenyPlainHttp'],
    [
      'a read over plain HTTP',
      { action: 's3:GetObjectVersion', context: plain },
      [],
      'DenyPlainHttp',
    ],
    [
      'a longer lock',
      retain(days(floorDays + 90)),
      ['archive', 'audit-retention', 'break-glass', ...MASTERS],
      'nothing allows it',
    ],
    ['a lock under the floor', retain(days(floorDays - 1)), [], 'DenyLockBelowFloor'],
    ['a lock of the other mode', retain({ 's3:object-lock-mode': other }), [], 'DenyOtherLockMode'],
    ['a lock taken off', retain(unlocked), [], 'DenyOtherLockMode'],
    [
      'a version deleted',
      { action: 's3:DeleteObjectVersion' },
      guards.breakGlassRoleArn ? ['break-glass'] : [],
      'DenyVersionDeletion',
    ],
    [
      'a bypass of GOVERNANCE',
      { action: 's3:BypassGovernanceRetention' },
      guards.breakGlassRoleArn ? ['break-glass'] : [],
      'DenyGovernanceBypass',
    ],
    ['a delete marker', { action: 's3:DeleteObject' }, [], 'DenyDeleteMarkers'],
    ['a replica of another bucket', { action: 's3:ReplicateObject' }, [], 'DenyReplicationInto'],
    ['a replicated delete', { action: 's3:ReplicateDelete' }, [], 'DenyReplicationInto'],
    [
      'a legal hold set',
      { action: 's3:PutObjectLegalHold', context: { 's3:object-lock-legal-hold': 'ON' } },
      ['archive', 'holds', 'reconcile-holds', 'break-glass', ...MASTERS],
      'nothing allows it',
    ],
    [
      'a legal hold lifted',
      { action: 's3:PutObjectLegalHold', context: { 's3:object-lock-legal-hold': 'OFF' } },
      ['holds', 'reconcile-holds'],
      'DenyHoldRelease',
    ],
    ...GUARD_SETTINGS.map(
      (action): Row => [action, { action, on: 'bucket' }, ['deployment'], 'DenyGuardChanges'],
    ),
    // the root user keeps these two: only an organisation takes them away
    ...['s3:PutBucketPolicy', 's3:DeleteBucketPolicy'].map(
      (action): Row => [
        action,
        { action, on: 'bucket' },
        ['deployment', 'root'],
        'DenyGuardChanges',
      ],
    ),
    ...(['key', 'hmacKey'] as const).flatMap((on) =>
      ['DisableKey', 'DisableKeyRotation', 'PutKeyPolicy', 'ScheduleKeyDeletion'].map(
        (name): Row => [
          `kms:${name} of the key of ${on === 'key' ? 'the vault' : 'HMAC keys'}`,
          { action: `kms:${name}`, on },
          ['deployment'],
          'DenyGuardChanges',
        ],
      ),
    ),
    ...['DisableKey', 'PutKeyPolicy', 'ScheduleKeyDeletion'].map(
      (name): Row => [
        `kms:${name} of the signing key`,
        { action: `kms:${name}`, on: 'signingKey' },
        ['deployment'],
        'DenyGuardChanges',
      ],
    ),
    ['a signature', { action: 'kms:Sign', on: 'signingKey' }, ['seal'], CLOSED],
    ['a grant to sign', { action: 'kms:CreateGrant', on: 'signingKey' }, [], CLOSED],
    [
      'the public key',
      { action: 'kms:GetPublicKey', on: 'signingKey' },
      ['seal', ...MASTERS],
      'nothing allows it',
    ],
    ['a digest', { ...put(), on: 'digest' }, ['seal'], 'DenyForeignDigests'],
    ['a public key put', { ...put(), on: 'publicKey' }, ['seal'], 'DenyForeignDigests'],
    [
      'a longer lock of a digest',
      { ...retain(days(floorDays + 90)), on: 'digest' },
      ['seal', 'audit-retention', 'break-glass', ...MASTERS],
      'nothing allows it',
    ],
    [
      'kms:Decrypt',
      { action: 'kms:Decrypt', on: 'key' },
      READERS.concat(MASTERS),
      'nothing allows it',
    ],
  ];
}
