import * as v from 'valibot';
import type { GuardSetting } from '../domain/audit/guard-policy.ts';
import { EnvironmentVariableError, requireEnv } from './env.ts';

const days = v.pipe(v.number(), v.integer(), v.minValue(1));
const keyArns = v.pipe(v.array(v.string()), v.minLength(1));

const Schema = v.strictObject({
  mode: v.picklist(['GOVERNANCE', 'COMPLIANCE']),
  floorDays: days,
  bucketArn: v.string(),
  bucketName: v.string(),
  keyArn: v.string(),
  hmacKeyArns: keyArns,
  signing: v.strictObject({
    keyArns,
    sealerRoleArn: v.string(),
  }),
  accessLogBucketName: v.optional(v.string()),
  uploadDays: days,
  deploymentRoleArn: v.string(),
  breakGlassRoleArn: v.optional(v.string()),
  replicaBucketArn: v.optional(v.string()),
});

/** The guards of the vault as they were deployed, from the variable GUARDS (JSON). */
export function requireGuards(env: NodeJS.ProcessEnv = process.env): GuardSetting {
  const parsed = v.safeParse(v.pipe(v.string(), v.parseJson(), Schema), requireEnv('GUARDS', env));
  if (!parsed.success)
    throw new EnvironmentVariableError('environment variable GUARDS is not the guards of a vault');
  return parsed.output;
}
