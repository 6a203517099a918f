import { describe, expect, it } from 'vitest';
import { environments } from '../../lib/config/environments.ts';
import { resourceOf, resourcesOf, templateOf } from '../support/synth.ts';

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

  it('is encrypted with a key of its own', () => {
    const [id] = resourcesOf(template, 'AWS::KMS::Key').find(([keyId]) =>
      keyId.startsWith('VaultKey'),
    ) as [string, unknown];

    expect(vault.BucketEncryption.ServerSideEncryptionConfiguration).toEqual([
      {
        BucketKeyEnabled: true,
        ServerSideEncryptionByDefault: {
          KMSMasterKeyID: { 'Fn::GetAtt': [id, 'Arn'] },
          SSEAlgorithm: 'aws:kms',
        },
      },
    ]);
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
