import { readFileSync } from 'node:fs';
import { Template } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, it } from 'vitest';
import { environments } from '../../lib/config/environments.ts';
import { Deployment } from '../support/iam/deployment.ts';
import { evaluate, type Guarded } from '../support/iam/evaluate.ts';
import type { PolicyDocument } from '../support/iam/policy.ts';
import { createStage, resourceOf, templateOf } from '../support/synth.ts';

const REPLICA_ACCOUNT = '444455556666';
const replica = {
  bucketArn: 'arn:aws:s3:::evidence-replica',
  kmsKeyArn: `arn:aws:kms:eu-west-1:${REPLICA_ACCOUNT}:key/1`,
};
const stage = createStage({ ...environments.prod, replica });
stage.synth();
const deployment = new Deployment(stage);
const role = deployment.role('data', 'Vault/Replication/Role');

/** The policy that docs/retention-and-deletion.md gives to whoever keeps the copies. */
const destination: Guarded = {
  accountId: REPLICA_ACCOUNT,
  policy: JSON.parse(
    readFileSync(new URL('../../docs/replica-bucket-policy.json', import.meta.url), 'utf8')
      .replaceAll('REPLICATION_ROLE_ARN', role.arn)
      .replaceAll('REPLICA_BUCKET', 'evidence-replica'),
  ) as PolicyDocument,
};

describe('the vault', () => {
  it('is copied with locks and without delete markers, to another owner and key', () => {
    const { Properties } = resourceOf(
      Template.fromStack(stage.data),
      'AWS::S3::Bucket',
      'Vault/Bucket',
    );
    expect(deployment.resolve(Properties.ReplicationConfiguration, 'data')).toEqual({
      Role: role.arn,
      Rules: [
        {
          Id: 'vault',
          Status: 'Enabled',
          Priority: 0,
          Filter: { Prefix: '' },
          DeleteMarkerReplication: { Status: 'Disabled' },
          SourceSelectionCriteria: { SseKmsEncryptedObjects: { Status: 'Enabled' } },
          Destination: {
            Bucket: replica.bucketArn,
            Account: REPLICA_ACCOUNT,
            AccessControlTranslation: { Owner: 'Destination' },
            EncryptionConfiguration: { ReplicaKmsKeyID: replica.kmsKeyArn },
            Metrics: { Status: 'Enabled' },
          },
        },
      ],
    });
  });

  it('stays with its owner when the copy lies in another region of the account', () => {
    const kmsKeyArn = 'arn:aws:kms:eu-west-1:111122223333:key/1';
    const near = createStage({ ...environments.prod, replica: { ...replica, kmsKeyArn } });
    near.synth();
    const { Properties } = resourceOf(
      Template.fromStack(near.data),
      'AWS::S3::Bucket',
      'Vault/Bucket',
    );
    const [{ Destination }] = Properties.ReplicationConfiguration.Rules;
    expect(Object.keys(Destination).sort()).toEqual([
      'Bucket',
      'EncryptionConfiguration',
      'Metrics',
    ]);
    expect(
      JSON.stringify(new Deployment(near).role('data', 'Vault/Replication/Role')),
    ).not.toContain('ObjectOwnerOverride');
  });

  it('is copied nowhere by default', () => {
    const { Properties } = resourceOf(
      templateOf('prod', 'data'),
      'AWS::S3::Bucket',
      'Vault/Bucket',
    );
    expect(Properties).not.toHaveProperty('ReplicationConfiguration');
    expect(templateOf('prod', 'data').findOutputs('ReplicationRoleArn')).toEqual({});
  });

  it('gives cdk-nag nothing to say', () => {
    expect(new AwsSolutionsChecks().validateScope(stage).violations).toEqual([]);
  });
});

describe('the replication role', () => {
  const vault = deployment.bucket('Vault/Bucket');
  const key = deployment.key('Vault/Key');
  const tls = { 'aws:SecureTransport': 'true' };

  it.each([
    's3:GetObjectVersionForReplication',
    's3:GetObjectVersionAcl',
    's3:GetObjectVersionTagging',
    's3:GetObjectRetention',
    's3:GetObjectLegalHold',
  ])('may %s, whatever the vault denies', (action) => {
    const resource = `${vault.arn}/lineage/x`;
    expect(evaluate({ caller: role, action, resource, context: tls }, vault).allowed).toBe(true);
  });

  it.each(['s3:GetReplicationConfiguration', 's3:ListBucket'])('may %s', (action) => {
    const request = { caller: role, action, resource: vault.arn, context: tls };
    expect(evaluate(request, vault).allowed).toBe(true);
  });

  it('decrypts through S3 in the region of the vault only', () => {
    const via = (service: string) =>
      evaluate(
        {
          caller: role,
          action: 'kms:Decrypt',
          resource: key.arn,
          context: { 'kms:ViaService': service },
        },
        key,
      ).allowed;
    expect(via('s3.eu-central-1.amazonaws.com')).toBe(true);
    expect(via('s3.eu-west-1.amazonaws.com')).toBe(false);
    expect(via('lambda.eu-central-1.amazonaws.com')).toBe(false);
  });

  it.each(['s3:PutObject', 's3:DeleteObjectVersion', 's3:PutObjectRetention'])(
    'may not %s in the vault',
    (action) => {
      const request = { caller: role, action, resource: `${vault.arn}/lineage/x`, context: tls };
      expect(evaluate(request, vault).allowed).toBe(false);
    },
  );

  it('is all that S3 may be', () => {
    const { Properties } = resourceOf(
      Template.fromStack(stage.data),
      'AWS::IAM::Role',
      'Vault/Replication/Role',
    );
    expect(Properties.AssumeRolePolicyDocument.Statement).toEqual([
      {
        Action: 'sts:AssumeRole',
        Effect: 'Allow',
        Principal: { Service: 's3.amazonaws.com' },
      },
    ]);
  });
});

describe('the bucket policy for the copies in docs/replica-bucket-policy.json', () => {
  const ask = (
    action: string,
    { caller = role as Parameters<typeof evaluate>[0]['caller'], context = {}, on = 'object' } = {},
  ) => {
    const resource = on === 'object' ? `${replica.bucketArn}/lineage/x` : replica.bucketArn;
    return evaluate(
      { caller, action, resource, context: { 'aws:SecureTransport': 'true', ...context } },
      destination,
    );
  };
  const owner = {
    kind: 'identity',
    arn: `arn:aws:iam::${REPLICA_ACCOUNT}:role/admin`,
    policies: [{ Statement: { Effect: 'Allow', Action: '*', Resource: '*' } }],
  } as const;
  const days = (count: number) => ({ 's3:object-lock-remaining-retention-days': `${count}` });

  it.each(['s3:ReplicateObject', 's3:ReplicateTags', 's3:ObjectOwnerOverrideToBucketOwner'])(
    'lets the replication role %s',
    (action) => {
      expect(ask(action, { context: days(190) }).why).toBe('allowed by both accounts');
    },
  );

  it('takes a copy whose lock has only days left, and none whose lock has ended', () => {
    expect(ask('s3:ReplicateObject', { context: days(1) }).allowed).toBe(true);
    expect(ask('s3:ReplicateObject', { context: days(0) }).by).toEqual([
      'resource DenyExpiredCopy',
    ]);
  });

  it('takes nothing but copies', () => {
    expect(ask('s3:PutObject', { caller: owner }).by).toEqual(['resource DenyOtherWriters']);
    expect(ask('s3:ReplicateObject', { caller: owner, context: days(190) }).by).toEqual([
      'resource DenyOtherReplication',
    ]);
    expect(ask('s3:ReplicateDelete', {}).by).toEqual(['resource DenyDeletes']);
  });

  it.each([
    ['s3:DeleteObject', 'DenyDeletes'],
    ['s3:DeleteObjectVersion', 'DenyDeletes'],
    ['s3:BypassGovernanceRetention', 'DenyDeletes'],
  ])('denies %s to everybody', (action, sid) => {
    expect(ask(action).by).toEqual([`resource ${sid}`]);
    expect(ask(action, { caller: owner }).by).toEqual([`resource ${sid}`]);
  });

  it('denies plain HTTP', () => {
    const context = { ...days(190), 'aws:SecureTransport': 'false' };
    expect(ask('s3:ReplicateObject', { context }).by).toEqual(['resource DenyPlainHttp']);
  });
});
