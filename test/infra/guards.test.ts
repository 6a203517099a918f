import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type GuardSetting,
  keyGuard,
  vaultStatements,
} from '../../lambdas/domain/audit/guard-policy.ts';
import { expectedGuards } from '../../lambdas/domain/audit/guards.ts';
import { lockFor } from '../../lambdas/domain/evidence/retention.ts';
import type { EnvironmentConfig } from '../../lib/config/environment-config.ts';
import { environments } from '../../lib/config/environments.ts';
import { retentionSetting } from '../../lib/config/retention-setting.ts';
import { guardSetting } from '../../lib/constructs/guard-setting.ts';
import { Deployment } from '../support/iam/deployment.ts';
import { type AccessRequest, type Caller, evaluate } from '../support/iam/evaluate.ts';
import { listed, type PolicyDocument } from '../support/iam/policy.ts';
import { createStage, resourceOf, stageOf, templateOf } from '../support/synth.ts';

const ACCOUNT = '111122223333';
const DEPLOYMENT_ROLE = `arn:aws:iam::${ACCOUNT}:role/cdk-hnb659fds-cfn-exec-role-${ACCOUNT}-eu-central-1`;
const BREAK_GLASS_ROLE = `arn:aws:iam::${ACCOUNT}:role/break-glass`;
const DAY_MILLIS = 86_400_000;

const may = (...Action: string[]): PolicyDocument[] => [
  { Statement: { Effect: 'Allow', Action, Resource: '*' } },
];
const identity = (arn: string, ...actions: string[]): Caller => ({
  kind: 'identity',
  arn,
  policies: actions.length > 0 ? may(...actions) : [],
});

/** Everyone whom the tables ask for, each with all that it could be allowed elsewhere. */
const callersOf = (deployment: Deployment) =>
  ({
    archive: deployment.role('pipeline', 'ArchiveLine/Archive/Role'),
    query: deployment.role('pipeline', 'FrontDoor/Query/Role'),
    sealer: deployment.role('data', 'Signing/Role'),
    audit: deployment.role('pipeline', 'RetentionAudit/AuditRetention/Role'),
    deployment: identity(DEPLOYMENT_ROLE, '*'),
    breakGlass: identity(BREAK_GLASS_ROLE, 's3:*'),
    admin: identity(`arn:aws:iam::${ACCOUNT}:role/admin`, '*'),
    root: identity(`arn:aws:iam::${ACCOUNT}:root`),
    stranger: identity(`arn:aws:iam::${ACCOUNT}:role/stranger`),
    otherAccount: identity('arn:aws:iam::444455556666:role/admin', '*'),
    anybody: { kind: 'anonymous' },
    s3: { kind: 'service', service: 's3.amazonaws.com' },
  }) satisfies Record<string, Caller>;

type CallerName = keyof ReturnType<typeof callersOf>;

const CLOSED = 'the key policy neither allows it nor leaves it to the account';

/** Whoever may do everything in the account. */
const MASTERS = ['deployment', 'admin', 'root'] as const satisfies CallerName[];

interface Asked {
  readonly action: string;
  readonly on?: 'bucket' | 'object' | 'digest' | 'publicKey' | 'key' | 'hmacKey' | 'signingKey';
  readonly context?: Record<string, string | undefined>;
}

/** What happens, who is allowed, and what everybody else is told. */
type Row = readonly [string, Asked, readonly CallerName[], string];

/** What the store itself sends when it writes. */
const lockedPut =
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
function asking(deployment: Deployment) {
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

const commonRows = (config: EnvironmentConfig, deployment: Deployment): Row[] => {
  const keyArn = deployment.key('Vault/Key').arn;
  const put = lockedPut(config);
  const { floorDays, mode } = config.retention;
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
      ['archive', 'breakGlass', ...MASTERS],
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
      ['archive', 'breakGlass', ...MASTERS],
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
      ['archive', 'breakGlass', ...MASTERS],
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
      ['archive', 'audit', 'breakGlass', ...MASTERS],
      'nothing allows it',
    ],
    ['a lock under the floor', retain(days(floorDays - 1)), [], 'DenyLockBelowFloor'],
    ['a lock of the other mode', retain({ 's3:object-lock-mode': other }), [], 'DenyOtherLockMode'],
    ['a lock taken off', retain(unlocked), [], 'DenyOtherLockMode'],
    ['a delete marker', { action: 's3:DeleteObject' }, [], 'DenyDeleteMarkers'],
    ['a replica of another bucket', { action: 's3:ReplicateObject' }, [], 'DenyReplicationInto'],
    ['a replicated delete', { action: 's3:ReplicateDelete' }, [], 'DenyReplicationInto'],
    [
      'a legal hold',
      { action: 's3:PutObjectLegalHold' },
      ['breakGlass', ...MASTERS],
      'nothing allows it',
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
          `kms:${name} of the ${on}`,
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
    ['a signature', { action: 'kms:Sign', on: 'signingKey' }, ['sealer'], CLOSED],
    ['a grant to sign', { action: 'kms:CreateGrant', on: 'signingKey' }, [], CLOSED],
    [
      'the public key',
      { action: 'kms:GetPublicKey', on: 'signingKey' },
      ['sealer', ...MASTERS],
      'nothing allows it',
    ],
    ['a digest', { ...put(), on: 'digest' }, ['sealer'], 'DenyForeignDigests'],
    ['a public key put', { ...put(), on: 'publicKey' }, ['sealer'], 'DenyForeignDigests'],
    [
      'a longer lock of a digest',
      { ...retain(days(floorDays + 90)), on: 'digest' },
      ['sealer', 'audit', 'breakGlass', ...MASTERS],
      'nothing allows it',
    ],
    [
      'kms:Decrypt',
      { action: 'kms:Decrypt', on: 'key' },
      ['archive', 'query', 'sealer', 'audit', ...MASTERS],
      'nothing allows it',
    ],
  ];
};

function itAnswers(deployment: Deployment, rows: readonly Row[]): void {
  const callers = callersOf(deployment);
  const ask = asking(deployment);
  it.each(rows)('%s', (_, asked, allowed, otherwise) => {
    const answers = Object.entries(callers).map(([name, caller]) => [name, ask(caller, asked)]);
    const expected = Object.keys(callers).map((name) => [
      name,
      allowed.includes(name as CallerName) ? 'allowed' : closedKey(name, asked, otherwise),
    ]);
    expect(Object.fromEntries(answers)).toEqual(Object.fromEntries(expected));
  });
}

/** A key is closed to those whom its policy does not even hand on to their account. */
function closedKey(caller: string, { on }: Asked, otherwise: string): string {
  const isKey = on === 'key' || on === 'hmacKey' || on === 'signingKey';
  if (isKey && caller === 'otherAccount' && otherwise === CLOSED) return 'nothing allows it';
  const isOutside = isKey && ['anybody', 's3'].includes(caller);
  return isOutside && otherwise === 'nothing allows it' ? CLOSED : otherwise;
}

describe('guards of prod', () => {
  const deployment = new Deployment(stageOf('prod'));
  itAnswers(deployment, [
    ...commonRows(environments.prod, deployment),
    ['a version deleted', { action: 's3:DeleteObjectVersion' }, [], 'DenyVersionDeletion'],
    ['a bypass', { action: 's3:BypassGovernanceRetention' }, [], 'DenyGovernanceBypass'],
  ]);

  it('are the statements that the drift check expects, and no others', () => {
    const { arn, policy } = deployment.bucket('Vault/Bucket');
    const expected = vaultStatements({
      ...environments.prod.retention,
      bucketArn: arn,
      keyArn: deployment.key('Vault/Key').arn,
      deploymentRoleArn: DEPLOYMENT_ROLE,
      signing: { sealerRoleArn: callersOf(deployment).sealer.arn },
    });
    expect(policy?.Statement).toEqual(expected);
    expect(listed(deployment.key('Vault/Key').policy?.Statement).slice(1)).toEqual([
      keyGuard(DEPLOYMENT_ROLE),
    ]);
  });

  it('are the settings that the drift check expects', () => {
    const { data } = stageOf('prod');
    const stated = data.resolve(guardSetting(data.resources));
    const setting = deployment.resolve(stated, 'data') as GuardSetting;
    const { bucket, key, signingKey } = expectedGuards(setting);
    const vault = resourceOf(templateOf('prod', 'data'), 'AWS::S3::Bucket', 'Vault/Bucket');
    const standing = deployment.resolve(vault.Properties, 'data');
    expect(standing).toMatchObject({
      BucketEncryption: {
        ServerSideEncryptionConfiguration: [
          {
            BucketKeyEnabled: bucket.encryption.bucketKey,
            ServerSideEncryptionByDefault: {
              KMSMasterKeyID: bucket.encryption.keyArn,
              SSEAlgorithm: bucket.encryption.algorithm,
            },
          },
        ],
      },
      LifecycleConfiguration: {
        Rules: [
          { AbortIncompleteMultipartUpload: { DaysAfterInitiation: bucket.lifecycle.uploadDays } },
        ],
      },
      LoggingConfiguration: { DestinationBucketName: bucket.accessLogs },
      ObjectLockConfiguration: {
        Rule: {
          DefaultRetention: { Days: bucket.objectLock.days, Mode: bucket.objectLock.mode },
        },
      },
      OwnershipControls: { Rules: [{ ObjectOwnership: bucket.ownership }] },
      VersioningConfiguration: { Status: bucket.versioning },
    });
    expect(Object.values(vault.Properties.PublicAccessBlockConfiguration)).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(deployment.bucket('Vault/Bucket').policy?.Statement).toEqual(bucket.policy);
    expect(deployment.key('Vault/Key').policy?.Statement).toEqual(key.policy);
    expect(deployment.key('HmacKeys/Epoch0').policy?.Statement).toEqual(key.policy);
    expect(deployment.key('Signing/Key0').policy?.Statement).toEqual(signingKey.policy);
    expect(setting.hmacKeyArns).toEqual([deployment.key('HmacKeys/Epoch0').arn]);
    expect(setting.signing.keyArns).toEqual([deployment.key('Signing/Key0').arn]);
  });

  it('fit into a variable of a function', () => {
    const { data } = stageOf('prod');
    const setting = deployment.resolve(data.resolve(guardSetting(data.resources)), 'data');
    expect(JSON.stringify(setting).length).toBeLessThan(1_000); // of the 4 KB that Lambda gives all of them
  });
});

describe('guards of a trial', () => {
  const deployment = new Deployment(stageOf('trial'));
  itAnswers(deployment, [
    ...commonRows(environments.trial, deployment),
    ['a version deleted', { action: 's3:DeleteObjectVersion' }, [], 'DenyVersionDeletion'],
    ['a bypass', { action: 's3:BypassGovernanceRetention' }, [], 'DenyGovernanceBypass'],
  ]);
});

describe('guards of a trial with a break-glass role', () => {
  const config = { ...environments.trial, guards: { breakGlassRoleArn: BREAK_GLASS_ROLE } };
  const stage = createStage(config);
  stage.synth();
  const deployment = new Deployment(stage);
  itAnswers(deployment, [
    ...commonRows(config, deployment),
    [
      'a version deleted',
      { action: 's3:DeleteObjectVersion' },
      ['breakGlass'],
      'DenyVersionDeletion',
    ],
    [
      'a bypass',
      { action: 's3:BypassGovernanceRetention' },
      ['breakGlass'],
      'DenyGovernanceBypass',
    ],
  ]);
});

describe.each(['local', 'trial', 'prod'] as const)(
  'locks that the store asks for in %s',
  (name) => {
    const deployment = new Deployment(stageOf(name));
    const config = environments[name];
    const retention = retentionSetting(config);
    const ask = asking(deployment);
    const { archive } = callersOf(deployment);
    const now = Date.parse('2026-11-30T12:34:56Z');

    /** The answer to a lock by the formula of the store, for something accepted so many days ago. */
    const locked = (action: string, periodDays: number, ageDays: number) => {
      const { retainUntil } = lockFor(retention, periodDays, now - ageDays * DAY_MILLIS, now);
      // S3 documents no rounding: what is left of a day is not counted
      const remaining = Math.floor((Date.parse(retainUntil) - now) / DAY_MILLIS);
      const context = {
        ...lockedPut(config)().context,
        's3:object-lock-remaining-retention-days': `${remaining}`,
      };
      return ask(archive, { action, context });
    };

    it('are writable after a backlog of two days', () => {
      expect(locked('s3:PutObject', retention.lineageDays, 2)).toBe('allowed');
    });

    it('are writable when a trace is promoted after all of staging', () => {
      expect(locked('s3:PutObject', retention.traceDays, config.stagingDays)).toBe('allowed');
    });

    it('are writable as an extension in the last days of a lock', () => {
      const age = retention.lineageDays + retention.slackDays - 1;
      expect(locked('s3:PutObjectRetention', retention.lineageDays, age)).toBe('allowed');
    });

    it('are writable whatever the age, because the formula never goes below the floor', () => {
      const periods = fc.constantFrom(
        retention.lineageDays,
        retention.traceDays,
        retention.recordDays,
      );
      fc.assert(
        fc.property(periods, fc.double({ min: 0, max: 40_000, noNaN: true }), (period, age) => {
          expect(locked('s3:PutObject', period, age)).toBe('allowed');
          expect(locked('s3:PutObjectRetention', period, age)).toBe('allowed');
        }),
        { numRuns: 50 },
      );
    });

    it('would be refused without the clamp', () => {
      const context = {
        ...lockedPut(config)().context,
        's3:object-lock-remaining-retention-days': `${retention.floorDays - 1}`,
      };
      expect(ask(archive, { action: 's3:PutObjectRetention', context })).toBe('DenyLockBelowFloor');
    });
  },
);
