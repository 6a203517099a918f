import { GetFunctionConfigurationCommand } from '@aws-sdk/client-lambda';
import {
  CreateBucketCommand,
  DeleteBucketCommand,
  DeletePublicAccessBlockCommand,
  GetBucketLoggingCommand,
} from '@aws-sdk/client-s3';
import { describe, expect, inject, it } from 'vitest';
import { AwsGuardReader } from '../../lambdas/adapters/aws-guard-reader.ts';
import type { GuardSetting } from '../../lambdas/domain/audit/guard-policy.ts';
import { auditGuards } from '../../lambdas/domain/audit/guards.ts';
import { environments } from '../../lib/config/environments.ts';
import { createClients } from '../../localstack/clients.ts';

const { buckets, endpointUrl, functions, hmacKeyArn, region, signingKeyId } = inject('environment');
const { kms, lambda, s3 } = createClients(endpointUrl);
const reader = new AwsGuardReader(s3, kms);
const accountId = hmacKeyArn.split(':')[4];

/** The deployed vault, as `guardSetting` says it, with names that the deployment gave. */
async function deployed(): Promise<GuardSetting> {
  const { encryption } = await reader.bucket(buckets.vault);
  const logging = await s3.send(new GetBucketLoggingCommand({ Bucket: buckets.vault }));
  const sealer = new GetFunctionConfigurationCommand({ FunctionName: functions.seal });
  const { Role = 'no role' } = await lambda.send(sealer);
  return {
    mode: environments.local.retention.mode,
    floorDays: environments.local.retention.floorDays,
    bucketArn: `arn:aws:s3:::${buckets.vault}`,
    bucketName: buckets.vault,
    keyArn: (encryption.status === 'seen' && encryption.value?.keyArn) || 'no key',
    accessLogBucketName: logging.LoggingEnabled?.TargetBucket ?? 'no access log',
    hmacKeyArns: [hmacKeyArn],
    signing: {
      keyArns: [`arn:aws:kms:${region}:${accountId}:key/${signingKeyId}`],
      sealerRoleArn: Role,
    },
    uploadDays: 1,
    deploymentRoleArn: `arn:aws:iam::${accountId}:role/cdk-hnb659fds-cfn-exec-role-${accountId}-${region}`,
  };
}

describe('the guards of the deployed vault', () => {
  it('stand as they were deployed', async () => {
    expect(await auditGuards(await deployed(), reader)).toEqual({ drift: [], unreadable: [] });
  });

  // who owns objects is settled in every new bucket, on AWS as well
  it('are missed in a bucket that has none', async () => {
    const Bucket = `unguarded-${Date.now()}`;
    await s3.send(new CreateBucketCommand({ Bucket }));
    // on in every new bucket of AWS
    await s3.send(new DeletePublicAccessBlockCommand({ Bucket }));
    try {
      const setting = {
        ...(await deployed()),
        bucketArn: `arn:aws:s3:::${Bucket}`,
        bucketName: Bucket,
      };
      const { drift, unreadable } = await auditGuards(setting, reader);
      const settings = drift
        .filter(({ resource }) => resource === Bucket)
        .map(({ setting: name }) => name);
      expect(unreadable).toEqual([]);
      expect(new Set(settings)).toEqual(
        new Set([
          'accessLogs',
          'encryption',
          'lifecycle',
          'objectLock',
          'policy',
          'publicAccess',
          'versioning',
        ]),
      );
    } finally {
      await s3.send(new DeleteBucketCommand({ Bucket }));
    }
  });
});
