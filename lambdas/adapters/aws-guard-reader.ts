import {
  DescribeKeyCommand,
  GetKeyPolicyCommand,
  GetKeyRotationStatusCommand,
  type KMSClient,
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
  type LifecycleRule,
  type S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import type { BucketGuards, GuardReader, KeyGuards, Seen } from '../domain/audit/ports.ts';
import { UnavailableError } from '../domain/errors.ts';

/** Members of a lifecycle rule that say when and for what it applies, and the action that touches no version. */
const HARMLESS: readonly (keyof LifecycleRule)[] = [
  'AbortIncompleteMultipartUpload',
  'Filter',
  'ID',
  'Prefix',
  'Status',
];

/** Names under which S3 and KMS say that we may not look. */
const DENIED = ['AccessDenied', 'AccessDeniedException', 'Forbidden'];

/** Reads the guards of a bucket from S3 and those of a key from KMS, one setting a call: each has a right of its own. */
export class AwsGuardReader implements GuardReader {
  readonly #s3: S3Client;
  readonly #kms: KMSClient;

  constructor(s3: S3Client, kms: KMSClient) {
    this.#s3 = s3;
    this.#kms = kms;
  }

  async bucket(Bucket: string): Promise<Seen<BucketGuards>> {
    const s3 = this.#s3;
    const looks: { [K in keyof BucketGuards]: () => Promise<BucketGuards[K] | undefined> } = {
      policy: async () => statementsOf(await s3.send(new GetBucketPolicyCommand({ Bucket }))),
      objectLock: async () => {
        const command = new GetObjectLockConfigurationCommand({ Bucket });
        const { ObjectLockConfiguration: lock } = await s3.send(command);
        const { Days, Mode, Years } = lock?.Rule?.DefaultRetention ?? {};
        if (lock?.ObjectLockEnabled !== 'Enabled' || !Mode) return undefined;
        return { mode: Mode, days: Days ?? (Years ?? 0) * 365 };
      },
      versioning: async () => (await s3.send(new GetBucketVersioningCommand({ Bucket }))).Status,
      lifecycle: async () => {
        const command = new GetBucketLifecycleConfigurationCommand({ Bucket });
        const active = (await s3.send(command)).Rules?.filter(({ Status }) => Status === 'Enabled');
        return lifecycleOf(active ?? []);
      },
      encryption: async () => {
        const { ServerSideEncryptionConfiguration: encryption } = await s3.send(
          new GetBucketEncryptionCommand({ Bucket }),
        );
        const { ApplyServerSideEncryptionByDefault: byDefault, BucketKeyEnabled } =
          encryption?.Rules?.[0] ?? {};
        if (!byDefault?.SSEAlgorithm) return undefined;
        const keyArn = byDefault.KMSMasterKeyID;
        return {
          algorithm: byDefault.SSEAlgorithm,
          ...(keyArn !== undefined && { keyArn }),
          bucketKey: BucketKeyEnabled === true,
        };
      },
      publicAccess: async () => {
        const { PublicAccessBlockConfiguration: block } = await s3.send(
          new GetPublicAccessBlockCommand({ Bucket }),
        );
        const isBlocked =
          block?.BlockPublicAcls &&
          block.BlockPublicPolicy &&
          block.IgnorePublicAcls &&
          block.RestrictPublicBuckets;
        return isBlocked ? 'blocked' : 'open';
      },
      ownership: async () => {
        const { OwnershipControls } = await s3.send(
          new GetBucketOwnershipControlsCommand({ Bucket }),
        );
        return OwnershipControls?.Rules?.[0]?.ObjectOwnership;
      },
      accessLogs: async () =>
        (await s3.send(new GetBucketLoggingCommand({ Bucket }))).LoggingEnabled?.TargetBucket,
      replication: async () => {
        const command = new GetBucketReplicationCommand({ Bucket });
        const { ReplicationConfiguration } = await s3.send(command);
        return ReplicationConfiguration?.Rules?.filter(({ Status }) => Status === 'Enabled').map(
          ({ Destination }) => Destination?.Bucket ?? '',
        );
      },
    };
    return seen<BucketGuards>(looks);
  }

  async key(KeyId: string, rotates: boolean): Promise<Seen<KeyGuards>> {
    const kms = this.#kms;
    return seen<KeyGuards>({
      policy: async () =>
        statementsOf(await kms.send(new GetKeyPolicyCommand({ KeyId, PolicyName: 'default' }))),
      state: async () => (await kms.send(new DescribeKeyCommand({ KeyId }))).KeyMetadata?.KeyState,
      rotation: async () =>
        rotates
          ? (await kms.send(new GetKeyRotationStatusCommand({ KeyId }))).KeyRotationEnabled
          : undefined,
    });
  }
}

async function seen<T>(
  looks: {
    [K in keyof T]: () => Promise<T[K] | undefined>;
  },
): Promise<Seen<T>> {
  const entries = Object.entries<() => Promise<unknown>>(looks).map(
    async ([setting, look]) => [setting, await look().then(found, unseen)] as const,
  );
  return Object.fromEntries(await Promise.all(entries)) as Seen<T>;
}

const found = (value: unknown) => ({
  status: 'seen' as const,
  ...(value !== undefined && { value }),
});

/** A setting that is not set is a 404 of its own name; so is a bucket or a key that is gone. */
function unseen(error: unknown) {
  if (error instanceof S3ServiceException || error instanceof KMSServiceException) {
    const status = error.$metadata.httpStatusCode;
    if (status === 403 || DENIED.includes(error.name)) return { status: 'denied' as const };
    if (status === 404 || error.name === 'NotFoundException') return found(undefined);
  }
  const service = error instanceof KMSServiceException ? 'kms' : 's3';
  throw new UnavailableError(service, { cause: error });
}

function statementsOf({
  Policy,
}: {
  readonly Policy?: string | undefined;
}): BucketGuards['policy'] {
  const { Statement = [] } = JSON.parse(Policy ?? '{}');
  return [Statement].flat();
}

function lifecycleOf(rules: readonly LifecycleRule[]): BucketGuards['lifecycle'] {
  const uploadDays = rules
    .flatMap(({ AbortIncompleteMultipartUpload: abort }) => abort?.DaysAfterInitiation ?? [])
    .at(0);
  const touching = rules.flatMap((rule) =>
    Object.entries(rule)
      .filter(([name, action]) => !HARMLESS.includes(name as keyof LifecycleRule) && isSet(action))
      .map(([name]) => name),
  );
  return { ...(uploadDays !== undefined && { uploadDays }), touching: touching.sort() };
}

const isSet = (action: unknown) =>
  action !== undefined && !(Array.isArray(action) && action.length === 0);
