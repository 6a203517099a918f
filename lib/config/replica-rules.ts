import type { ConfigCheck } from './config-check.ts';
import type { EnvironmentConfig } from './environment-config.ts';

/** Refuses a copy that would fall with the original. */
export function checkReplica(check: ConfigCheck, config: EnvironmentConfig): void {
  const { replica } = config;
  if (!replica) return;
  if (config.adopt) {
    check.refuse('replica', undefined, 'an adopted vault keeps the replication that it has');
  }
  for (const field of ['account', 'region'] as const) {
    if (config[field] === undefined) {
      check.refuse(field, undefined, 'a replica lies elsewhere, so it needs to know where this is');
    }
  }
  check.matches(
    'replica.bucketArn',
    replica.bucketArn,
    /^arn:aws[a-z-]*:s3:::[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/,
    'use the ARN of a bucket such as arn:aws:s3:::evidence-replica',
  );
  const [, region, account] =
    /^arn:aws[a-z-]*:kms:([a-z0-9-]+):(\d{12}):key\/[\w-]+$/.exec(replica.kmsKeyArn) ?? [];
  if (region === undefined) {
    check.refuse(
      'replica.kmsKeyArn',
      replica.kmsKeyArn,
      'use the ARN of a KMS key, not of an alias, in the account and region of the bucket',
    );
  }
  if (region === config.region && account === config.account) {
    check.refuse(
      'replica.kmsKeyArn',
      replica.kmsKeyArn,
      'a copy in the same account and region is lost with the vault: use another account or region',
    );
  }
}
