import { RetentionDays } from 'aws-cdk-lib/aws-logs';
import * as v from 'valibot';
import { ConfigCheck } from './config-check.ts';
import { checkEndpoint } from './endpoint-rules.ts';
import type { EnvironmentConfig } from './environment-config.ts';
import { environmentSchema } from './environment-schema.ts';
import { checkGuardRoles } from './guard-rules.ts';
import { checkRedaction } from './redaction-rules.ts';
import { checkReplica } from './replica-rules.ts';
import { checkRetention } from './retention-rules.ts';
import { checkSealing } from './sealing-rules.ts';

const KIB = 1024;
const MIB = 1024 * KIB;

/** Lambda takes up to ten records without a batching window, and asks for a window beyond. */
const UNWINDOWED_BATCH = 10;

/** What nobody looked at for a year is not verified. */
const MAX_PERIOD_DAYS = 365;

/** Longer, and disabling a key would not be an answer to its loss. */
const MAX_KEY_CACHE_SECONDS = 900;

const BUCKET_NAME = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const ROLE_NAME = /^[\w+=,.@-]{1,64}$/;
const KEY_ARN = /^arn:aws[a-z-]*:kms:[a-z0-9-]+:\d{12}:key\/[A-Za-z0-9-]+$/;
const STREAM_ARN = /^arn:aws[a-z-]*:kinesis:[a-z0-9-]+:\d{12}:stream\/[A-Za-z0-9_.-]+$/;

const LOG_PERIODS: readonly unknown[] = Object.values(RetentionDays);

/**
 * Returns the config unchanged, or throws a `ConfigError` for the first field that cannot be deployed. Types alone
 * are no guard: neither `cdk synth` nor `npm run deploy` compiles.
 */
export function validateEnvironmentConfig(config: EnvironmentConfig): EnvironmentConfig {
  const check = new ConfigCheck(config.name ?? 'an environment without a name');
  checkShape(check, config);
  checkPlace(check, config);
  checkRetention(check, config);
  checkGuardRoles(check, config);
  checkReplica(check, config);
  checkRedaction(check, config);
  checkSealing(check, config);
  checkCapacity(check, config);
  checkEndpoint(check, config);
  checkOperations(check, config);
  checkAdoption(check, config);
  check.names('join.runIdAttributes', config.join.runIdAttributes);
  check.names('join.traceContextFacets', config.join.traceContextFacets);
  return config;
}

/** Every member known, every required one there, every value of its kind: the rules after it rely on that. */
function checkShape(check: ConfigCheck, config: EnvironmentConfig): void {
  const [issue] = v.safeParse(environmentSchema, config, { abortEarly: true }).issues ?? [];
  if (!issue) return;
  const field = v.getDotPath(issue) ?? 'the environment';
  check.refuse(field, issue.path?.at(-1)?.value, issue.message);
}

function checkPlace(check: ConfigCheck, config: EnvironmentConfig): void {
  const { name, account, region } = config;
  check.matches('name', name, /^[a-z][a-z0-9]{1,15}$/, 'use 2 to 16 lower-case letters or digits');
  check.matches('account', account, /^\d{12}$/, 'use the twelve digits of the account id');
  check.matches('region', region, /^[a-z]{2}(-[a-z]+)+-\d$/, 'use a region such as eu-central-1');
}

function checkCapacity(check: ConfigCheck, config: EnvironmentConfig): void {
  const { streams, archive, throttling } = config;
  check.whole('stagingDays', config.stagingDays, 1, 3650);
  check.whole('streams.retentionHours', streams.retentionHours, 24, 8760);
  check.whole('streams.maxRecordBytes', streams.maxRecordBytes, MIB, 10 * MIB);
  if (streams.maxRecordBytes % KIB !== 0) {
    check.refuse('streams.maxRecordBytes', streams.maxRecordBytes, `use a multiple of ${KIB}`);
  }
  if (streams.capacity.mode === 'provisioned') {
    const { shards } = streams.capacity;
    const reserved = config.reservedConcurrency?.archive;
    check.whole('streams.capacity.shards', shards, 1, 10_000);
    if (reserved !== undefined && reserved < shards) {
      check.refuse(
        'reservedConcurrency.archive',
        reserved,
        `each shard needs one: use ${shards} or more`,
      );
    }
  }
  check.whole('archive.windowSeconds', archive.windowSeconds, 0, 300);
  check.whole('archive.retryAttempts', archive.retryAttempts, 1, 10_000);
  check.whole('archive.batchSize', archive.batchSize, 1, 10_000);
  if (archive.batchSize > UNWINDOWED_BATCH && archive.windowSeconds === 0) {
    check.refuse('archive.windowSeconds', 0, `use 1 or more with batches over ${UNWINDOWED_BATCH}`);
  }
  for (const [group, value] of Object.entries(config.reservedConcurrency ?? {})) {
    check.whole(`reservedConcurrency.${group}`, value, 1, 10_000);
  }
  check.whole('throttling.rateLimit', throttling.rateLimit, 1, 100_000);
  check.whole('throttling.burstLimit', throttling.burstLimit, 1, 100_000);
  check.whole('verification.periodDays', config.verification.periodDays, 1, MAX_PERIOD_DAYS);
  check.whole('keyCacheSeconds', config.keyCacheSeconds, 1, MAX_KEY_CACHE_SECONDS);
}

function checkAdoption(check: ConfigCheck, { adopt, sealing }: EnvironmentConfig): void {
  if (!adopt) return;
  for (const bucket of ['vault', 'staging'] as const) {
    const field = `adopt.${bucket}`;
    const { bucketName, keyArn } = adopt[bucket] ?? {};
    check.matches(`${field}.bucketName`, bucketName, BUCKET_NAME, 'use the name of a bucket');
    check.matches(`${field}.keyArn`, keyArn, KEY_ARN, 'use the ARN of its KMS key');
  }
  for (const stream of ['lineage', 'traces'] as const) {
    const field = `adopt.${stream}`;
    const { streamArn, keyArn } = adopt[stream] ?? {};
    check.matches(`${field}.streamArn`, streamArn, STREAM_ARN, 'use the ARN of a Kinesis stream');
    check.matches(`${field}.keyArn`, keyArn, KEY_ARN, 'use the ARN of its KMS key');
  }
  check.matches('adopt.hmacKeyArn', adopt.hmacKeyArn, KEY_ARN, 'use the ARN of a KMS key');
  const { roleName, keyArns } = adopt.signing;
  check.matches('adopt.signing.roleName', roleName, ROLE_NAME, 'use the name of an IAM role');
  for (const keyArn of keyArns) {
    check.matches('adopt.signing.keyArns', keyArn, KEY_ARN, 'use the ARNs of KMS keys');
  }
  if (keyArns.length === 0) {
    check.refuse('adopt.signing.keyArns', keyArns, 'name the key that signed the last digest');
  }
  if (sealing.signingKey !== undefined && sealing.signingKey < keyArns.length - 1) {
    check.refuse(
      'sealing.signingKey',
      sealing.signingKey,
      `the adopted keys are generations 0 to ${keyArns.length - 1}: use the last of them or a later one`,
    );
  }
}

function checkOperations(check: ConfigCheck, config: EnvironmentConfig): void {
  if (!LOG_PERIODS.includes(config.logRetentionDays)) {
    check.refuse(
      'logRetentionDays',
      config.logRetentionDays,
      'use a period that CloudWatch Logs knows, such as 30, 90, 365 or 731',
    );
  }
  for (const [control, expression] of Object.entries(config.schedules)) {
    check.matches(
      `schedules.${control}`,
      expression,
      /^(rate|cron)\([^()]+\)$/,
      'use an EventBridge expression such as rate(1 day)',
    );
  }
  for (const email of config.alarms.emails ?? []) {
    check.matches('alarms.emails', email, /^[^@\s]+@[^@\s]+$/, 'use an e-mail address');
  }
}
