import {
  DeleteObjectCommand,
  type DeleteObjectCommandInput,
  GetBucketPolicyCommand,
  GetObjectCommand,
  GetObjectLockConfigurationCommand,
  ListBucketInventoryConfigurationsCommand,
  ListObjectsV2Command,
  PutBucketVersioningCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
  PutObjectLegalHoldCommand,
  PutObjectLockConfigurationCommand,
  PutObjectRetentionCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { mockClient } from 'aws-sdk-client-mock';
import { type Caller, evaluate, type Guarded } from '../iam/evaluate.ts';

const DAY_MILLIS = 86_400_000;

type Context = Readonly<Record<string, string>>;

/**
 * S3 as it answers when the policies of a vault are enforced: who is allowed is decided by the evaluator, before a body is
 * read or a key looked for. Nothing is in the bucket, and a put is one that the checks send: its checksum is wrong.
 */
export function guardedS3(
  vault: Guarded & { readonly arn: string },
  caller: Caller,
  { overTls = true } = {},
): S3Client {
  const client = new S3Client({ region: 'eu-central-1' });
  const s3 = mockClient(client);
  const tls = { 'aws:SecureTransport': `${overTls}` };
  const ask = (action: string, on = '', context: Context = {}) => {
    const request = { caller, action, resource: vault.arn + on, context: { ...tls, ...context } };
    const { allowed, why } = evaluate(request, vault);
    if (!allowed) throw denied(action, why === 'denied by a statement');
  };
  s3.on(PutObjectCommand).callsFake(async (input: PutObjectCommandInput) => {
    const context = putContext(input);
    ask('s3:PutObject', `/${input.Key}`, context);
    if (input.ObjectLockMode) ask('s3:PutObjectRetention', `/${input.Key}`, context);
    throw named('BadDigest');
  });
  s3.on(PutObjectRetentionCommand).callsFake(async ({ Key, Retention }) => {
    const lock = lockContext(Retention.Mode, Retention.RetainUntilDate);
    ask('s3:PutObjectRetention', `/${Key}`, lock);
    throw named('NoSuchKey');
  });
  s3.on(PutObjectLegalHoldCommand).callsFake(async ({ Key, LegalHold }) => {
    const context = { 's3:object-lock-legal-hold': LegalHold.Status };
    ask('s3:PutObjectLegalHold', `/${Key}`, context);
    throw named('NoSuchKey');
  });
  s3.on(DeleteObjectCommand).callsFake(async (input: DeleteObjectCommandInput) => {
    if (input.BypassGovernanceRetention) ask('s3:BypassGovernanceRetention', `/${input.Key}`);
    ask(input.VersionId ? 's3:DeleteObjectVersion' : 's3:DeleteObject', `/${input.Key}`);
    return input.VersionId ? {} : { DeleteMarker: true, VersionId: 'marker' };
  });
  s3.on(GetObjectCommand).callsFake(async ({ Key }) => {
    ask('s3:GetObject', `/${Key}`);
    ask('s3:ListBucket'); // who may not list is not told that a key is missing
    throw named('NoSuchKey');
  });
  const answers = [
    [ListObjectsV2Command, 's3:ListBucket', {}],
    [PutBucketVersioningCommand, 's3:PutBucketVersioning', {}],
    [PutObjectLockConfigurationCommand, 's3:PutBucketObjectLockConfiguration', {}],
    [GetObjectLockConfigurationCommand, 's3:GetBucketObjectLockConfiguration', {}],
    [GetBucketPolicyCommand, 's3:GetBucketPolicy', { Policy: JSON.stringify(vault.policy) }],
    [ListBucketInventoryConfigurationsCommand, 's3:GetInventoryConfiguration', {}],
  ] as const;
  for (const [command, action, answer] of answers) {
    s3.on(command as typeof ListObjectsV2Command).callsFake(async () => {
      ask(action);
      return answer;
    });
  }
  return client;
}

/** As S3 and KMS say why, to a caller of the same account. */
export function denied(action: string, explicitly: boolean, by = 'identity'): Error {
  const why = explicitly
    ? 'with an explicit deny in a resource-based policy'
    : `because no ${by}-based policy allows the ${action} action`;
  return named(
    'AccessDenied',
    `User: arn:aws:iam::1:user/u is not authorized to perform: ${action} on resource: "r" ${why}`,
  );
}

function named(name: string, message = name): Error {
  return Object.assign(new Error(message), { name });
}

function lockContext(mode: string | undefined, until: Date | undefined): Context {
  if (mode === undefined || until === undefined) return {};
  const days = Math.floor((until.getTime() - Date.now()) / DAY_MILLIS);
  return {
    's3:object-lock-mode': mode,
    's3:object-lock-remaining-retention-days': `${days}`,
    's3:object-lock-retain-until-date': until.toISOString(),
  };
}

function putContext(input: PutObjectCommandInput): Context {
  const headers = {
    's3:if-none-match': input.IfNoneMatch,
    's3:x-amz-server-side-encryption-aws-kms-key-id': input.SSEKMSKeyId,
    's3:x-amz-server-side-encryption-customer-algorithm': input.SSECustomerAlgorithm,
    's3:x-amz-storage-class': input.StorageClass,
  };
  const sent = Object.entries(headers).filter(([, value]) => value !== undefined);
  return {
    ...lockContext(input.ObjectLockMode, input.ObjectLockRetainUntilDate),
    ...(Object.fromEntries(sent) as Context),
  };
}
