import {
  type BucketLifecycleConfiguration,
  GetBucketEncryptionCommand,
  GetBucketLifecycleConfigurationCommand,
  GetBucketTaggingCommand,
  GetBucketVersioningCommand,
  GetObjectLockConfigurationCommand,
  GetPublicAccessBlockCommand,
  type LifecycleRule,
  type PublicAccessBlockConfiguration,
  PutBucketEncryptionCommand,
  PutBucketLifecycleConfigurationCommand,
  PutBucketTaggingCommand,
  PutObjectLockConfigurationCommand,
  PutPublicAccessBlockCommand,
  type ServerSideEncryptionRule,
} from '@aws-sdk/client-s3';
import { lifecycleRules, type TemplateRule } from './s3-lifecycle.ts';
import { type Properties, type Setting, sortTags, type Tag } from './setting.ts';

const type = 'AWS::S3::Bucket';

interface TemplateEncryption {
  readonly ServerSideEncryptionConfiguration: readonly {
    readonly BucketKeyEnabled?: boolean;
    readonly ServerSideEncryptionByDefault: {
      readonly SSEAlgorithm: string;
      readonly KMSMasterKeyID?: string;
    };
  }[];
}

/** Settings of buckets. Object Lock must be set before the first object. */
export const bucketSettings: readonly Setting[] = [
  {
    type,
    name: 'versioning',
    expected: ({ VersioningConfiguration }) =>
      (VersioningConfiguration as { Status?: string } | undefined)?.Status,
    read: async ({ s3 }, Bucket) =>
      (await s3.send(new GetBucketVersioningCommand({ Bucket }))).Status,
  },
  {
    type,
    name: 'object lock',
    expected: (properties) => objectLock(properties),
    apply: ({ s3 }, Bucket, properties) =>
      s3.send(
        new PutObjectLockConfigurationCommand({
          Bucket,
          ObjectLockConfiguration: objectLock(properties),
        }),
      ),
    read: async ({ s3 }, Bucket) =>
      (await s3.send(new GetObjectLockConfigurationCommand({ Bucket }))).ObjectLockConfiguration,
  },
  {
    type,
    name: 'encryption',
    expected: (properties) => encryption(properties)?.map(describeEncryption),
    apply: ({ s3 }, Bucket, properties) =>
      s3.send(
        new PutBucketEncryptionCommand({
          Bucket,
          ServerSideEncryptionConfiguration: { Rules: encryption(properties) },
        }),
      ),
    read: async ({ s3 }, Bucket) =>
      (
        await s3.send(new GetBucketEncryptionCommand({ Bucket }))
      ).ServerSideEncryptionConfiguration?.Rules?.map(describeEncryption),
  },
  {
    type,
    name: 'lifecycle',
    expected: (properties) => lifecycle(properties)?.map(describeRule),
    apply: ({ s3 }, Bucket, properties) => {
      const LifecycleConfiguration: BucketLifecycleConfiguration = { Rules: lifecycle(properties) };
      return s3.send(
        new PutBucketLifecycleConfigurationCommand({ Bucket, LifecycleConfiguration }),
      );
    },
    read: async ({ s3 }, Bucket) =>
      (await s3.send(new GetBucketLifecycleConfigurationCommand({ Bucket }))).Rules?.map(
        describeRule,
      ),
  },
  {
    type,
    name: 'public access block',
    expected: ({ PublicAccessBlockConfiguration }) => PublicAccessBlockConfiguration,
    apply: ({ s3 }, Bucket, { PublicAccessBlockConfiguration }) =>
      s3.send(
        new PutPublicAccessBlockCommand({
          Bucket,
          PublicAccessBlockConfiguration:
            PublicAccessBlockConfiguration as PublicAccessBlockConfiguration,
        }),
      ),
    read: async ({ s3 }, Bucket) =>
      (await s3.send(new GetPublicAccessBlockCommand({ Bucket }))).PublicAccessBlockConfiguration,
  },
  {
    type,
    name: 'tags',
    expected: ({ Tags }) => sortTags(Tags as Tag[] | undefined),
    apply: ({ s3 }, Bucket, { Tags }) =>
      s3.send(new PutBucketTaggingCommand({ Bucket, Tagging: { TagSet: Tags as Tag[] } })),
    read: async ({ s3 }, Bucket) =>
      sortTags((await s3.send(new GetBucketTaggingCommand({ Bucket }))).TagSet),
  },
];

function objectLock({ ObjectLockEnabled, ObjectLockConfiguration }: Properties) {
  if (ObjectLockEnabled !== true) return undefined;
  const rule = ObjectLockConfiguration as
    | { Rule?: { DefaultRetention?: { Mode: 'GOVERNANCE' | 'COMPLIANCE'; Days?: number } } }
    | undefined;
  const retention = rule?.Rule?.DefaultRetention;
  return {
    ObjectLockEnabled: 'Enabled' as const,
    ...(retention && { Rule: { DefaultRetention: retention } }),
  };
}

function encryption({ BucketEncryption }: Properties): ServerSideEncryptionRule[] | undefined {
  const template = BucketEncryption as TemplateEncryption | undefined;
  return template?.ServerSideEncryptionConfiguration.map((rule) => ({
    BucketKeyEnabled: rule.BucketKeyEnabled ?? false,
    ApplyServerSideEncryptionByDefault:
      rule.ServerSideEncryptionByDefault as ServerSideEncryptionRule['ApplyServerSideEncryptionByDefault'] & {},
  }));
}

function describeEncryption(rule: ServerSideEncryptionRule) {
  const { SSEAlgorithm, KMSMasterKeyID } = rule.ApplyServerSideEncryptionByDefault ?? {};
  return { SSEAlgorithm, KMSMasterKeyID, BucketKeyEnabled: rule.BucketKeyEnabled ?? false };
}

function lifecycle({ LifecycleConfiguration }: Properties): LifecycleRule[] | undefined {
  const template = LifecycleConfiguration as { Rules: readonly TemplateRule[] } | undefined;
  return template && lifecycleRules(template.Rules);
}

/** Ids are made up by S3 when the template has none. */
function describeRule({ ID: _id, Prefix: _prefix, ...rule }: LifecycleRule) {
  return rule;
}
