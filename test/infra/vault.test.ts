import { describe, expect, it } from 'vitest';
import { environments } from '../../lib/config/environments.ts';
import { deniedBy, type PolicyRequest, type Statement } from '../support/policy-evaluator.ts';
import { resourceOf, resourcesOf, templateOf } from '../support/synth.ts';

const DEPLOYMENT_ROLE =
  'arn:aws:iam::111122223333:role/cdk-hnb659fds-cfn-exec-role-111122223333-eu-central-1';

describe.each(['local', 'trial', 'prod'] as const)('vault of %s', (name) => {
  const { retention } = environments[name];
  const vault = resourceOf(templateOf(name, 'data'), 'AWS::S3::Bucket', 'Vault/Bucket');

  it('is locked from creation, by default for the floor', () => {
    expect(vault.Properties.ObjectLockEnabled).toBe(true);
    expect(vault.Properties.ObjectLockConfiguration).toEqual({
      ObjectLockEnabled: 'Enabled',
      Rule: { DefaultRetention: { Days: retention.floorDays, Mode: retention.mode } },
    });
    expect(vault.Properties.VersioningConfiguration).toEqual({ Status: 'Enabled' });
  });

  it('stays when its stack goes or when it is replaced, with its policy', () => {
    const policy = resourceOf(
      templateOf(name, 'data'),
      'AWS::S3::BucketPolicy',
      'Vault/Bucket/Policy',
    );
    for (const resource of [vault, policy]) {
      expect(resource.DeletionPolicy).toBe('Retain');
      expect(resource.UpdateReplacePolicy).toBe('Retain');
    }
  });
});

describe('vault of prod', () => {
  const template = templateOf('prod', 'data');
  const vault = resourceOf(template, 'AWS::S3::Bucket', 'Vault/Bucket').Properties;
  const policy = resourceOf(template, 'AWS::S3::BucketPolicy', 'Vault/Bucket/Policy').Properties;
  const statements: Statement[] = policy.PolicyDocument.Statement;
  const lockedPut = {
    'aws:SecureTransport': 'true',
    's3:if-none-match': '*',
    's3:object-lock-mode': 'COMPLIANCE',
    's3:object-lock-remaining-retention-days': '190',
    's3:object-lock-retain-until-date': '2033-12-01T00:00:00Z',
  };
  const put = (changes: Record<string, string | undefined> = {}): PolicyRequest => {
    const keys = Object.entries({ ...lockedPut, ...changes }).filter(([, value]) => value);
    return { action: 's3:PutObject', on: 'object', keys: Object.fromEntries(keys) };
  };

  it('takes a put over TLS with mode, period and If-None-Match', () => {
    expect(deniedBy(statements, put())).toEqual([]);
  });

  it.each([
    [
      'a day under the floor',
      { 's3:object-lock-remaining-retention-days': '189' },
      'DenyLockBelowFloor',
    ],
    ['another mode', { 's3:object-lock-mode': 'GOVERNANCE' }, 'DenyOtherLockMode'],
    ['no mode', { 's3:object-lock-mode': undefined }, 'DenyOtherLockMode'],
    ['no period', { 's3:object-lock-retain-until-date': undefined }, 'DenyPutWithoutRetainUntil'],
    ['no If-None-Match', { 's3:if-none-match': undefined }, 'DenyPutWithoutIfNoneMatch'],
    ['plain HTTP', { 'aws:SecureTransport': 'false' }, 'DenyPlainHttp'],
  ])('refuses a put with %s', (_, changes, sid) => {
    expect(deniedBy(statements, put(changes))).toEqual([sid]);
  });

  it('refuses to move a lock under the floor or to another mode', () => {
    const change = (changes: Record<string, string>) =>
      deniedBy(statements, { ...put(changes), action: 's3:PutObjectRetention' });

    expect(change({})).toEqual([]);
    expect(change({ 's3:object-lock-remaining-retention-days': '3' })).toEqual([
      'DenyLockBelowFloor',
    ]);
    expect(change({ 's3:object-lock-mode': 'GOVERNANCE' })).toEqual(['DenyOtherLockMode']);
  });

  it.each([
    ['s3:DeleteObject', 'DenyDeleteMarkers'],
    ['s3:DeleteObjectVersion', 'DenyVersionDeletion'],
    ['s3:BypassGovernanceRetention', 'DenyGovernanceBypass'],
  ])('refuses %s to everybody, the deployment role included', (action, sid) => {
    const keys = { 'aws:SecureTransport': 'true', 'aws:PrincipalArn': DEPLOYMENT_ROLE };
    expect(deniedBy(statements, { action, on: 'object', keys })).toEqual([sid]);
  });

  it.each([
    's3:DeleteBucketPolicy',
    's3:PutBucketObjectLockConfiguration',
    's3:PutBucketPolicy',
    's3:PutBucketPublicAccessBlock',
    's3:PutBucketVersioning',
    's3:PutEncryptionConfiguration',
    's3:PutLifecycleConfiguration',
    's3:PutReplicationConfiguration',
  ])('leaves %s to the deployment role', (action) => {
    const as = (principal: string) =>
      deniedBy(statements, {
        action,
        on: 'bucket',
        keys: { 'aws:SecureTransport': 'true', 'aws:PrincipalArn': principal },
      });

    expect(as(DEPLOYMENT_ROLE)).toEqual([]);
    expect(as('arn:aws:iam::111122223333:role/admin')).toEqual(['DenyGuardChanges']);
  });

  it('has only the denies that this file knows, each with its condition', () => {
    const conditions = statements.map(({ Condition, Effect, Sid }) => [Sid, Effect, Condition]);
    expect(conditions).toMatchInlineSnapshot(`
      [
        [
          undefined,
          "Deny",
          {
            "Bool": {
              "aws:SecureTransport": "false",
            },
          },
        ],
        [
          "DenyLockBelowFloor",
          "Deny",
          {
            "NumericLessThan": {
              "s3:object-lock-remaining-retention-days": "190",
            },
          },
        ],
        [
          "DenyOtherLockMode",
          "Deny",
          {
            "StringNotEquals": {
              "s3:object-lock-mode": "COMPLIANCE",
            },
          },
        ],
        [
          "DenyPutWithoutRetainUntil",
          "Deny",
          {
            "Null": {
              "s3:object-lock-retain-until-date": "true",
            },
          },
        ],
        [
          "DenyPutWithoutIfNoneMatch",
          "Deny",
          {
            "Null": {
              "s3:if-none-match": "true",
            },
          },
        ],
        [
          "DenyGovernanceBypass",
          "Deny",
          undefined,
        ],
        [
          "DenyDeleteMarkers",
          "Deny",
          undefined,
        ],
        [
          "DenyGuardChanges",
          "Deny",
          {
            "ArnNotEquals": {
              "aws:PrincipalArn": "arn:aws:iam::111122223333:role/cdk-hnb659fds-cfn-exec-role-111122223333-eu-central-1",
            },
          },
        ],
        [
          "DenyVersionDeletion",
          "Deny",
          undefined,
        ],
      ]
    `);
  });

  it('is encrypted with a key of its own, whose guards only the deployment role changes', () => {
    const [id, key] = resourcesOf(template, 'AWS::KMS::Key').find(([keyId]) =>
      keyId.startsWith('VaultKey'),
    ) as [string, { Properties: Record<string, never> }];

    expect(vault.BucketEncryption.ServerSideEncryptionConfiguration).toEqual([
      {
        BucketKeyEnabled: true,
        ServerSideEncryptionByDefault: {
          KMSMasterKeyID: { 'Fn::GetAtt': [id, 'Arn'] },
          SSEAlgorithm: 'aws:kms',
        },
      },
    ]);
    expect(key.Properties).toMatchObject({
      KeyPolicy: {
        Statement: [
          { Effect: 'Allow' },
          {
            Effect: 'Deny',
            Action: [
              'kms:DisableKey',
              'kms:DisableKeyRotation',
              'kms:PutKeyPolicy',
              'kms:ScheduleKeyDeletion',
            ],
            Condition: { ArnNotEquals: { 'aws:PrincipalArn': DEPLOYMENT_ROLE } },
          },
        ],
      },
    });
  });

  it('expires no version and only ends uploads that were never finished', () => {
    expect(vault.LifecycleConfiguration.Rules).toEqual([
      { AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 }, Status: 'Enabled' },
    ]);
  });

  it('writes access logs into a bucket without a lock', () => {
    const target = vault.LoggingConfiguration.DestinationBucketName.Ref;
    const [, logs] = resourcesOf(template, 'AWS::S3::Bucket').find(([id]) => id === target) as [
      string,
      { Properties: Record<string, unknown> },
    ];
    expect(logs.Properties).not.toHaveProperty('ObjectLockEnabled');
    expect(logs.Properties).not.toHaveProperty('ObjectLockConfiguration');
  });
});

describe('vault under GOVERNANCE', () => {
  it('lets a version go once its lock has ended, so that a trial can be cleaned up', () => {
    const policy = resourceOf(
      templateOf('trial', 'data'),
      'AWS::S3::BucketPolicy',
      'Vault/Bucket/Policy',
    );
    const request = { action: 's3:DeleteObjectVersion', on: 'object' } as const;
    expect(deniedBy(policy.Properties.PolicyDocument.Statement, request)).toEqual([]);
  });
});
