import type { GuardSetting } from '../../lambdas/domain/audit/guard-policy.ts';
import { expectedGuards } from '../../lambdas/domain/audit/guards.ts';
import type { GuardReader, Seen } from '../../lambdas/domain/audit/ports.ts';

export const GUARDS: GuardSetting = {
  mode: 'GOVERNANCE',
  floorDays: 1,
  bucketArn: 'arn:aws:s3:::vault',
  bucketName: 'vault',
  keyArn: 'arn:aws:kms:eu-central-1:111122223333:key/1',
  hmacKeyArns: ['arn:aws:kms:eu-central-1:111122223333:key/3'],
  signing: {
    keyArns: ['arn:aws:kms:eu-central-1:111122223333:key/2'],
    sealerRoleArn: 'arn:aws:iam::111122223333:role/sealer',
  },
  accessLogBucketName: 'access-logs',
  uploadDays: 1,
  deploymentRoleArn: 'arn:aws:iam::111122223333:role/deploy',
};

const sight = <T extends object>(guards: T) =>
  Object.fromEntries(
    Object.entries(guards).map(([name, value]) => [name, { status: 'seen', value }]),
  ) as Seen<T>;

/** A reader that sees everything as it was deployed, but for these settings of the bucket. */
export function guardsSeen(bucket: Partial<Awaited<ReturnType<GuardReader['bucket']>>> = {}) {
  const standing = expectedGuards(GUARDS);
  return {
    bucket: async () => ({ ...sight(standing.bucket), ...bucket }),
    key: async (keyArn) =>
      sight(GUARDS.signing.keyArns.includes(keyArn) ? standing.signingKey : standing.key) as never,
  } satisfies GuardReader;
}
