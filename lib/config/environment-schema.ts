import * as v from 'valibot';
import type {
  AdoptedResources,
  CustomDomain,
  EndpointAuth,
  EnvironmentConfig,
  EnvironmentKind,
  GatewayAccountRole,
  LockMode,
  PrivateEndpoint,
  PublicEndpoint,
  ReplicaConfig,
  RetentionClassConfig,
  RetentionConfig,
  SealingConfig,
  StreamConfig,
  VerificationConfig,
} from './environment-config.ts';

/** One schema for each member of a type, the optional ones included, so that type and schema cannot drift apart. */
type Members<T> = { readonly [K in keyof T]-?: v.GenericSchema<T[K]> };

const text = (what = 'text') => v.string(`use ${what}`);
const texts = (what: string) => v.array(text(), `use a list of ${what}`);
const number = v.number('use a number');
const flag = v.boolean('use true or false');

const oneOf = <const T extends string>(...options: readonly T[]) =>
  v.picklist(options, `use ${listed(options, 'or')}`);

/** An object of exactly these members: a misspelt one would silently leave a guard out. */
const object = <T extends v.ObjectEntries>(members: T) =>
  v.strictObject(members, (issue) => {
    const names = Object.keys(members);
    if (issue.expected === 'never') return `there is no such field: use ${listed(names, 'or')}`;
    const missing = members[issue.path?.at(-1)?.key as string];
    return missing ? adviceOf(missing) : `use an object of ${listed(names, 'and')}`;
  });

const auth = oneOf<EndpointAuth>('bearer', 'iam');

const publicEndpoint = object({
  kind: v.literal('public'),
  auth,
  allowedCidrs: v.optional(texts('CIDR ranges')),
  waf: v.optional(object({ requestsPerFiveMinutes: number })),
  webAclArn: v.optional(text()),
  customDomain: v.optional(
    object({
      domainName: text(),
      certificateArn: text('the ARN of an ACM certificate for the name, in the region of the API'),
      hostedZone: v.optional(object({ hostedZoneId: text(), zoneName: text() })),
    } satisfies Members<CustomDomain>),
  ),
} satisfies Members<PublicEndpoint>);

const privateEndpoint = object({
  kind: v.literal('private'),
  auth,
  vpcEndpointIds: texts('ids such as vpce-0a1b2c3d'),
} satisfies Members<PrivateEndpoint>);

const adoptedBucket = object({ bucketName: text(), keyArn: text('the ARN of its KMS key') });
const adoptedStream = object({ streamArn: text(), keyArn: text('the ARN of its KMS key') });

/** The shape of an environment; what its values mean together is checked by rules after it. */
export const environmentSchema = object({
  name: text(),
  kind: oneOf<EnvironmentKind>('emulator', 'trial', 'production'),
  account: v.optional(text()),
  region: v.optional(text()),
  retention: object({
    mode: oneOf<LockMode>('GOVERNANCE', 'COMPLIANCE'),
    lineageDays: number,
    traceDays: number,
    floorDays: number,
    classes: v.optional(
      v.record(
        text(),
        object({ lineageDays: number, traceDays: number } satisfies Members<RetentionClassConfig>),
      ),
    ),
  } satisfies Members<RetentionConfig>),
  acknowledgeCompliance: v.optional(text()),
  stagingDays: number,
  streams: object({
    retentionHours: number,
    capacity: v.variant(
      'mode',
      [
        object({ mode: v.literal('provisioned'), shards: number }),
        object({ mode: v.literal('on-demand') }),
      ],
      'use provisioned, with shards, or on-demand',
    ),
    maxRecordBytes: number,
  } satisfies Members<StreamConfig>),
  archive: object({
    windowSeconds: number,
    retryAttempts: number,
    batchSize: number,
  } satisfies Members<EnvironmentConfig['archive']>),
  sealing: object({
    intervalMinutes: number,
    closeAfterSeconds: number,
    graceMinutes: number,
    anchorTopicArn: v.optional(text()),
    signingKey: v.optional(number),
  } satisfies Members<SealingConfig>),
  verification: object({ periodDays: number } satisfies Members<VerificationConfig>),
  reservedConcurrency: v.optional(
    object({
      ingest: number,
      archive: number,
      query: number,
      producers: number,
      holds: number,
    } satisfies Members<NonNullable<EnvironmentConfig['reservedConcurrency']>>),
  ),
  throttling: object({
    rateLimit: number,
    burstLimit: number,
  } satisfies Members<EnvironmentConfig['throttling']>),
  keyCacheSeconds: number,
  endpoint: v.variant('kind', [publicEndpoint, privateEndpoint], 'use public or private'),
  gatewayAccountRole: oneOf<GatewayAccountRole>('none', 'existing', 'create'),
  logRetentionDays: number,
  schedules: object({
    auditRetention: text('an EventBridge expression such as rate(1 day)'),
    reportRejections: text('an EventBridge expression such as rate(1 hour)'),
    reconcileHolds: text('an EventBridge expression such as rate(1 day)'),
    verify: text('an EventBridge expression such as rate(1 day)'),
  } satisfies Members<EnvironmentConfig['schedules']>),
  alarms: object({
    emails: v.optional(texts('e-mail addresses')),
  } satisfies Members<EnvironmentConfig['alarms']>),
  join: object({
    runIdAttributes: texts('names'),
    traceContextFacets: texts('names'),
  } satisfies Members<EnvironmentConfig['join']>),
  redaction: v.optional(
    v.custom<NonNullable<EnvironmentConfig['redaction']>>(
      (value) => value === 'strict' || (typeof value === 'object' && value !== null),
      'use strict, or an object of what differs',
    ),
  ),
  guards: object({
    deploymentRoleArn: v.optional(text()),
    breakGlassRoleArn: v.optional(text()),
  } satisfies Members<EnvironmentConfig['guards']>),
  replica: v.optional(
    object({
      bucketArn: text('the ARN of the bucket that holds the copies'),
      kmsKeyArn: text('the ARN of the key that encrypts the copies'),
    } satisfies Members<ReplicaConfig>),
  ),
  adopt: v.optional(
    object({
      vault: adoptedBucket,
      hmacKeyArn: text(),
      signing: object({ roleName: text(), keyArns: texts('ARNs') }),
      staging: v.optional(adoptedBucket),
      lineage: v.optional(adoptedStream),
      traces: v.optional(adoptedStream),
    } satisfies Members<AdoptedResources>),
  ),
  deletionProtection: flag,
} satisfies Members<EnvironmentConfig>);

/** What a schema says about a value that is not there. */
function adviceOf(schema: v.GenericSchema): string {
  return v.safeParse(schema, undefined).issues?.[0].message ?? 'set it';
}

function listed(words: readonly string[], last: 'and' | 'or'): string {
  if (words.length === 1) return words[0] as string;
  return `${words.slice(0, -1).join(', ')} ${last} ${words.at(-1)}`;
}
