import { type Finding, openFinding } from '../findings.ts';
import { canonicalJson } from '../json/canonical.ts';
import {
  type GuardSetting,
  type GuardStatement,
  keyGuard,
  signingKeyStatements,
  vaultStatements,
} from './guard-policy.ts';
import type { BucketGuards, GuardReader, KeyGuards, Seen, StatementLike } from './ports.ts';

/** One setting that is not as it was deployed. */
interface Drift {
  /** Name of the bucket, or ARN of the key. */
  readonly resource: string;
  readonly setting: keyof BucketGuards | keyof KeyGuards;
  readonly change: 'missing' | 'added' | 'changed';
  /** Of a policy: Sid of the statement, or its place for one that we did not write. */
  readonly statement?: string;
  /** What stands there now, as JSON; never of a policy, which may say anything. */
  readonly actual?: string;
}

export interface GuardCheck {
  readonly drift: readonly Drift[];
  /** `<resource>/<setting>` of what could not be looked at. */
  readonly unreadable: readonly string[];
}

/** Enough to name a mode, a key or a handful of rules. */
const MAX_ACTUAL_CHARACTERS = 500;

/** What stands around a vault that is as it was deployed; `key` is that of the vault, and each that wraps HMAC keys. */
export function expectedGuards(setting: GuardSetting): {
  bucket: BucketGuards;
  key: KeyGuards;
  signingKey: KeyGuards;
} {
  const { accessLogBucketName, deploymentRoleArn, floorDays, keyArn, mode } = setting;
  return {
    bucket: {
      policy: vaultStatements(setting),
      objectLock: { mode, days: floorDays },
      versioning: 'Enabled',
      lifecycle: { uploadDays: setting.uploadDays, touching: [] },
      encryption: { algorithm: 'aws:kms', keyArn, bucketKey: true },
      publicAccess: 'blocked',
      ownership: 'BucketOwnerEnforced',
      accessLogs: accessLogBucketName,
      replication: setting.replicaBucketArn === undefined ? [] : [setting.replicaBucketArn],
    },
    key: {
      policy: [accountStatement(keyArn), keyGuard(deploymentRoleArn)],
      state: 'Enabled',
      rotation: true,
    },
    signingKey: {
      policy: signingKeyStatements({
        accountArn: accountArn(keyArn),
        deploymentRoleArn,
        sealerRoleArn: setting.signing.sealerRoleArn,
      }),
      state: 'Enabled',
    },
  };
}

/** Looks at every guard of the vault, its key, the keys that sign and those that wrap HMAC keys. @throws UnavailableError */
export async function auditGuards(setting: GuardSetting, reader: GuardReader): Promise<GuardCheck> {
  const expected = expectedGuards(setting);
  const checkKey = async (keyArn: string, guards: KeyGuards) =>
    checkGuards(keyArn, guards, await reader.key(keyArn, guards.rotation !== undefined));
  const checks = await Promise.all([
    reader
      .bucket(setting.bucketName)
      .then((bucket) => checkGuards(setting.bucketName, expected.bucket, bucket)),
    ...[setting.keyArn, ...setting.hmacKeyArns].map((keyArn) => checkKey(keyArn, expected.key)),
    ...setting.signing.keyArns.map((keyArn) => checkKey(keyArn, expected.signingKey)),
  ]);
  return {
    drift: checks.flatMap(({ drift }) => drift),
    unreadable: checks.flatMap(({ unreadable }) => unreadable),
  };
}

/** Compares every setting of a bucket or a key with what was deployed, policies statement by statement. */
export function checkGuards<T extends BucketGuards | KeyGuards>(
  resource: string,
  expected: T,
  actual: Seen<T>,
): GuardCheck {
  const drift: Drift[] = [];
  const unreadable: string[] = [];
  for (const setting of Object.keys(expected) as (keyof T & Drift['setting'])[]) {
    if (expected[setting] === undefined) continue;
    const look = actual[setting];
    if (look.status === 'denied') unreadable.push(`${resource}/${setting}`);
    else if (setting === 'policy') {
      const standing = (look.value ?? []) as readonly StatementLike[];
      const changes = policyChanges(expected.policy, standing);
      drift.push(...changes.map((change) => ({ resource, setting, ...change })));
    } else {
      const change = settingChange(expected[setting], look.value);
      if (change) drift.push({ resource, setting, ...change });
    }
  }
  return { drift, unreadable };
}

/** A finding for every drift, and one for all that could not be looked at. */
export function guardFindings(
  { drift, unreadable }: GuardCheck,
  { asOf, bucketName }: { readonly asOf: string; readonly bucketName: string },
): Finding[] {
  const about = { plane: 'store', at: asOf, runKeys: [] } as const;
  const findings = drift.map(({ resource, setting, statement, ...detail }) =>
    openFinding('guard_changed', {
      ...about,
      subject: [resource, setting, ...(statement === undefined ? [] : [statement])].join('/'),
      detail: { setting, ...(statement !== undefined && { statement }), ...detail },
    }),
  );
  if (unreadable.length === 0) return findings;
  const blindness = openFinding('audit_incomplete', {
    ...about,
    subject: `guards/${bucketName}`,
    detail: { unreadable: unreadable.length },
  });
  return [...findings, blindness];
}

function settingChange(
  expected: unknown,
  actual: unknown,
): Pick<Drift, 'change' | 'actual'> | undefined {
  if (actual === undefined) {
    const isNone = Array.isArray(expected) && expected.length === 0;
    return isNone ? undefined : { change: 'missing' };
  }
  const standing = canonicalJson(actual);
  if (standing === canonicalJson(expected)) return undefined;
  return { change: 'changed', actual: standing.slice(0, MAX_ACTUAL_CHARACTERS) };
}

/** The order of statements means nothing; a statement that stands twice stands once too often. */
function policyChanges(
  expected: readonly StatementLike[],
  actual: readonly StatementLike[],
): Pick<Drift, 'change' | 'statement'>[] {
  const left = actual.map((statement, index) => ({ index, form: plainForm(statement), statement }));
  const missing = expected.filter((statement) => {
    const form = plainForm(statement);
    const found = left.findIndex((candidate) => candidate.form === form);
    if (found >= 0) left.splice(found, 1);
    return found < 0;
  });
  const changes = missing.map((statement) => {
    const same = left.findIndex((candidate) => candidate.statement.Sid === statement.Sid);
    if (same >= 0) left.splice(same, 1);
    return {
      change: same < 0 ? ('missing' as const) : ('changed' as const),
      statement: (statement.Sid as string | undefined) ?? 'account',
    };
  });
  const added = left.map(({ index }) => ({ change: 'added' as const, statement: `#${index}` }));
  return [...changes, ...added];
}

/** One form for what IAM takes as the same: one value or a list of it, in any order, and the two ways to say everybody. */
function plainForm(statement: StatementLike): string {
  const { Principal, ...rest } = statement as Record<string, unknown>;
  return canonicalJson(plain({ ...rest, Principal: Principal === '*' ? { AWS: '*' } : Principal }));
}

function plain(value: unknown): unknown {
  if (Array.isArray(value)) {
    const values = value.map(plain).sort();
    return values.length === 1 ? values[0] : values;
  }
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, inner]) => inner !== undefined)
      .map(([name, inner]) => [name, plain(inner)]),
  );
}

/** What CDK gives every key: without it, no policy of the account applies to the key. */
function accountStatement(keyArn: string): Omit<GuardStatement, 'Sid'> {
  return {
    Effect: 'Allow',
    Principal: { AWS: accountArn(keyArn) },
    Action: 'kms:*',
    Resource: '*',
  };
}

function accountArn(keyArn: string): string {
  const [, partition, , , accountId] = keyArn.split(':');
  return `arn:${partition}:iam::${accountId}:root`;
}
