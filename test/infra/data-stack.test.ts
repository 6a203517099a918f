import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { environments } from '../../lib/config/environments.ts';
import {
  createStage,
  type EnvironmentName,
  resourceOf,
  resourcesOf,
  stageOf,
  type TemplateResource,
  templateOf,
} from '../support/synth.ts';

const names = Object.keys(environments) as EnvironmentName[];

/** Logical ids are a contract: a changed one is a new, empty vault beside the retained old one. */
const PINNED = [
  'AccessLogsBucketCD784A59',
  'AccessLogsBucketPolicy3D5B5143',
  'HmacKeysEpoch0FC8A2B87',
  'LineageFailuresDeadLetters3E9BCE3D',
  'LineageFailuresDeadLettersPolicyF0478A5D',
  'LineageFailuresQueue6783554C',
  'LineageFailuresQueuePolicy52D634D1',
  'LineageKeyA93A8FD9',
  'LineageStream2A240C4E',
  'SigningKey0B4B9CB62',
  'SigningRoleE19AFA5A',
  'StagingBucketF0D7AEDD',
  'StagingBucketPolicy70C2CE4D',
  'StagingKey1A9D4FB3',
  'SubjectsKeyCDC84BE4',
  'SubjectsKeysTable5A7581B5',
  'TablesIndexTable5C478C95',
  'TablesKeyD3984C03',
  'TablesProducersTableDBCC47FA',
  'TablesUsageTable6DB3CB98',
  'TracesFailuresDeadLetters79137BE5',
  'TracesFailuresDeadLettersPolicyE9341692',
  'TracesFailuresQueueDA6FEEBA',
  'TracesFailuresQueuePolicy91CAF98A',
  'TracesKey016C38F0',
  'TracesStream71AFC470',
  'VaultBucket0925C477',
  'VaultBucketPolicyACD50CAD',
  'VaultKeyCB88EF1A',
];

const POLICY_OF_A_QUEUE = 'AWS::SQS::QueuePolicy';

it('is protected from termination by its kind, whatever its name', () => {
  const { local } = environments;
  expect(createStage({ ...local, name: 'ci' }).data.terminationProtection).toBe(false);
  expect(createStage({ ...local, kind: 'trial' }).data.terminationProtection).toBe(true);
});

describe.each(names)('data stack of %s', (name) => {
  const config = environments[name];
  const template = templateOf(name, 'data');

  it('keeps its logical ids', () => {
    expect(Object.keys(template.toJSON().Resources).sort()).toEqual(PINNED);
  });

  it('retains everything that holds data', () => {
    const lost = Object.entries(template.toJSON().Resources)
      .filter(([, resource]) => (resource as { Type: string }).Type !== POLICY_OF_A_QUEUE)
      .filter(([, resource]) => {
        const { DeletionPolicy, UpdateReplacePolicy } = resource as Record<string, string>;
        return DeletionPolicy !== 'Retain' || UpdateReplacePolicy !== 'Retain';
      });
    expect(lost).toEqual([]);
  });

  it('is protected from termination everywhere but on an emulator', () => {
    expect(stageOf(name).data.terminationProtection).toBe(name !== 'local');
  });

  it('rotates every key that encrypts', () => {
    const keys = resourcesOf(template, 'AWS::KMS::Key').filter(
      ([, { Properties }]) => Properties.KeyUsage !== 'SIGN_VERIFY',
    );
    expect(keys.length).toBe(7);
    for (const [, key] of keys) expect(key.Properties.EnableKeyRotation).toBe(true);
  });

  it('keeps every bucket private and off plain HTTP', () => {
    const buckets = resourcesOf(template, 'AWS::S3::Bucket');
    const policies = resourcesOf(template, 'AWS::S3::BucketPolicy');
    expect(buckets.length).toBe(3);
    for (const [id, { Properties }] of buckets) {
      expect(Properties.PublicAccessBlockConfiguration).toEqual({
        BlockPublicAcls: true,
        BlockPublicPolicy: true,
        IgnorePublicAcls: true,
        RestrictPublicBuckets: true,
      });
      const policy = policies.find(([, candidate]) => candidate.Properties.Bucket.Ref === id)?.[1];
      expect(policy?.Properties.PolicyDocument.Statement[0]).toMatchObject({
        Action: 's3:*',
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
        Effect: 'Deny',
      });
    }
  });

  it.each(['Lineage', 'Traces'])(
    'gives the %s stream its own key and the configured size',
    (id) => {
      const { Properties } = resourceOf(template, 'AWS::Kinesis::Stream', `${id}/Stream`);
      const [keyId] = resourcesOf(template, 'AWS::KMS::Key').find(([candidate]) =>
        candidate.startsWith(`${id}Key`),
      ) as [string, unknown];
      expect(Properties).toMatchObject({
        MaxRecordSizeInKiB: config.streams.maxRecordBytes / 1024,
        RetentionPeriodHours: config.streams.retentionHours,
        StreamEncryption: { EncryptionType: 'KMS', KeyId: { 'Fn::GetAtt': [keyId, 'Arn'] } },
      });
    },
  );

  it.each(['Index', 'Producers', 'Usage'])('keeps the %s table restorable and encrypted', (id) => {
    const { Properties } = resourceOf(template, 'AWS::DynamoDB::Table', `Tables/${id}/Table`);
    expect(Properties).toMatchObject({
      BillingMode: 'PAY_PER_REQUEST',
      DeletionProtectionEnabled: config.deletionProtection,
      KeySchema: [
        { AttributeName: 'pk', KeyType: 'HASH' },
        { AttributeName: 'sk', KeyType: 'RANGE' },
      ],
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS' },
      TimeToLiveSpecification: { AttributeName: 'expiresAt', Enabled: true },
    });
    expect(JSON.stringify(Properties.SSESpecification)).toContain('TablesKey');
  });

  it('keeps the keys of subjects where no backup brings one back, under a key of their own', () => {
    const { Properties } = resourceOf(template, 'AWS::DynamoDB::Table', 'Subjects/Keys/Table');
    expect(Properties).toMatchObject({
      DeletionProtectionEnabled: config.deletionProtection,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: false },
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS' },
    });
    expect(Properties.StreamSpecification).toBeUndefined();
    expect(JSON.stringify(Properties.SSESpecification)).toContain('SubjectsKey');
  });

  it('lists the index by hour', () => {
    const { Properties } = resourceOf(template, 'AWS::DynamoDB::Table', 'Tables/Index/Table');
    expect(Properties.GlobalSecondaryIndexes).toEqual([
      {
        IndexName: 'byHour',
        KeySchema: [
          { AttributeName: 'hourKey', KeyType: 'HASH' },
          { AttributeName: 'sk', KeyType: 'RANGE' },
        ],
        Projection: { ProjectionType: 'ALL' },
      },
    ]);
  });

  it('empties staging by lifecycle and locks nothing there', () => {
    const { Properties } = resourceOf(template, 'AWS::S3::Bucket', 'Staging/Bucket');
    expect(Properties.LifecycleConfiguration.Rules).toEqual([
      {
        AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
        ExpirationInDays: config.stagingDays,
        Status: 'Enabled',
      },
    ]);
    expect(Properties).not.toHaveProperty('ObjectLockEnabled');
    expect(JSON.stringify(Properties.BucketEncryption)).toContain('StagingKey');
  });

  it.each(['Lineage', 'Traces'])('sets aside what redrive of %s cannot store', (id) => {
    const queue = resourceOf(template, 'AWS::SQS::Queue', `${id}Failures/Queue`);
    expect(queue.Properties).toMatchObject({
      MessageRetentionPeriod: 1_209_600,
      SqsManagedSseEnabled: true,
      VisibilityTimeout: 1800,
      RedrivePolicy: { maxReceiveCount: 5 },
    });
    expect(JSON.stringify(queue.Properties.RedrivePolicy)).toContain(`${id}FailuresDeadLetters`);
  });

  it('names nothing by hand', () => {
    for (const { Properties } of Object.values<{ Properties: object }>(
      template.toJSON().Resources,
    )) {
      for (const property of ['BucketName', 'TableName', 'QueueName', 'Name', 'TopicName']) {
        expect(Properties).not.toHaveProperty(property);
      }
    }
  });

  it('exports every reference of the other stacks, and keeps exporting what they drop', () => {
    const exported = Object.values<{ Export?: { Name: string } }>(template.toJSON().Outputs)
      .map((output) => output.Export?.Name)
      .filter((exportName) => exportName !== undefined);
    const imported = JSON.stringify([
      templateOf(name, 'pipeline').toJSON(),
      templateOf(name, 'monitoring').toJSON(),
    ]).matchAll(/"Fn::ImportValue":"([^"]*-Data:[^"]*)"/g);

    for (const [, exportName] of imported) expect(exported).toContain(exportName);
    expect(exported.length).toBe(38);
  });
});

describe('a signing key', () => {
  const { local } = environments;
  const keysOf = (signingKey?: number) => {
    const sealing = { ...local.sealing, ...(signingKey !== undefined && { signingKey }) };
    const { data } = createStage({ ...local, sealing });
    return resourcesOf(Template.fromStack(data), 'AWS::KMS::Key').filter(
      ([, { Properties }]) => Properties.KeyUsage === 'SIGN_VERIFY',
    );
  };

  it('signs for the sealer alone, and is managed without signing or handing that on', () => {
    const [key] = keysOf().map(([, resource]) => resource);
    const { Properties } = key as TemplateResource;
    expect(Properties).toMatchObject({ KeySpec: 'ECC_NIST_P256' });
    const Statement: Array<{ Effect: string; Action: string[]; Principal: unknown }> =
      Properties.KeyPolicy.Statement;
    const allowed = Statement.filter(({ Effect }) => Effect === 'Allow');
    const signing = allowed.filter(({ Action }) => Action.includes('kms:Sign'));
    expect(signing.map(({ Principal }) => Principal)).toEqual([
      { AWS: { 'Fn::GetAtt': ['SigningRoleE19AFA5A', 'Arn'] } },
    ]);
    const actions = allowed.flatMap(({ Action }) => Action);
    for (const action of actions) expect(action).not.toMatch(/\*|CreateGrant|ReplicateKey/);
    expect(Statement.filter(({ Effect }) => Effect === 'Deny')).toMatchObject([
      { Action: expect.arrayContaining(['kms:DisableKey', 'kms:PutKeyPolicy']) },
    ]);
  });

  it('of an earlier generation stays beside the next one', () => {
    expect(keysOf(2).map(([id]) => id.slice(0, 'SigningKey0'.length))).toEqual([
      ...['SigningKey0', 'SigningKey1', 'SigningKey2'],
    ]);
  });
});
