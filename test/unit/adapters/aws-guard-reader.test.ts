import {
  DescribeKeyCommand,
  GetKeyPolicyCommand,
  GetKeyRotationStatusCommand,
  KMSClient,
  KMSServiceException,
} from '@aws-sdk/client-kms';
import {
  GetBucketEncryptionCommand,
  GetBucketLifecycleConfigurationCommand,
  GetBucketLoggingCommand,
  GetBucketOwnershipControlsCommand,
  GetBucketPolicyCommand,
  GetBucketReplicationCommand,
  GetBucketVersioningCommand,
  GetObjectLockConfigurationCommand,
  GetPublicAccessBlockCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { AwsGuardReader } from '../../../lambdas/adapters/aws-guard-reader.ts';
import type { GuardSetting } from '../../../lambdas/domain/audit/guard-policy.ts';
import { auditGuards, expectedGuards } from '../../../lambdas/domain/audit/guards.ts';
import type { Seen } from '../../../lambdas/domain/audit/ports.ts';
import { UnavailableError } from '../../../lambdas/domain/errors.ts';

const s3 = mockClient(S3Client);
const kms = mockClient(KMSClient);
const reader = new AwsGuardReader(new S3Client({}), new KMSClient({}));
const SETTING: GuardSetting = {
  mode: 'GOVERNANCE',
  floorDays: 7,
  bucketArn: 'arn:aws:s3:::vault',
  bucketName: 'vault',
  keyArn: 'arn:aws:kms:eu-central-1:111122223333:key/1',
  accessLogBucketName: 'access-logs',
  hmacKeyArns: ['arn:aws:kms:eu-central-1:111122223333:key/3'],
  signing: {
    keyArns: ['arn:aws:kms:eu-central-1:111122223333:key/2'],
    sealerRoleArn: 'arn:aws:iam::111122223333:role/sealer',
  },
  uploadDays: 1,
  deploymentRoleArn: 'arn:aws:iam::111122223333:role/deploy',
};
const [SIGNING_ARN = ''] = SETTING.signing.keyArns;
const EXPECTED = expectedGuards(SETTING);
const ALL_BLOCKED = {
  BlockPublicAcls: true,
  BlockPublicPolicy: true,
  IgnorePublicAcls: true,
  RestrictPublicBuckets: true,
};

const s3Failure = (name: string, httpStatusCode: number) =>
  new S3ServiceException({ name, $fault: 'client', $metadata: { httpStatusCode } });
const kmsFailure = (name: string) =>
  new KMSServiceException({ name, $fault: 'client', $metadata: { httpStatusCode: 400 } });
const policy = (Statement: readonly unknown[]) => ({
  Policy: JSON.stringify({ Version: '2012-10-17', Statement }),
});

/** What S3 and KMS answer for a vault as it was deployed. */
beforeEach(() => {
  s3.reset();
  kms.reset();
  s3.on(GetBucketPolicyCommand).resolves(policy(EXPECTED.bucket.policy));
  s3.on(GetObjectLockConfigurationCommand).resolves({
    ObjectLockConfiguration: {
      ObjectLockEnabled: 'Enabled',
      Rule: { DefaultRetention: { Mode: 'GOVERNANCE', Days: 7 } },
    },
  });
  s3.on(GetBucketVersioningCommand).resolves({ Status: 'Enabled' });
  s3.on(GetBucketLifecycleConfigurationCommand).resolves({
    Rules: [
      {
        ID: 'generated',
        Status: 'Enabled',
        Filter: { Prefix: '' },
        AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
      },
    ],
  });
  s3.on(GetBucketEncryptionCommand).resolves({
    ServerSideEncryptionConfiguration: {
      Rules: [
        {
          BucketKeyEnabled: true,
          ApplyServerSideEncryptionByDefault: {
            SSEAlgorithm: 'aws:kms',
            KMSMasterKeyID: SETTING.keyArn,
          },
        },
      ],
    },
  });
  s3.on(GetPublicAccessBlockCommand).resolves({ PublicAccessBlockConfiguration: ALL_BLOCKED });
  s3.on(GetBucketOwnershipControlsCommand).resolves({
    OwnershipControls: { Rules: [{ ObjectOwnership: 'BucketOwnerEnforced' }] },
  });
  s3.on(GetBucketLoggingCommand).resolves({
    LoggingEnabled: { TargetBucket: 'access-logs', TargetPrefix: 'vault/' },
  });
  s3.on(GetBucketReplicationCommand).rejects(
    s3Failure('ReplicationConfigurationNotFoundError', 404),
  );
  kms.on(DescribeKeyCommand).resolves({ KeyMetadata: { KeyId: '1', KeyState: 'Enabled' } });
  kms.on(GetKeyPolicyCommand).resolves(policy(EXPECTED.key.policy));
  kms.on(GetKeyPolicyCommand, { KeyId: SIGNING_ARN }).resolves(policy(EXPECTED.signingKey.policy));
  kms.on(GetKeyRotationStatusCommand).resolves({ KeyRotationEnabled: true });
});

const audit = () => auditGuards(SETTING, reader);
const settingsOf = (sight: Seen<object>) =>
  Object.entries(sight) as [string, { status: string; value?: unknown }][];

it('sees a vault that is as it was deployed', async () => {
  expect(await audit()).toEqual({ drift: [], unreadable: [] });
  for (const { args } of s3.calls()) expect(args[0].input).toEqual({ Bucket: 'vault' });
  const keys = kms.calls().map(({ args }) => (args[0].input as { KeyId: string }).KeyId);
  expect(new Set(keys)).toEqual(new Set([SETTING.keyArn, SIGNING_ARN, ...SETTING.hmacKeyArns]));
});

describe('sees drift:', () => {
  const rule = (more: object) => ({
    Rules: [
      { Status: 'Enabled' as const, AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 } },
      { Status: 'Enabled' as const, Filter: { Prefix: '' }, ...more },
    ],
  });
  const cases: [string, () => unknown, string][] = [
    [
      'a rule that expires versions',
      () =>
        s3.on(GetBucketLifecycleConfigurationCommand).resolves(rule({ Expiration: { Days: 1 } })),
      'lifecycle',
    ],
    [
      'no rule at all',
      () =>
        s3
          .on(GetBucketLifecycleConfigurationCommand)
          .rejects(s3Failure('NoSuchLifecycleConfiguration', 404)),
      'lifecycle',
    ],
    [
      'a default lock in years',
      () =>
        s3.on(GetObjectLockConfigurationCommand).resolves({
          ObjectLockConfiguration: {
            ObjectLockEnabled: 'Enabled',
            Rule: { DefaultRetention: { Mode: 'GOVERNANCE', Years: 1 } },
          },
        }),
      'objectLock',
    ],
    [
      'a lock that is not enabled',
      () =>
        s3.on(GetObjectLockConfigurationCommand).resolves({
          ObjectLockConfiguration: { Rule: { DefaultRetention: { Mode: 'GOVERNANCE', Days: 7 } } },
        }),
      'objectLock',
    ],
    [
      'no default lock',
      () =>
        s3.on(GetObjectLockConfigurationCommand).resolves({
          ObjectLockConfiguration: { ObjectLockEnabled: 'Enabled' },
        }),
      'objectLock',
    ],
    [
      'one of four blocks lifted',
      () =>
        s3.on(GetPublicAccessBlockCommand).resolves({
          PublicAccessBlockConfiguration: { ...ALL_BLOCKED, BlockPublicPolicy: false },
        }),
      'publicAccess',
    ],
    [
      'another key',
      () =>
        s3.on(GetBucketEncryptionCommand).resolves({
          ServerSideEncryptionConfiguration: {
            Rules: [
              {
                BucketKeyEnabled: true,
                ApplyServerSideEncryptionByDefault: {
                  SSEAlgorithm: 'aws:kms',
                  KMSMasterKeyID: 'x',
                },
              },
            ],
          },
        }),
      'encryption',
    ],
    [
      'copies to somewhere else',
      () =>
        s3.on(GetBucketReplicationCommand).resolves({
          ReplicationConfiguration: {
            Role: 'arn:aws:iam::111122223333:role/r',
            Rules: [
              { Status: 'Disabled', Destination: { Bucket: 'arn:aws:s3:::off' } },
              { Status: 'Enabled', Destination: { Bucket: 'arn:aws:s3:::elsewhere' } },
            ],
          },
        }),
      'replication',
    ],
    ['no access log', () => s3.on(GetBucketLoggingCommand).resolves({}), 'accessLogs'],
    ['a suspended bucket', () => s3.on(GetBucketVersioningCommand).resolves({}), 'versioning'],
    [
      'a disabled key',
      () =>
        kms
          .on(DescribeKeyCommand, { KeyId: SETTING.keyArn })
          .resolves({ KeyMetadata: { KeyId: '1', KeyState: 'Disabled' } }),
      'state',
    ],
    [
      'a key that is gone',
      () =>
        kms
          .on(DescribeKeyCommand, { KeyId: SETTING.keyArn })
          .rejects(kmsFailure('NotFoundException')),
      'state',
    ],
  ];

  it.each(cases)('%s', async (_, arrange, setting) => {
    arrange();
    const { drift, unreadable } = await audit();
    expect(drift.map((change) => change.setting)).toEqual([setting]);
    expect(unreadable).toEqual([]);
  });

  it('a rule that is switched off is none', async () => {
    const { Rules } = rule({});
    s3.on(GetBucketLifecycleConfigurationCommand).resolves({
      Rules: [
        Rules[0] as (typeof Rules)[0],
        { Status: 'Disabled', Filter: { Prefix: '' }, Expiration: { Days: 1 } },
      ],
    });
    expect((await audit()).drift).toEqual([]);
  });
});

it('does not ask for the rotation of a key that cannot', async () => {
  await reader.key('key', false);
  expect(kms.commandCalls(GetKeyRotationStatusCommand)).toEqual([]);
});

describe('a lost right', () => {
  it('is "denied" for every setting, never "not set"', async () => {
    s3.onAnyCommand().rejects(s3Failure('AccessDenied', 403));
    kms.onAnyCommand().rejects(kmsFailure('AccessDeniedException'));
    const sights = [await reader.bucket('vault'), await reader.key('key', true)];
    for (const [, look] of sights.flatMap(settingsOf)) expect(look).toEqual({ status: 'denied' });
  });

  it('hides the one setting that it is about', async () => {
    s3.on(GetBucketPolicyCommand).rejects(s3Failure('AccessDenied', 403));
    expect(await audit()).toEqual({ drift: [], unreadable: ['vault/policy'] });
  });
});

describe('an outage', () => {
  it.each([
    [
      'S3',
      () => s3.on(GetBucketLoggingCommand).rejects(s3Failure('SlowDown', 503)),
      's3_unavailable',
    ],
    [
      'KMS',
      () => kms.on(DescribeKeyCommand).rejects(kmsFailure('KMSInternalException')),
      'kms_unavailable',
    ],
    [
      'the network',
      () => s3.on(GetBucketLoggingCommand).rejects(new Error('connect ECONNREFUSED')),
      's3_unavailable',
    ],
  ])('of %s is no drift', async (_, arrange, code) => {
    arrange();
    await expect(audit()).rejects.toThrow(UnavailableError);
    await expect(audit()).rejects.toMatchObject({ code });
  });
});
