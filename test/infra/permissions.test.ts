import { describe, expect, it } from 'vitest';
import { HMAC_EPOCHS } from '../../lambdas/adapters/table-layout.ts';
import { EvidencePrefix } from '../../lambdas/domain/evidence/evidence-prefix.ts';
import { type EnvironmentName, resourcesOf, templateOf } from '../support/synth.ts';

interface Statement {
  readonly Action: string | string[];
  readonly Effect: string;
  readonly Resource: unknown;
  readonly Principal?: unknown;
  readonly Condition?: {
    readonly 'ForAllValues:StringEquals'?: { readonly 'dynamodb:LeadingKeys': string[] };
    readonly StringEquals?: { readonly 's3:object-lock-legal-hold': string[] };
  };
}

/** `<construct>` for a reference, whichever stack it points to, with the literal parts around it. */
function plain(reference: unknown): string {
  if (typeof reference === 'string') return reference;
  const [[intrinsic, value]] = Object.entries(reference as object) as [[string, unknown]];
  if (intrinsic === 'Fn::Join') return (value as [string, unknown[]])[1].map(plain).join('');
  if (intrinsic === 'Fn::GetAtt') return named((value as string[])[0] ?? '');
  if (intrinsic === 'Fn::ImportValue') {
    return named(String(value).replace(/^.*:ExportsOutput(FnGetAtt|Ref)/, ''));
  }
  throw new Error(`unexpected reference ${JSON.stringify(reference)}`);
}

const named = (logicalId: string) => `<${logicalId.replace(/[0-9A-F]{8}(Arn[0-9A-F]{8})?$/, '')}>`;

/** Action -> resources of the role of a function. */
function rightsOf(construct: string): Record<string, string[]> {
  const policies = resourcesOf(templateOf('prod', 'pipeline'), 'AWS::IAM::Policy');
  const rights: Record<string, string[]> = {};
  for (const [, { Properties }] of policies.filter(([id]) =>
    // a role of another stack has its rights in a policy that is named after its place here
    new RegExp(`^${construct}Role(Default)?Policy`).test(id),
  )) {
    const statements: Statement[] = Properties.PolicyDocument.Statement;
    for (const { Action, Condition, Effect, Resource } of statements) {
      expect(Effect).toBe('Allow');
      const keys =
        Condition?.['ForAllValues:StringEquals']?.['dynamodb:LeadingKeys'] ??
        Condition?.StringEquals?.['s3:object-lock-legal-hold'];
      if (Condition) expect(keys).toHaveLength(1);
      const limit = keys ? `[${keys}]` : '';
      for (const action of [Action].flat()) {
        rights[action] = [
          ...(rights[action] ?? []),
          ...[Resource].flat().map((resource) => plain(resource) + limit),
        ].sort();
      }
    }
  }
  return rights;
}

const vault = (...prefixes: string[]) => prefixes.map((prefix) => `<VaultBucket>/${prefix}/*`);
const writeLog = (construct: string) => ({
  'logs:CreateLogStream': [`<${construct}Logs>`],
  'logs:PutLogEvents': [`<${construct}Logs>`],
});
const consume = (stream: string) => ({
  'kinesis:DescribeStream': [stream],
  'kinesis:DescribeStreamSummary': [stream],
  'kinesis:GetRecords': [stream],
  'kinesis:GetShardIterator': [stream],
  'kinesis:ListShards': [stream],
});
const count = (...streams: string[]) => ({
  'kinesis:DescribeStreamSummary': streams,
  'kinesis:GetRecords': streams,
  'kinesis:GetShardIterator': streams,
  'kinesis:ListShards': streams,
});
const useIndex = {
  'dynamodb:GetItem': ['<TablesIndexTable>'],
  'dynamodb:PutItem': ['<TablesIndexTable>'],
  'dynamodb:Query': ['<TablesIndexTable>'],
};
/** The sealer signs with a role that outlives the pipeline. */
const ROLE_OF_DATA_STACK = 'SealerSeal';
const EVERY_FOLDER = Object.values(EvidencePrefix)
  .map((prefix) => prefix.slice(0, -1))
  .sort();
/** The one partition that a function may query, where it may not query all. */
const OF_EPOCHS = `[${HMAC_EPOCHS}]`;
/** A writer may set a legal hold and never lift one. */
const onlyOn = (...prefixes: string[]) => vault(...prefixes).map((resource) => `${resource}[ON]`);
const STAGED = '<StagingBucket>/traces/*';
const NOTES = ['<StagingBucket>/parts/*', '<StagingBucket>/plans/*'];

/** What the retention audit may extend: evidence, what proves it and what is in use, never a finding. */
const EXTENDED =
  'digests erasures holds keys lineage policies producers public-keys reports traces'.split(' ');
/** Who sets and lifts legal holds: of nothing but what a hold is on. */
const HELD = ['digests', 'holds', 'lineage', 'traces'];
const holding = {
  'dynamodb:PutItem': ['<TablesIndexTable>'],
  'kms:Decrypt': ['<TablesKey>', '<VaultKey>'],
  'kms:Encrypt': ['<TablesKey>'],
  'kms:GenerateDataKey': ['<TablesKey>', '<VaultKey>'],
  's3:GetObjectLegalHold': vault(...HELD),
  's3:GetObjectRetention': vault(...HELD),
  's3:GetObjectVersion': vault('digests', 'holds', 'lineage', 'public-keys', 'traces'),
  's3:ListBucket': ['<VaultBucket>'],
  's3:ListBucketVersions': ['<VaultBucket>'],
  's3:PutObjectLegalHold': vault(...HELD),
};

const EXPECTED: Record<string, Record<string, string[]>> = {
  FrontDoorIngest: {
    ...writeLog('FrontDoorIngest'),
    'dynamodb:GetItem': ['<TablesProducersTable>'],
    'dynamodb:Query': ['<TablesProducersTable>'],
    'dynamodb:UpdateItem': ['<TablesUsageTable>'],
    'kinesis:PutRecords': ['<LineageStream>'],
    'kms:Decrypt': ['<HmacKeysEpoch0>', '<TablesKey>'],
    'kms:Encrypt': ['<TablesKey>'],
    'kms:GenerateDataKey': ['<LineageKey>', '<TablesKey>'],
  },
  FrontDoorIngestTraces: {
    ...writeLog('FrontDoorIngestTraces'),
    'dynamodb:GetItem': ['<TablesProducersTable>'],
    'dynamodb:Query': ['<TablesProducersTable>'],
    'dynamodb:UpdateItem': ['<TablesUsageTable>'],
    'kinesis:PutRecords': ['<TracesStream>'],
    'kms:Decrypt': ['<HmacKeysEpoch0>', '<TablesKey>'],
    'kms:Encrypt': ['<TablesKey>'],
    'kms:GenerateDataKey': ['<TablesKey>', '<TracesKey>'],
  },
  FrontDoorQuery: {
    ...writeLog('FrontDoorQuery'),
    'dynamodb:GetItem': ['<TablesProducersTable>'],
    'dynamodb:Query': ['<TablesIndexTable>', '<TablesProducersTable>'],
    'kinesis:DescribeStreamSummary': ['<LineageStream>'],
    'kms:Decrypt': ['<HmacKeysEpoch0>', '<StagingKey>', '<TablesKey>', '<VaultKey>'],
    's3:GetObject': vault('lineage', 'traces'),
    's3:GetObjectLegalHold': vault('lineage', 'traces'),
    's3:GetObjectRetention': vault('lineage', 'traces'),
    's3:GetObjectVersion': [STAGED, ...vault('digests', 'lineage', 'public-keys', 'traces')],
    's3:ListBucket': ['<StagingBucket>', '<VaultBucket>'],
    's3:ListBucketVersions': ['<VaultBucket>'],
  },
  FrontDoorProducers: {
    ...writeLog('FrontDoorProducers'),
    'dynamodb:GetItem': ['<TablesProducersTable>'],
    'dynamodb:PutItem': ['<TablesProducersTable>'],
    'dynamodb:Query': ['<TablesProducersTable>'],
    'dynamodb:UpdateItem': ['<TablesProducersTable>'],
    'kms:Decrypt': ['<TablesKey>', '<VaultKey>'],
    'kms:Encrypt': ['<TablesKey>'],
    'kms:GenerateDataKey': ['<TablesKey>', '<VaultKey>'],
    's3:GetObject': vault('producers'),
    's3:ListBucket': ['<VaultBucket>'],
    's3:PutObject': vault('producers'),
    's3:PutObjectRetention': vault('producers'),
  },
  FrontDoorHolds: {
    ...writeLog('FrontDoorHolds'),
    ...holding,
    'dynamodb:GetItem': ['<TablesProducersTable>'],
    'dynamodb:Query': ['<TablesIndexTable>'],
    's3:GetObject': vault('digests', 'holds', 'lineage', 'traces'),
    's3:PutObject': vault('holds'),
    's3:PutObjectRetention': vault('holds'),
  },
  ArchiveLineArchive: {
    ...writeLog('ArchiveLineArchive'),
    ...consume('<LineageStream>'),
    ...useIndex,
    'dynamodb:BatchGetItem': ['<TablesIndexTable>'],
    'dynamodb:GetItem': ['<SubjectsKeysTable>', '<TablesIndexTable>'],
    'dynamodb:PutItem': ['<SubjectsKeysTable>', '<TablesIndexTable>'],
    'dynamodb:Query': ['<TablesIndexTable>', `<TablesProducersTable>${OF_EPOCHS}`],
    'kms:Decrypt': [
      '<HmacKeysEpoch0>',
      '<LineageKey>',
      '<StagingKey>',
      '<SubjectsKey>',
      '<TablesKey>',
      '<VaultKey>',
    ],
    'kms:Encrypt': ['<SubjectsKey>', '<TablesKey>'],
    'kms:GenerateDataKey': ['<SubjectsKey>', '<TablesKey>', '<VaultKey>'],
    's3:GetObject': vault('findings', 'lineage', 'policies', 'quarantine', 'traces'),
    's3:GetObjectVersion': [STAGED],
    's3:ListBucket': ['<StagingBucket>', '<VaultBucket>'],
    's3:PutObject': vault('findings', 'lineage', 'policies', 'quarantine', 'traces'),
    's3:PutObjectLegalHold': onlyOn('lineage', 'traces'),
    's3:PutObjectRetention': vault('findings', 'lineage', 'policies', 'quarantine', 'traces'),
    'sqs:SendMessage': ['<LineageFailuresQueue>'],
  },
  ArchiveLineArchiveTraces: {
    ...writeLog('ArchiveLineArchiveTraces'),
    ...consume('<TracesStream>'),
    ...useIndex,
    'dynamodb:BatchGetItem': ['<TablesIndexTable>'],
    'dynamodb:GetItem': ['<SubjectsKeysTable>', '<TablesIndexTable>'],
    'dynamodb:PutItem': ['<SubjectsKeysTable>', '<TablesIndexTable>'],
    'dynamodb:Query': ['<TablesIndexTable>', `<TablesProducersTable>${OF_EPOCHS}`],
    'kms:Decrypt': [
      '<HmacKeysEpoch0>',
      '<StagingKey>',
      '<SubjectsKey>',
      '<TablesKey>',
      '<TracesKey>',
      '<VaultKey>',
    ],
    'kms:Encrypt': ['<SubjectsKey>', '<TablesKey>'],
    'kms:GenerateDataKey': ['<StagingKey>', '<SubjectsKey>', '<TablesKey>', '<VaultKey>'],
    's3:GetObject': [STAGED, ...vault('findings', 'policies', 'quarantine', 'traces')],
    's3:GetObjectVersion': [STAGED],
    's3:ListBucket': ['<StagingBucket>', '<VaultBucket>'],
    's3:PutObject': [STAGED, ...vault('findings', 'policies', 'quarantine', 'traces')],
    's3:PutObjectLegalHold': onlyOn('traces'),
    's3:PutObjectRetention': vault('findings', 'policies', 'quarantine', 'traces'),
    'sqs:SendMessage': ['<TracesFailuresQueue>'],
  },
  ArchiveLineRedrive: {
    ...writeLog('ArchiveLineRedrive'),
    'dynamodb:PutItem': ['<TablesIndexTable>'],
    'kinesis:GetRecords': ['<LineageStream>', '<TracesStream>'],
    'kinesis:GetShardIterator': ['<LineageStream>', '<TracesStream>'],
    'kms:Decrypt': ['<LineageKey>', '<TablesKey>', '<TracesKey>', '<VaultKey>'],
    'kms:Encrypt': ['<TablesKey>'],
    'kms:GenerateDataKey': ['<TablesKey>', '<VaultKey>'],
    'lambda:InvokeFunction': ['<ArchiveLineArchiveFunction>', '<ArchiveLineArchiveTracesFunction>'],
    's3:GetObject': vault('findings', 'quarantine'),
    's3:PutObject': vault('findings', 'quarantine'),
    's3:PutObjectRetention': vault('findings', 'quarantine'),
    'sqs:DeleteMessage': ['<LineageFailuresQueue>', '<TracesFailuresQueue>'],
    'sqs:GetQueueAttributes': ['<LineageFailuresQueue>', '<TracesFailuresQueue>'],
    'sqs:ReceiveMessage': ['<LineageFailuresQueue>', '<TracesFailuresQueue>'],
  },
  RetentionAuditAuditRetention: {
    ...writeLog('RetentionAuditAuditRetention'),
    'dynamodb:PutItem': ['<TablesIndexTable>'],
    'dynamodb:Query': ['<TablesIndexTable>', '<TablesIndexTable>/index/byHour'],
    'dynamodb:UpdateItem': ['<TablesIndexTable>'],
    'kms:Decrypt': ['<TablesKey>', '<VaultKey>'],
    'kms:Encrypt': ['<TablesKey>'],
    'kms:GenerateDataKey': ['<TablesKey>', '<VaultKey>'],
    's3:GetObject': vault('findings', ...EXTENDED, 'quarantine').sort(),
    's3:GetObjectLegalHold': vault(...EXTENDED, 'quarantine').sort(),
    's3:GetObjectRetention': vault(...EXTENDED, 'quarantine').sort(),
    's3:GetObjectVersion': vault(...EXTENDED, 'quarantine').sort(),
    's3:ListBucket': ['<VaultBucket>'],
    's3:ListBucketVersions': ['<VaultBucket>'],
    's3:PutObject': vault('findings', 'reports'),
    's3:PutObjectRetention': vault('findings', ...EXTENDED).sort(),
  },
  HoldReconciliationReconcileHolds: {
    ...writeLog('HoldReconciliationReconcileHolds'),
    ...holding,
    'dynamodb:Query': ['<TablesIndexTable>'],
    's3:GetObject': vault('digests', 'findings', 'holds', 'lineage', 'reports', 'traces'),
    's3:PutObject': vault('findings', 'holds', 'reports'),
    's3:PutObjectRetention': vault('findings', 'holds', 'reports'),
  },
  SealerSeal: {
    ...writeLog('SealerSeal'),
    ...count('<LineageStream>', '<TracesStream>'),
    'dynamodb:PutItem': ['<TablesIndexTable>'],
    'kms:Decrypt': ['<LineageKey>', '<StagingKey>', '<TablesKey>', '<TracesKey>', '<VaultKey>'],
    'kms:Encrypt': ['<TablesKey>'],
    'kms:GenerateDataKey': ['<TablesKey>', '<VaultKey>'],
    's3:GetObject': vault('digests', 'findings', 'public-keys'),
    's3:GetObjectRetention': vault(...EVERY_FOLDER),
    's3:GetObjectVersion': [STAGED, ...vault(...EVERY_FOLDER)],
    's3:ListBucket': ['<StagingBucket>', '<VaultBucket>'],
    's3:ListBucketVersions': ['<StagingBucket>', '<VaultBucket>'],
    's3:PutObject': vault('digests', 'findings', 'public-keys'),
    's3:PutObjectRetention': vault('digests', 'findings', 'public-keys'),
  },
  VerifierVerify: {
    ...writeLog('VerifierVerify'),
    'dynamodb:PutItem': ['<TablesIndexTable>'],
    'kms:Decrypt': ['<TablesKey>', '<VaultKey>'],
    'kms:DescribeKey': ['<HmacKeysEpoch0>', '<SigningKey0>', '<VaultKey>'],
    'kms:Encrypt': ['<TablesKey>'],
    'kms:GenerateDataKey': ['<TablesKey>', '<VaultKey>'],
    'kms:GetKeyPolicy': ['<HmacKeysEpoch0>', '<SigningKey0>', '<VaultKey>'],
    'kms:GetKeyRotationStatus': ['<HmacKeysEpoch0>', '<VaultKey>'],
    's3:GetBucketLogging': ['<VaultBucket>'],
    's3:GetBucketObjectLockConfiguration': ['<VaultBucket>'],
    's3:GetBucketOwnershipControls': ['<VaultBucket>'],
    's3:GetBucketPolicy': ['<VaultBucket>'],
    's3:GetBucketPublicAccessBlock': ['<VaultBucket>'],
    's3:GetBucketVersioning': ['<VaultBucket>'],
    's3:GetEncryptionConfiguration': ['<VaultBucket>'],
    's3:GetLifecycleConfiguration': ['<VaultBucket>'],
    's3:GetObject': vault('findings', 'reports'),
    's3:GetObjectRetention': vault(...EVERY_FOLDER),
    's3:GetObjectVersion': vault(...EVERY_FOLDER),
    's3:GetReplicationConfiguration': ['<VaultBucket>'],
    's3:ListBucket': ['<VaultBucket>'],
    's3:ListBucketVersions': ['<VaultBucket>'],
    's3:PutObject': vault('findings', 'reports'),
    's3:PutObjectRetention': vault('findings', 'reports'),
  },
  RejectionReportsReportRejections: {
    ...writeLog('RejectionReportsReportRejections'),
    'dynamodb:PutItem': ['<TablesIndexTable>'],
    'dynamodb:Query': ['<TablesUsageTable>'],
    'kms:Decrypt': ['<TablesKey>', '<VaultKey>'],
    'kms:Encrypt': ['<TablesKey>'],
    'kms:GenerateDataKey': ['<TablesKey>', '<VaultKey>'],
    's3:GetObject': vault('findings', 'reports'),
    's3:ListBucket': ['<VaultBucket>'],
    's3:PutObject': vault('findings', 'reports'),
    's3:PutObjectRetention': vault('findings', 'reports'),
  },
  IndexRebuildWorker: {
    ...writeLog('IndexRebuildWorker'),
    'dynamodb:GetItem': ['<TablesIndexTable>'],
    'dynamodb:PutItem': ['<TablesIndexTable>'],
    'dynamodb:Query': ['<TablesIndexTable>'],
    'kms:Decrypt': ['<StagingKey>', '<TablesKey>', '<VaultKey>'],
    'kms:Encrypt': ['<TablesKey>'],
    'kms:GenerateDataKey': ['<StagingKey>', '<TablesKey>', '<VaultKey>'],
    's3:GetObject': [...NOTES, ...vault('findings', 'reports', 'traces')],
    's3:GetObjectRetention': vault('lineage', 'quarantine', 'traces'),
    's3:GetObjectVersion': [
      STAGED,
      ...vault('digests', 'findings', 'lineage', 'public-keys', 'quarantine', 'traces'),
    ],
    's3:ListBucket': ['<StagingBucket>', '<VaultBucket>'],
    's3:ListBucketVersions': ['<StagingBucket>', '<VaultBucket>'],
    's3:PutObject': [...NOTES, ...vault('findings', 'reports', 'traces')],
    's3:PutObjectRetention': vault('findings', 'reports', 'traces'),
  },
  IndexRebuildStateMachine: {
    'kms:Decrypt': ['<StagingKey>'],
    'lambda:InvokeFunction': ['<IndexRebuildWorkerFunction>', '<IndexRebuildWorkerFunction>:*'],
    's3:GetObject': ['<StagingBucket>/plans/*'],
  },
};

describe('rights of the functions', () => {
  it.each(Object.keys(EXPECTED))('%s has exactly these', (construct) => {
    const rights = rightsOf(construct);
    expect(rights).toEqual(EXPECTED[construct]);
  });

  it('are listed for every role that a function has', () => {
    const roles = resourcesOf(templateOf('prod', 'pipeline'), 'AWS::IAM::Role').map(([id]) =>
      id.replace(/Role[0-9A-F]{8}$/, ''),
    );
    expect([...roles, ROLE_OF_DATA_STACK].sort()).toEqual(Object.keys(EXPECTED).sort());
  });

  it('come without a managed policy', () => {
    for (const [, role] of resourcesOf(templateOf('prod', 'pipeline'), 'AWS::IAM::Role')) {
      expect(role.Properties).not.toHaveProperty('ManagedPolicyArns');
    }
  });
});

const POLICIES: Record<string, string> = {
  'AWS::IAM::Policy': 'PolicyDocument',
  'AWS::S3::BucketPolicy': 'PolicyDocument',
  'AWS::SNS::TopicPolicy': 'PolicyDocument',
  'AWS::SQS::QueuePolicy': 'PolicyDocument',
  'AWS::KMS::Key': 'KeyPolicy',
  'AWS::ApiGateway::RestApi': 'Policy',
};

/** AWS asks for it: without the account's root in a key policy, IAM policies do not apply to the key. */
const isRootDelegation = ({ Action, Principal }: Statement) =>
  Action === 'kms:*' && JSON.stringify(Principal).includes(':root');

describe.each(['local', 'dev', 'trial', 'prod'] as EnvironmentName[])('policies of %s', (name) => {
  const allowed: [string, Statement][] = [];
  for (const stack of ['data', 'pipeline', 'monitoring'] as const) {
    for (const [type, property] of Object.entries(POLICIES)) {
      for (const [id, resource] of resourcesOf(templateOf(name, stack), type)) {
        const statements: Statement[] = resource.Properties[property]?.Statement ?? [];
        for (const statement of statements) {
          if (statement.Effect === 'Allow') allowed.push([`${type} ${id}`, statement]);
        }
      }
    }
  }

  it('allow no wildcard action', () => {
    const wild = allowed
      .filter(([, statement]) => !isRootDelegation(statement))
      .filter(([, { Action }]) => [Action].flat().some((action) => action.includes('*')));
    expect(allowed.length).toBeGreaterThan(20);
    expect(wild).toEqual([]);
  });

  it('allow nothing on every resource, key policies aside, where * is the key itself', () => {
    const wild = allowed
      .filter(([id]) => !id.startsWith('AWS::KMS::Key'))
      .filter(([, { Resource }]) => [Resource].flat().includes('*'));
    expect(wild).toEqual([]);
  });
});

describe('vault writers', () => {
  it('never hold a right that shortens, deletes or bypasses', () => {
    const text = JSON.stringify(templateOf('prod', 'pipeline').findResources('AWS::IAM::Policy'));
    for (const action of ['Bypass', 's3:Delete', 'PutBucket', 'kms:Disable']) {
      expect(text).not.toContain(action);
    }
  });

  it('can be invoked by nobody through a resource policy', () => {
    const permissions = resourcesOf(templateOf('prod', 'pipeline'), 'AWS::Lambda::Permission');
    const callable = permissions.map(([, { Properties }]) => plain(Properties.FunctionName));
    expect(new Set(callable)).toEqual(
      new Set([
        '<FrontDoorHoldsFunction>',
        '<FrontDoorIngestFunction>',
        '<FrontDoorIngestTracesFunction>',
        '<FrontDoorProducersFunction>',
        '<FrontDoorQueryFunction>',
        '<HoldReconciliationReconcileHoldsFunction>',
        '<RejectionReportsReportRejectionsFunction>',
        '<RetentionAuditAuditRetentionFunction>',
        '<SealerSealFunction>',
        '<VerifierVerifyFunction>',
      ]),
    );
  });
});
