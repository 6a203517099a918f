import {
  GetBucketEncryptionCommand,
  GetBucketLifecycleConfigurationCommand,
  GetBucketLoggingCommand,
  GetBucketTaggingCommand,
  GetBucketVersioningCommand,
  GetObjectLockConfigurationCommand,
  GetPublicAccessBlockCommand,
  type LifecycleRule,
  type ObjectLockConfiguration as ObjectLock,
  type PublicAccessBlockConfiguration,
  PutBucketEncryptionCommand,
  PutBucketLifecycleConfigurationCommand,
  PutBucketLoggingCommand,
  PutBucketTaggingCommand,
  PutObjectLockConfigurationCommand,
  PutPublicAccessBlockCommand,
  type ServerSideEncryptionByDefault,
  type ServerSideEncryptionRule,
} from '@aws-sdk/client-s3';
import { UserError } from '../errors.ts';
import { type Properties, type Setting, sortTags, type Tag } from './setting.ts';

const type = 'AWS::S3::Bucket';

/** What CloudFormation spells in its own way. */
interface TemplateEncryption {
  readonly BucketKeyEnabled?: boolean;
  readonly ServerSideEncryptionByDefault: ServerSideEncryptionByDefault;
}

/** All that the rules of lib/ use. */
interface TemplateRule extends Pick<LifecycleRule, 'Status' | 'AbortIncompleteMultipartUpload'> {
  readonly ExpirationInDays?: number;
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
    apply: ({ s3 }, Bucket, properties) =>
      s3.send(
        new PutBucketLifecycleConfigurationCommand({
          Bucket,
          LifecycleConfiguration: { Rules: lifecycle(properties) },
        }),
      ),
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
    name: 'access log',
    expected: (properties) => accessLog(properties),
    apply: ({ s3 }, Bucket, properties) =>
      s3.send(
        new PutBucketLoggingCommand({
          Bucket,
          BucketLoggingStatus: { LoggingEnabled: accessLog(properties) },
        }),
      ),
    read: async ({ s3 }, Bucket) =>
      (await s3.send(new GetBucketLoggingCommand({ Bucket }))).LoggingEnabled,
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

function accessLog({ LoggingConfiguration }: Properties) {
  const { DestinationBucketName, LogFilePrefix = '' } = (LoggingConfiguration ?? {}) as {
    readonly DestinationBucketName?: string;
    readonly LogFilePrefix?: string;
  };
  if (DestinationBucketName === undefined) return undefined;
  return { TargetBucket: DestinationBucketName, TargetPrefix: LogFilePrefix };
}

function objectLock({ ObjectLockEnabled, ObjectLockConfiguration }: Properties) {
  if (ObjectLockEnabled !== true) return undefined;
  return { ObjectLockEnabled: 'Enabled' as const, ...(ObjectLockConfiguration as ObjectLock) };
}

function encryption({ BucketEncryption }: Properties): ServerSideEncryptionRule[] | undefined {
  const template = BucketEncryption as
    | { ServerSideEncryptionConfiguration: readonly TemplateEncryption[] }
    | undefined;
  return template?.ServerSideEncryptionConfiguration.map((rule) => ({
    BucketKeyEnabled: rule.BucketKeyEnabled ?? false,
    ApplyServerSideEncryptionByDefault: rule.ServerSideEncryptionByDefault,
  }));
}

function describeEncryption(rule: ServerSideEncryptionRule) {
  const { SSEAlgorithm, KMSMasterKeyID } = rule.ApplyServerSideEncryptionByDefault ?? {};
  return { SSEAlgorithm, KMSMasterKeyID, BucketKeyEnabled: rule.BucketKeyEnabled ?? false };
}

function lifecycle({ LifecycleConfiguration }: Properties): LifecycleRule[] | undefined {
  if (LifecycleConfiguration === undefined) return undefined;
  const { Rules, ...unhandled } = LifecycleConfiguration as { Rules: readonly TemplateRule[] };
  refuse(unhandled);
  return Rules.map((rule, position) => {
    const { Status, ExpirationInDays, AbortIncompleteMultipartUpload, ...rest } = rule;
    refuse(rest);
    return {
      // S3 makes one up where there is none; LocalStack refuses the rule.
      ID: `rule-${position}`,
      Status,
      Filter: { Prefix: '' },
      ...(ExpirationInDays !== undefined && { Expiration: { Days: ExpirationInDays } }),
      ...(AbortIncompleteMultipartUpload && { AbortIncompleteMultipartUpload }),
    };
  });
}

/** A rule that is put back only in part would expire the wrong objects, so it is not put back at all. */
function refuse(unhandled: object): void {
  const [name] = Object.keys(unhandled);
  if (name === undefined) return;
  throw new UserError(
    `A bucket has the lifecycle property ${name}, which cannot be put back on the emulator: teach it to localstack/reconcile/s3.ts.`,
  );
}

/** The template has no ids. */
function describeRule({ ID: _id, Prefix: _prefix, ...rule }: LifecycleRule) {
  return rule;
}
