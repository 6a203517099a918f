import type { RedactionAdditions } from '../../lambdas/domain/redaction/policy-rules.ts';

/**
 * What a deployment is for. `emulator`: disposable, the only kind without termination protection. `trial`: a real
 * account, evidence that nobody has to keep. `production`: evidence under a legal floor, behind a guarded front door.
 */
export type EnvironmentKind = 'emulator' | 'trial' | 'production';

/** Object Lock mode. COMPLIANCE cannot be shortened or removed by anybody, the account's root included. */
export type LockMode = 'GOVERNANCE' | 'COMPLIANCE';

/** How long evidence is kept. Every value is in days. */
export interface RetentionConfig {
  readonly mode: LockMode;
  /** Days that lineage events stay locked after acceptance. */
  readonly lineageDays: number;
  /** Days that governed traces stay locked; at least `lineageDays`, so that no run outlives its spans. */
  readonly traceDays: number;
  /** Legal floor in days: the bucket policy refuses a lock that ends earlier, whatever the class. */
  readonly floorDays: number;
  /**
   * Periods of further classes, by a name in lower-case letters, digits and hyphens. A producer is put into one by its
   * registration, and into the standard class, that of the periods above, otherwise.
   * @default - none
   */
  readonly classes?: Readonly<Record<string, RetentionClassConfig>>;
}

/** How long one class stays locked; see {@link RetentionConfig}. */
export interface RetentionClassConfig {
  readonly lineageDays: number;
  readonly traceDays: number;
}

/** Fixed number of shards; the caller sizes it (1 MiB/s or 1,000 records/s in, for each shard). */
interface ProvisionedCapacity {
  readonly mode: 'provisioned';
  readonly shards: number;
}

/** Kinesis scales by itself, at a higher price for each GB. */
interface OnDemandCapacity {
  readonly mode: 'on-demand';
}

export interface StreamConfig {
  /** Hours a record can be read again; the time an outage of the archive may last. 24 to 8,760. */
  readonly retentionHours: number;
  readonly capacity: ProvisionedCapacity | OnDemandCapacity;
  /** Largest stream record in bytes, a whole number of KiB between 1 MiB and 10 MiB. */
  readonly maxRecordBytes: number;
}

export interface ArchiveConfig {
  /** Seconds a batch may wait for more records, 0 to 300: larger means fewer, larger evidence objects. */
  readonly windowSeconds: number;
  /** Tries for a failing batch before its sequence numbers go to the failure queue, 1 to 10,000. */
  readonly retryAttempts: number;
  /** Most records in one invocation, 1 to 10,000. */
  readonly batchSize: number;
}

/** Invocations set aside for each function, so that a flood at one door cannot starve another. */
interface ReservedConcurrency {
  /** For `ingest` and for `ingest-traces`, each. */
  readonly ingest: number;
  /** For `archive` and for `archive-traces`, each; at least the number of shards. */
  readonly archive: number;
  readonly query: number;
  /** Administrators are few, and strangers may call it: what floods it is refused here and starves no other function. */
  readonly producers: number;
  readonly holds: number;
}

/** How the vault is verified. */
export interface VerificationConfig {
  /** Days in which everything that is sealed is read and hashed once: each day its part of it. */
  readonly periodDays: number;
}

/** The digest chain over what lands in the vault. */
export interface SealingConfig {
  /** Minutes that one digest covers: 1 to 60, a whole divisor of 60. */
  readonly intervalMinutes: number;
  /** Seconds after an interval's end until it is sealed, 1 to 3,600; what shows up later is sealed as late. */
  readonly closeAfterSeconds: number;
  /**
   * Minutes after an interval until a record that was accepted in it and is not stored counts as missing, 1 to 1,440;
   * the alarms on the failure queues fire after 60.
   */
  readonly graceMinutes: number;
  /**
   * ARN of an SNS topic, of another account, that gets the head of the chain after each digest.
   * @default - none, and every digest says `unanchored`
   */
  readonly anchorTopicArn?: string;
  /**
   * Generation of the signing key, 0 to 99: one more makes a new key, which the one before it announces.
   * @default 0
   */
  readonly signingKey?: number;
}

interface ThrottlingConfig {
  /** Steady requests per second of the whole API stage. */
  readonly rateLimit: number;
  /** Requests that may arrive at once on top of the steady rate. */
  readonly burstLimit: number;
}

/** Every function asks for a bearer key; `iam` has the gateway ask for SigV4 first, and the key then comes in `x-evidence-key`. */
export type EndpointAuth = 'bearer' | 'iam';

/** A web ACL of the store's own, with one rule. */
interface RateLimit {
  /** Requests that one address may send in five minutes, 10 to 2,000,000,000; beyond, WAF answers 503 with `Retry-After`. */
  readonly requestsPerFiveMinutes: number;
}

/** A regional domain name with TLS 1.2 at least. */
export interface CustomDomain {
  /** Such as `lineage.example.org`; the whole of it leads to this API. */
  readonly domainName: string;
  /** ARN of a certificate in AWS Certificate Manager, in the region of the API. */
  readonly certificateArn: string;
  /**
   * Route 53 zone that gets an alias for the domain name.
   * @default - no record: make one that leads to the output `ApiDomainTarget`
   */
  readonly hostedZone?: {
    readonly hostedZoneId: string;
    readonly zoneName: string;
  };
}

/** Reachable from the internet; production needs `allowedCidrs`, `waf`, `webAclArn` or `auth: 'iam'` as well. */
export interface PublicEndpoint {
  readonly kind: 'public';
  readonly auth: EndpointAuth;
  /**
   * IPv4 or IPv6 ranges that may call; everyone else is refused by the API's resource policy.
   * @default - no resource policy
   */
  readonly allowedCidrs?: readonly string[];
  /**
   * A web ACL made for this API; not together with `webAclArn`.
   * @default - no web ACL
   */
  readonly waf?: RateLimit;
  /**
   * ARN of a regional WAFv2 web ACL that exists; not together with `waf`.
   * @default - no web ACL
   */
  readonly webAclArn?: string;
  /**
   * A name of your own in front of the API. The default address stays open, behind the same guards.
   * @default - the default address only
   */
  readonly customDomain?: CustomDomain;
}

/** Reachable through VPC endpoints only. */
export interface PrivateEndpoint {
  readonly kind: 'private';
  readonly auth: EndpointAuth;
  /** Ids of interface endpoints of `execute-api`. */
  readonly vpcEndpointIds: readonly string[];
}

/**
 * Access logs need the account-wide CloudWatch role of API Gateway: `none` writes no access log, `existing` relies on
 * a role that the account has (a deploy without it fails), `create` sets the account's role, for every API in it.
 */
export type GatewayAccountRole = 'none' | 'existing' | 'create';

/** Where S3 copies the vault to, locks included; the bucket is made, locked and guarded by whoever keeps it. */
export interface ReplicaConfig {
  /** A bucket with Object Lock, in another account or region. */
  readonly bucketArn: string;
  /** The key of the copies, in the account and region of that bucket. */
  readonly kmsKeyArn: string;
}

interface AdoptedBucket {
  readonly bucketName: string;
  /** Of the key that encrypts it. */
  readonly keyArn: string;
}

interface AdoptedStream {
  readonly streamArn: string;
  /** Of the key that encrypts it. */
  readonly keyArn: string;
}

/**
 * What an earlier deployment in the same account and region left behind. It is used and not managed: policies,
 * lifecycle, lock configuration and shards stay as they are.
 */
export interface AdoptedResources {
  readonly vault: AdoptedBucket;
  /** ARN of the key that wraps the HMAC keys in the vault: without it no receipt can be verified. */
  readonly hmacKeyArn: string;
  /** Who signed the digests in the vault: the chain goes on under the same key. */
  readonly signing: {
    /** Name of the sealer's role, which the key policies name. */
    readonly roleName: string;
    /** ARNs of the signing keys, the oldest first. */
    readonly keyArns: readonly string[];
  };
  /** @default - a new one, and spans that no run had claimed are left behind */
  readonly staging?: AdoptedBucket;
  /** @default - a new one, and what was accepted and not archived is left behind */
  readonly lineage?: AdoptedStream;
  /** @default - a new one, likewise */
  readonly traces?: AdoptedStream;
}

/** Everything that may differ between two deployments; checked by `validateEnvironmentConfig`. */
export interface EnvironmentConfig {
  /** Short name, lower case; part of every stack name. */
  readonly name: string;
  /** Which rules apply, whatever the name: there may be several of a kind. */
  readonly kind: EnvironmentKind;
  /**
   * Twelve digits.
   * @default - the account of the credentials that deploy
   */
  readonly account?: string;
  /**
   * AWS region.
   * @default - the region of the credentials that deploy
   */
  readonly region?: string;
  readonly retention: RetentionConfig;
  /**
   * The account id once more: COMPLIANCE locks cannot be undone, so they are spelled out for one account.
   * @default - none, and COMPLIANCE is refused
   */
  readonly acknowledgeCompliance?: string;
  /** Days that ungoverned spans, plans and parts live in the unlocked staging bucket. */
  readonly stagingDays: number;
  readonly streams: StreamConfig;
  readonly archive: ArchiveConfig;
  readonly sealing: SealingConfig;
  readonly verification: VerificationConfig;
  /**
   * Invocations set aside for each function.
   * @default - none: functions share the account's pool
   */
  readonly reservedConcurrency?: ReservedConcurrency;
  readonly throttling: ThrottlingConfig;
  /** Seconds a function keeps what it looked up about a key or a role: a disabled one works no longer than this. */
  readonly keyCacheSeconds: number;
  readonly endpoint: PublicEndpoint | PrivateEndpoint;
  readonly gatewayAccountRole: GatewayAccountRole;
  /** Days that logs of functions, API and bucket access are kept; one of the periods CloudWatch Logs knows. */
  readonly logRetentionDays: number;
  /** EventBridge expressions, `rate(...)` or `cron(...)`. */
  readonly schedules: {
    readonly auditRetention: string;
    readonly reportRejections: string;
    readonly reconcileHolds: string;
    /** Not less often than once a day: a slice has its turn every day, and two days without a report are a finding. */
    readonly verify: string;
  };
  readonly alarms: {
    /**
     * Addresses that the alarm topic writes to, after each has confirmed.
     * @default - nobody
     */
    readonly emails?: readonly string[];
  };
  /** What joins a span to a run; names only, since none of them is a standard yet. */
  readonly join: {
    /** Span attributes that carry a run id. */
    readonly runIdAttributes: readonly string[];
    /** Run facets that carry `traceId` and `spanId`. */
    readonly traceContextFacets: readonly string[];
  };
  /**
   * What is redacted beyond, or short of, the built-in rules; see docs/redaction.md, Policy.
   * @default 'strict': the built-in rules alone
   */
  readonly redaction?: 'strict' | RedactionAdditions;
  readonly guards: {
    /**
     * The one role that may change policy, lifecycle, replication and lock settings of the vault.
     * @default - the CloudFormation execution role of the CDK bootstrap in the account
     */
    readonly deploymentRoleArn?: string;
    /**
     * The one role that may delete versions of the vault and lift a lock to do so; GOVERNANCE only.
     * @default - nobody
     */
    readonly breakGlassRoleArn?: string;
  };
  /**
   * A copy of the vault that outlives its account or region.
   * @default - none
   */
  readonly replica?: ReplicaConfig;
  /**
   * Retained resources to attach to; see docs/upgrade.md, Adopt. Never to be changed on a stage that stands.
   * @default - everything is made anew
   */
  readonly adopt?: AdoptedResources;
  /** Refuses deletion of tables; the data stack itself is protected everywhere but on an emulator. */
  readonly deletionProtection: boolean;
}
