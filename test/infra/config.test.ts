import { describe, expect, it } from 'vitest';
import { ConfigError } from '../../lib/config/config-check.ts';
import type {
  CustomDomain,
  EnvironmentConfig,
  PublicEndpoint,
} from '../../lib/config/environment-config.ts';
import { environments } from '../../lib/config/environments.ts';
import { retentionSetting } from '../../lib/config/retention-setting.ts';
import { validateEnvironmentConfig } from '../../lib/config/validate-environment-config.ts';
import { createStage } from '../support/synth.ts';

const { local, prod, trial } = environments;

const withClass = (name: string, periods: { lineageDays: number; traceDays: number }) => ({
  ...trial,
  retention: { ...trial.retention, classes: { [name]: periods } },
});

describe('environment config', () => {
  it.each(Object.entries(environments))('accepts %s', (_, config) => {
    expect(validateEnvironmentConfig(config)).toBe(config);
  });

  const openDoor = { kind: 'public', auth: 'bearer' } as const;
  const webAclArn = 'arn:aws:wafv2:eu-central-1:111122223333:regional/webacl/a/b';
  const VIRGINIA = 'arn:aws:acm:us-east-1:111122223333:certificate/c';
  const domain: CustomDomain = { domainName: 'lineage.example.org', certificateArn: VIRGINIA };
  const named = (overrides: Partial<CustomDomain>) =>
    ({ ...openDoor, customDomain: { ...domain, ...overrides } }) as const;
  /** What TypeScript lets through in a spread. */
  const closedDoor = (extra: Partial<PublicEndpoint>) =>
    ({ ...extra, kind: 'private', auth: 'bearer', vpcEndpointIds: ['vpce-0a1b2c3d'] }) as const;
  const tooWide = (length: number) =>
    `so wide a range guards nothing: name ranges of /${length} or narrower, or leave allowedCidrs out where everybody may call`;
  const BREAK_GLASS = 'arn:aws:iam::111122223333:role/break-glass';
  const REPLICA_ALIAS = 'arn:aws:kms:eu-west-1:444455556666:alias/replica';
  const KEY_BESIDE = 'arn:aws:kms:eu-central-1:111122223333:key/1';
  const replica = {
    bucketArn: 'arn:aws:s3:::evidence-replica',
    kmsKeyArn: 'arn:aws:kms:eu-west-1:444455556666:key/1',
  };
  const refused: [string, EnvironmentConfig, string][] = [
    [
      'a name that is no stack name',
      { ...trial, name: 'My Trial' },
      'My Trial: name is "My Trial"; use 2 to 16 lower-case letters or digits',
    ],
    [
      'a short account id',
      { ...trial, account: '1234' },
      'trial: account is "1234"; use the twelve digits of the account id',
    ],
    [
      'no region',
      { ...trial, region: 'Frankfurt' },
      'trial: region is "Frankfurt"; use a region such as eu-central-1',
    ],
    [
      'digests that do not fit into an hour',
      { ...trial, sealing: { ...trial.sealing, intervalMinutes: 25 } },
      'trial: sealing.intervalMinutes is 25; use a whole divisor of 60',
    ],
    [
      'digests of no time',
      { ...trial, sealing: { ...trial.sealing, intervalMinutes: 0 } },
      'trial: sealing.intervalMinutes is 0; use a whole number from 1 to 60',
    ],
    [
      'digests that close before S3 has shown what landed',
      { ...trial, sealing: { ...trial.sealing, closeAfterSeconds: 0 } },
      'trial: sealing.closeAfterSeconds is 0; use a whole number from 1 to 3600',
    ],
    [
      'a signing key of no generation',
      { ...trial, sealing: { ...trial.sealing, signingKey: -1 } },
      'trial: sealing.signingKey is -1; use a whole number from 0 to 99',
    ],
    [
      'an anchor that is no topic',
      { ...trial, sealing: { ...trial.sealing, anchorTopicArn: 'heads' } },
      'trial: sealing.anchorTopicArn is "heads"; use the ARN of a standard SNS topic, of another account',
    ],
    [
      'traces that expire before their lineage',
      { ...trial, retention: { ...trial.retention, traceDays: 6 } },
      'trial: retention.traceDays is 6; traces may not expire before the lineage they explain: use 7 or more',
    ],
    [
      'a floor above the period',
      { ...trial, retention: { ...trial.retention, floorDays: 8 } },
      'trial: retention.floorDays is 8; the floor may not exceed retention.lineageDays: use 7 or less',
    ],
    [
      'a class below the floor',
      withClass('short', { lineageDays: 6, traceDays: 7 }),
      'trial: retention.classes.short.lineageDays is 6; no class may go below the floor: use 7 or more',
    ],
    [
      'a class whose traces expire before their lineage',
      withClass('long', { lineageDays: 90, traceDays: 30 }),
      'trial: retention.classes.long.traceDays is 30; traces may not expire before the lineage they explain: use 90 or more',
    ],
    [
      'a class with the name of the standard one',
      withClass('standard', { lineageDays: 90, traceDays: 90 }),
      'trial: retention.classes.standard is "standard"; use a name of lower-case letters, digits and hyphens, and not standard',
    ],
    [
      'a class whose name is no name',
      withClass('Long Term', { lineageDays: 90, traceDays: 90 }),
      'trial: retention.classes.Long Term is "Long Term"; use a name of lower-case letters, digits and hyphens, and not standard',
    ],
    [
      'a floor of zero',
      { ...trial, retention: { ...trial.retention, floorDays: 0 } },
      'trial: retention.floorDays is 0; use a whole number from 1 to 36500',
    ],
    [
      'a key cache that outlasts a stolen key',
      { ...trial, keyCacheSeconds: 901 },
      'trial: keyCacheSeconds is 901; use a whole number from 1 to 900',
    ],
    [
      'a redaction that is none',
      { ...trial, redaction: 'lax' as 'strict' },
      'trial: redaction is "lax"; use strict, or an object of what differs',
    ],
    [
      'a misspelt field of the redaction policy',
      { ...trial, redaction: { kep: ['facet:a'] } as EnvironmentConfig['redaction'] },
      'trial: redaction.kep is ["facet:a"]; there is no such field: use base, strictUnknown, keep, drop, scan, dialects, exactFingerprints, subject, acknowledgeRisk',
    ],
    [
      'a policy that keeps statements without a reason',
      { ...trial, redaction: { keep: ['facet:sql.query'] } },
      'trial: redaction.keep is "facet:sql.query"; this would store what is redacted for good reason: leave it out, or add acknowledgeRisk with the reason why it may be stored',
    ],
    [
      'a dialect that nobody speaks',
      { ...trial, redaction: { dialects: { 'postgres://': 'klingon' } } },
      'trial: redaction.dialects.postgres:// is "klingon"; use a dialect that is known, such as postgres, mysql, tsql or snowflake',
    ],
    [
      'a kind that does not exist',
      { ...trial, kind: 'prod' as EnvironmentConfig['kind'] },
      'trial: kind is "prod"; use emulator, trial or production',
    ],
    [
      'a production floor under the legal minimum, whatever the name',
      { ...prod, name: 'prodeu', retention: { ...prod.retention, floorDays: 189 } },
      'prodeu: retention.floorDays is 189; production may not go below the legal minimum: use 190 or more',
    ],
    [
      'COMPLIANCE without an account',
      { ...prod, account: undefined, acknowledgeCompliance: undefined },
      'prod: account is not set; COMPLIANCE cannot be undone, so it needs the account id',
    ],
    [
      'COMPLIANCE that nobody agreed to',
      { ...prod, acknowledgeCompliance: undefined },
      'prod: acknowledgeCompliance is not set; COMPLIANCE cannot be undone: repeat the account id 111122223333 to agree',
    ],
    [
      'COMPLIANCE agreed to for another account',
      { ...prod, acknowledgeCompliance: '444455556666' },
      'prod: acknowledgeCompliance is "444455556666"; COMPLIANCE cannot be undone: repeat the account id 111122223333 to agree',
    ],
    [
      'a public production API without a guard, whatever the name',
      { ...prod, name: 'prodeu', endpoint: openDoor },
      'prodeu: endpoint is {"kind":"public","auth":"bearer"}; a public production API needs allowedCidrs, waf, webAclArn or auth \'iam\'; or make it private',
    ],
    [
      'a public production API with an empty list of ranges',
      { ...prod, endpoint: { ...openDoor, allowedCidrs: [] } },
      'prod: endpoint is {"kind":"public","auth":"bearer","allowedCidrs":[]}; a public production API needs allowedCidrs, waf, webAclArn or auth \'iam\'; or make it private',
    ],
    [
      'a range that is everybody',
      { ...prod, endpoint: { ...openDoor, allowedCidrs: ['0.0.0.0/0'] } },
      `prod: endpoint.allowedCidrs is "0.0.0.0/0"; ${tooWide(8)}`,
    ],
    [
      'half of everybody, since the other half may stand beside it',
      { ...prod, endpoint: { ...openDoor, allowedCidrs: ['0.0.0.0/1', '128.0.0.0/1'] } },
      `prod: endpoint.allowedCidrs is "0.0.0.0/1"; ${tooWide(8)}`,
    ],
    [
      'an IPv4 range a little too wide',
      { ...prod, endpoint: { ...openDoor, allowedCidrs: ['10.0.0.0/8', '10.0.0.0/7'] } },
      `prod: endpoint.allowedCidrs is "10.0.0.0/7"; ${tooWide(8)}`,
    ],
    [
      'an IPv6 range a little too wide',
      { ...prod, endpoint: { ...openDoor, allowedCidrs: ['2001::/16', '2001::/15'] } },
      `prod: endpoint.allowedCidrs is "2001::/15"; ${tooWide(16)}`,
    ],
    [
      'a range with an address that is none',
      { ...prod, endpoint: { ...openDoor, allowedCidrs: ['192.0.2.256/24'] } },
      'prod: endpoint.allowedCidrs is "192.0.2.256/24"; use a CIDR range such as 192.0.2.0/24',
    ],
    [
      'a range narrower than one address',
      { ...prod, endpoint: { ...openDoor, allowedCidrs: ['192.0.2.0/33'] } },
      'prod: endpoint.allowedCidrs is "192.0.2.0/33"; use a CIDR range such as 192.0.2.0/24',
    ],
    [
      'a range that is none',
      { ...prod, endpoint: { ...openDoor, allowedCidrs: ['office'] } },
      'prod: endpoint.allowedCidrs is "office"; use a CIDR range such as 192.0.2.0/24',
    ],
    [
      'a web ACL of CloudFront',
      {
        ...prod,
        endpoint: {
          ...openDoor,
          webAclArn: 'arn:aws:wafv2:us-east-1:111122223333:global/webacl/a/b',
        },
      },
      'prod: endpoint.webAclArn is "arn:aws:wafv2:us-east-1:111122223333:global/webacl/a/b"; use the ARN of a regional WAFv2 web ACL',
    ],
    [
      'two web ACLs',
      { ...trial, endpoint: { ...openDoor, webAclArn, waf: { requestsPerFiveMinutes: 100 } } },
      'trial: endpoint.waf is {"requestsPerFiveMinutes":100}; a stage takes one web ACL: leave out waf or endpoint.webAclArn',
    ],
    [
      'a rate below what WAF takes',
      { ...trial, endpoint: { ...openDoor, waf: { requestsPerFiveMinutes: 9 } } },
      'trial: endpoint.waf.requestsPerFiveMinutes is 9; use a whole number from 10 to 2000000000',
    ],
    [
      'a domain name with a scheme',
      { ...trial, endpoint: named({ domainName: 'https://lineage.example.org' }) },
      'trial: endpoint.customDomain.domainName is "https://lineage.example.org"; use a lower-case name such as lineage.example.org',
    ],
    [
      'a certificate of another region',
      { ...prod, endpoint: { ...named({ certificateArn: VIRGINIA }), auth: 'iam' } },
      `prod: endpoint.customDomain.certificateArn is "${VIRGINIA}"; use the ARN of an ACM certificate in eu-central-1`,
    ],
    [
      'a certificate that is none',
      { ...trial, endpoint: named({ certificateArn: 'arn:aws:iam::111122223333:role/me' }) },
      'trial: endpoint.customDomain.certificateArn is "arn:aws:iam::111122223333:role/me"; use the ARN of an ACM certificate in the region of the API',
    ],
    [
      'a zone that does not hold the domain',
      {
        ...trial,
        endpoint: named({ hostedZone: { hostedZoneId: 'Z1', zoneName: 'ample.org' } }),
      },
      'trial: endpoint.customDomain.hostedZone.zoneName is "ample.org"; lineage.example.org does not lie in this zone: use the zone that holds it',
    ],
    [
      'the id of a zone that is none',
      {
        ...trial,
        endpoint: named({ hostedZone: { hostedZoneId: 'example', zoneName: 'example.org' } }),
      },
      'trial: endpoint.customDomain.hostedZone.hostedZoneId is "example"; use the id of a Route 53 zone such as Z0123456789ABC',
    ],
    [
      'a private API with a custom domain',
      { ...prod, endpoint: closedDoor({ customDomain: domain }) },
      `prod: endpoint.customDomain is ${JSON.stringify(domain)}; there is no such field: use kind, auth or vpcEndpointIds`,
    ],
    [
      'a private API with address ranges',
      { ...prod, endpoint: closedDoor({ allowedCidrs: ['10.0.0.0/8'] }) },
      'prod: endpoint.allowedCidrs is ["10.0.0.0/8"]; there is no such field: use kind, auth or vpcEndpointIds',
    ],
    [
      'a private API with a rate rule',
      { ...prod, endpoint: closedDoor({ waf: { requestsPerFiveMinutes: 100 } }) },
      'prod: endpoint.waf is {"requestsPerFiveMinutes":100}; there is no such field: use kind, auth or vpcEndpointIds',
    ],
    [
      'a private API with a web ACL',
      { ...prod, endpoint: closedDoor({ webAclArn }) },
      `prod: endpoint.webAclArn is "${webAclArn}"; there is no such field: use kind, auth or vpcEndpointIds`,
    ],
    [
      'a private API without an endpoint',
      { ...prod, endpoint: { kind: 'private', auth: 'bearer', vpcEndpointIds: [] } },
      'prod: endpoint.vpcEndpointIds is []; name at least one: nobody could call the API',
    ],
    [
      'an endpoint id that is none',
      { ...prod, endpoint: { kind: 'private', auth: 'bearer', vpcEndpointIds: ['vpc-1'] } },
      'prod: endpoint.vpcEndpointIds is "vpc-1"; use an id such as vpce-0a1b2c3d',
    ],
    [
      'records larger than Kinesis takes',
      { ...trial, streams: { ...trial.streams, maxRecordBytes: 11 * 1024 * 1024 } },
      'trial: streams.maxRecordBytes is 11534336; use a whole number from 1048576 to 10485760',
    ],
    [
      'a record size between two KiB',
      { ...trial, streams: { ...trial.streams, maxRecordBytes: 2_000_000 } },
      'trial: streams.maxRecordBytes is 2000000; use a multiple of 1024',
    ],
    [
      'a stream that forgets within the day',
      { ...trial, streams: { ...trial.streams, retentionHours: 23 } },
      'trial: streams.retentionHours is 23; use a whole number from 24 to 8760',
    ],
    [
      'no shard',
      { ...trial, streams: { ...trial.streams, capacity: { mode: 'provisioned', shards: 0 } } },
      'trial: streams.capacity.shards is 0; use a whole number from 1 to 10000',
    ],
    [
      'large batches without a window',
      { ...trial, archive: { ...trial.archive, windowSeconds: 0 } },
      'trial: archive.windowSeconds is 0; use 1 or more with batches over 10',
    ],
    [
      'a failure queue that would get everything at once',
      { ...trial, archive: { ...trial.archive, retryAttempts: 0 } },
      'trial: archive.retryAttempts is 0; use a whole number from 1 to 10000',
    ],
    [
      'no concurrency at all',
      {
        ...trial,
        reservedConcurrency: { ingest: 0, archive: 1, query: 1, producers: 1, holds: 1 },
      },
      'trial: reservedConcurrency.ingest is 0; use a whole number from 1 to 10000',
    ],
    [
      'fewer archive invocations than shards',
      { ...prod, reservedConcurrency: { ingest: 1, archive: 3, query: 1, producers: 1, holds: 1 } },
      'prod: reservedConcurrency.archive is 3; each shard needs one: use 4 or more',
    ],
    [
      'a stage that takes no request',
      { ...trial, throttling: { rateLimit: 0, burstLimit: 1 } },
      'trial: throttling.rateLimit is 0; use a whole number from 1 to 100000',
    ],
    [
      'a log period that CloudWatch does not know',
      { ...trial, logRetentionDays: 100 },
      'trial: logRetentionDays is 100; use a period that CloudWatch Logs knows, such as 30, 90, 365 or 731',
    ],
    [
      'a schedule in words',
      { ...trial, schedules: { ...trial.schedules, auditRetention: 'daily' } },
      'trial: schedules.auditRetention is "daily"; use an EventBridge expression such as rate(1 day)',
    ],
    [
      'an address that is none',
      { ...trial, alarms: { emails: ['ops'] } },
      'trial: alarms.emails is "ops"; use an e-mail address',
    ],
    [
      'a join by nothing',
      { ...trial, join: { ...trial.join, runIdAttributes: [] } },
      'trial: join.runIdAttributes is []; name at least one',
    ],
    [
      'a facet name with a comma',
      { ...trial, join: { ...trial.join, traceContextFacets: ['a,b'] } },
      'trial: join.traceContextFacets is "a,b"; use names without blanks or commas',
    ],
    [
      'a deployment role that is a user',
      { ...trial, guards: { deploymentRoleArn: 'arn:aws:iam::111122223333:user/me' } },
      'trial: guards.deploymentRoleArn is "arn:aws:iam::111122223333:user/me"; use the ARN of the IAM role that CloudFormation deploys with, without wildcard',
    ],
    [
      'a deployment role with a wildcard, which would be everybody',
      { ...trial, guards: { deploymentRoleArn: 'arn:aws:iam::111122223333:role/*' } },
      'trial: guards.deploymentRoleArn is "arn:aws:iam::111122223333:role/*"; use the ARN of the IAM role that CloudFormation deploys with, without wildcard',
    ],
    [
      'a break-glass role of another account',
      { ...trial, account: '444455556666', guards: { breakGlassRoleArn: BREAK_GLASS } },
      `trial: guards.breakGlassRoleArn is "${BREAK_GLASS}"; use the ARN of an IAM role that nobody uses from day to day, in account 444455556666`,
    ],
    [
      'a break-glass role where nobody breaks a lock',
      { ...prod, guards: { breakGlassRoleArn: BREAK_GLASS } },
      `prod: guards.breakGlassRoleArn is "${BREAK_GLASS}"; nobody lifts a COMPLIANCE lock: leave it out`,
    ],
    [
      'a deployment that may delete evidence',
      { ...trial, guards: { breakGlassRoleArn: BREAK_GLASS, deploymentRoleArn: BREAK_GLASS } },
      `trial: guards.breakGlassRoleArn is "${BREAK_GLASS}"; every deployment would hold the right to delete evidence: use another role than guards.deploymentRoleArn`,
    ],
    [
      'a replica of a vault that may be anywhere',
      { ...trial, account: '111122223333', replica },
      'trial: region is not set; a replica lies elsewhere, so it needs to know where this is',
    ],
    [
      'a replica that is no bucket',
      { ...prod, replica: { ...replica, bucketArn: 'evidence-replica' } },
      'prod: replica.bucketArn is "evidence-replica"; use the ARN of a bucket such as arn:aws:s3:::evidence-replica',
    ],
    [
      'a replica under an alias',
      { ...prod, replica: { ...replica, kmsKeyArn: REPLICA_ALIAS } },
      `prod: replica.kmsKeyArn is "${REPLICA_ALIAS}"; use the ARN of a KMS key, not of an alias, in the account and region of the bucket`,
    ],
    [
      'a replica beside the vault',
      { ...prod, replica: { ...replica, kmsKeyArn: KEY_BESIDE } },
      `prod: replica.kmsKeyArn is "${KEY_BESIDE}"; a copy in the same account and region is lost with the vault: use another account or region`,
    ],
    [
      'a staging bucket without expiry',
      { ...trial, stagingDays: 0 },
      'trial: stagingDays is 0; use a whole number from 1 to 3650',
    ],
  ];

  it.each(refused)('refuses %s', (_, config, message) => {
    expect(() => validateEnvironmentConfig(config)).toThrow(new RegExp(`^${literal(message)}$`));
    expect(() => validateEnvironmentConfig(config)).toThrow(ConfigError);
  });

  /** What only a compiler would see, and neither `cdk synth` nor `npm run deploy` compiles. */
  const miswritten: [string, object, string][] = [
    [
      'endpoint.auth',
      { endpoint: { ...openDoor, auth: 'IAM' } },
      'endpoint.auth is "IAM"; use bearer or iam',
    ],
    [
      'endpoint.auth',
      { endpoint: { kind: 'public' } },
      'endpoint.auth is not set; use bearer or iam',
    ],
    [
      'endpoint.kind',
      { endpoint: { ...openDoor, kind: 'Private' } },
      'endpoint.kind is "Private"; use public or private',
    ],
    ['endpoint', { endpoint: 'private' }, 'endpoint is "private"; use public or private'],
    [
      'endpoint.vpcEndpointIds',
      { endpoint: { kind: 'private', auth: 'iam' } },
      'endpoint.vpcEndpointIds is not set; use a list of ids such as vpce-0a1b2c3d',
    ],
    [
      'endpoint.wfa',
      { endpoint: { ...openDoor, wfa: { requestsPerFiveMinutes: 10 } } },
      'endpoint.wfa is {"requestsPerFiveMinutes":10}; there is no such field: use kind, auth, allowedCidrs, waf, webAclArn or customDomain',
    ],
    [
      'endpoint.allowedCidrs',
      { endpoint: { ...openDoor, allowedCidrs: '192.0.2.0/24' } },
      'endpoint.allowedCidrs is "192.0.2.0/24"; use a list of CIDR ranges',
    ],
    [
      'endpoint.customDomain',
      { endpoint: { ...openDoor, customDomain: { domainName: 'lineage.example.org' } } },
      'endpoint.customDomain.certificateArn is not set; use the ARN of an ACM certificate for the name, in the region of the API',
    ],
    [
      'retention.mode',
      { retention: { ...trial.retention, mode: 'compliance' } },
      'retention.mode is "compliance"; use GOVERNANCE or COMPLIANCE',
    ],
    [
      'streams.capacity.mode',
      { streams: { ...trial.streams, capacity: { mode: 'onDemand' } } },
      'streams.capacity.mode is "onDemand"; use provisioned, with shards, or on-demand',
    ],
    [
      'gatewayAccountRole',
      { gatewayAccountRole: true },
      'gatewayAccountRole is true; use none, existing or create',
    ],
    [
      'retention',
      { retention: undefined },
      'retention is not set; use an object of mode, lineageDays, traceDays, floorDays and classes',
    ],
    [
      'deletionProtection',
      { deletionProtection: 'no' },
      'deletionProtection is "no"; use true or false',
    ],
    ['stagingDays', { stagingDays: '14' }, 'stagingDays is "14"; use a number'],
    [
      'alarms.email',
      { alarms: { email: ['a@example.org'] } },
      'alarms.email is ["a@example.org"]; there is no such field: use emails',
    ],
  ];

  it.each(miswritten)('refuses a miswritten %s', (_, members, message) => {
    expect(() => validateEnvironmentConfig({ ...trial, ...members })).toThrow(
      new RegExp(`^${literal(`trial: ${message}`)}$`),
    );
  });

  /** Every optional member set. */
  const full: EnvironmentConfig = {
    ...prod,
    endpoint: {
      ...openDoor,
      allowedCidrs: ['192.0.2.0/24'],
      waf: { requestsPerFiveMinutes: 100 },
      customDomain: {
        domainName: 'lineage.example.org',
        certificateArn: VIRGINIA.replace('us-east-1', 'eu-central-1'),
        hostedZone: { hostedZoneId: 'Z1', zoneName: 'example.org' },
      },
    },
    alarms: { emails: ['ops@example.org'] },
    guards: { deploymentRoleArn: 'arn:aws:iam::111122223333:role/deploy' },
    replica,
  };
  const objects = objectsOf(full);

  it('knows the full environment', () => {
    expect(validateEnvironmentConfig(full)).toBe(full);
    expect(objects.length).toBeGreaterThan(12);
  });

  it.each(objects)('refuses an unknown field in "%s"', (path) => {
    const config = structuredClone(full);
    Object.assign(at(config, path), { unheard: 1 });
    const field = [...path.split('.').filter(Boolean), 'unheard'].join('.');
    expect(() => validateEnvironmentConfig(config)).toThrow(
      `prod: ${field} is 1; there is no such field`,
    );
  });

  it.each(
    objects.flatMap((path) =>
      Object.keys(at(full, path)).map((name) => [path, name] as [string, string]),
    ),
  )('names a member of "%s" that is null: %s', (path, name) => {
    const config = structuredClone(full);
    Object.assign(at(config, path), { [name]: null });
    const field = [...path.split('.').filter(Boolean), name].join('.');
    const environment = field === 'name' ? 'an environment without a name' : 'prod';
    expect(() => validateEnvironmentConfig(config)).toThrow(
      `${environment}: ${field} is null; use`,
    );
  });

  it.each([
    ['a web ACL', { webAclArn }],
    ['a rate rule', { waf: { requestsPerFiveMinutes: 10 } }],
    ['SigV4', { auth: 'iam' as const }],
    ['ranges', { allowedCidrs: ['2001:db8::/32'] }],
  ])('accepts a public production API behind %s', (_, guard) => {
    const config = { ...prod, endpoint: { ...openDoor, ...guard } };
    expect(validateEnvironmentConfig(config)).toBe(config);
  });

  it.each([
    ['without a zone', {}],
    ['at the top of its zone', { hostedZone: { hostedZoneId: 'Z1', zoneName: domain.domainName } }],
  ])('accepts a custom domain %s', (_, hosted) => {
    const config = { ...trial, endpoint: named(hosted) };
    expect(validateEnvironmentConfig(config)).toBe(config);
  });

  it('does not take a custom domain alone for a guard', () => {
    const certificateArn = VIRGINIA.replace('us-east-1', 'eu-central-1');
    expect(() =>
      validateEnvironmentConfig({ ...prod, endpoint: named({ certificateArn }) }),
    ).toThrow('a public production API needs');
  });

  it('is checked before a stage is built', () => {
    expect(() => createStage({ ...local, stagingDays: 0 })).toThrow('local: stagingDays is 0');
  });

  it('derives how long records about evidence are kept', () => {
    expect(retentionSetting(prod)).toEqual({
      mode: 'COMPLIANCE',
      lineageDays: 2557,
      traceDays: 2557,
      recordDays: 2922,
      floorDays: 190,
      slackDays: 35,
    });
    const longTraces = { ...prod.retention, traceDays: 3000 };
    expect(retentionSetting({ ...prod, retention: longTraces }).recordDays).toBe(3365);
  });
});

const literal = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** Dotted paths of all objects of a config, its own, the empty one, first. */
function objectsOf(value: object, path = ''): string[] {
  const inner = Object.entries(value).flatMap(([name, member]) =>
    typeof member === 'object' && !Array.isArray(member)
      ? objectsOf(member, path === '' ? name : `${path}.${name}`)
      : [],
  );
  return [path, ...inner];
}

function at(config: object, path: string): object {
  return path
    .split('.')
    .filter(Boolean)
    .reduce<object>((value, name) => (value as Record<string, object>)[name] as object, config);
}

describe('the retention setting', () => {
  it('lets records outlive the longest of all classes by a year', () => {
    const setting = retentionSetting(withClass('long', { lineageDays: 90, traceDays: 120 }));
    expect(setting).toMatchObject({ recordDays: 485, classes: { long: { traceDays: 120 } } });
    expect(retentionSetting(trial)).not.toHaveProperty('classes');
  });
});
