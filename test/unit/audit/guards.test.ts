import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GuardSetting } from '../../../lambdas/domain/audit/guard-policy.ts';
import {
  auditGuards,
  checkGuards,
  expectedGuards,
  guardFindings,
} from '../../../lambdas/domain/audit/guards.ts';
import type {
  BucketGuards,
  GuardReader,
  KeyGuards,
  Seen,
} from '../../../lambdas/domain/audit/ports.ts';

const SETTING: GuardSetting = {
  mode: 'COMPLIANCE',
  floorDays: 190,
  bucketArn: 'arn:aws:s3:::vault',
  bucketName: 'vault',
  keyArn: 'arn:aws:kms:eu-central-1:111122223333:key/1',
  accessLogBucketName: 'access-logs',
  hmacKeyArns: ['arn:aws:kms:eu-central-1:111122223333:key/3'],
  signing: {
    keyArns: ['arn:aws:kms:eu-central-1:111122223333:key/2'],
    sealerRoleArn: 'arn:aws:iam::111122223333:role/sealer',
  },
  uploadDays: 1,
  deploymentRoleArn: 'arn:aws:iam::111122223333:role/deploy',
};

/** What a reader sees that may look at everything. */
const sight = <T extends object>(guards: T) =>
  Object.fromEntries(
    Object.entries(guards).map(([name, value]) => [name, { status: 'seen', value }]),
  ) as Seen<T>;

const seen = <T>(value: T) => ({ status: 'seen' as const, value });
const { bucket: BUCKET, key: KEY, signingKey: SIGNING_KEY } = expectedGuards(SETTING);
const [SIGNING_ARN = ''] = SETTING.signing.keyArns;
const [HMAC_ARN = ''] = SETTING.hmacKeyArns;
const over = (
  bucket: Partial<Seen<BucketGuards>>,
  key: Partial<Seen<KeyGuards>> = {},
  signingKey: Partial<Seen<KeyGuards>> = {},
  hmacKey: Partial<Seen<KeyGuards>> = {},
): GuardReader => ({
  bucket: async () => ({ ...sight(BUCKET), ...bucket }),
  key: async (arn) => {
    if (arn === SIGNING_ARN) return { ...sight(SIGNING_KEY), rotation: seen(false), ...signingKey };
    return { ...sight(KEY), ...(arn === HMAC_ARN ? hmacKey : key) };
  },
});
const audit = (reader: GuardReader) => auditGuards(SETTING, reader);

describe('guards that stand', () => {
  it('are no drift', async () => {
    expect(await audit(over({}))).toEqual({ drift: [], unreadable: [] });
  });

  it('are the same in any order of statements and members, and as one value or a list of it', async () => {
    const rewritten = BUCKET.policy.toReversed().map((statement) => {
      const { Principal, ...rest } = statement as Record<string, unknown>;
      const entries = Object.entries(rest).map(([name, value]) => {
        if (name === 'Action') return [name, [value].flat().toReversed()];
        if (name === 'Resource') return [name, [value].flat()];
        return [name, value];
      });
      return Object.fromEntries([...entries, ['Principal', Principal && '*']].toReversed());
    });
    expect((await audit(over({ policy: seen(rewritten) }))).drift).toEqual([]);
  });

  it('are read of the vault and every key', async () => {
    const asked: string[] = [];
    await audit({
      bucket: async (name) => {
        asked.push(name);
        return sight(BUCKET);
      },
      key: async (arn) => {
        asked.push(arn);
        return sight(arn === SIGNING_ARN ? SIGNING_KEY : KEY);
      },
    });
    expect(asked).toEqual([SETTING.bucketName, SETTING.keyArn, HMAC_ARN, SIGNING_ARN]);
  });

  it('include a replica where one is configured', () => {
    const replicaBucketArn = 'arn:aws:s3:::replica';
    const { bucket } = expectedGuards({ ...SETTING, replicaBucketArn });
    const none: Seen<BucketGuards> = { ...sight(bucket), replication: { status: 'seen' } };
    expect(checkGuards('vault', bucket, sight(bucket)).drift).toEqual([]);
    expect(checkGuards('vault', bucket, none).drift).toEqual([
      { resource: 'vault', setting: 'replication', change: 'missing' },
    ]);
  });
});

describe('drift', () => {
  const changed: { [K in keyof BucketGuards]?: BucketGuards[K] } = {
    objectLock: { mode: 'COMPLIANCE', days: 1 },
    versioning: 'Suspended',
    lifecycle: { uploadDays: 1, touching: ['Expiration'] },
    encryption: { algorithm: 'AES256', bucketKey: false },
    publicAccess: 'open',
    ownership: 'ObjectWriter',
    accessLogs: 'elsewhere',
    replication: ['arn:aws:s3:::elsewhere'],
  };

  it.each(Object.entries(changed))('of %s is seen, with what stands there', async (name, value) => {
    const { drift } = await audit(over({ [name]: seen(value) }));
    expect(drift).toMatchObject([{ resource: 'vault', setting: name, change: 'changed' }]);
    if (typeof value === 'string') expect(drift[0]?.actual).toBe(JSON.stringify(value));
  });

  it.each(Object.keys(changed).filter((name) => name !== 'replication'))(
    'of %s is seen when it is gone',
    async (name) => {
      const { drift } = await audit(over({ [name]: { status: 'seen' } }));
      expect(drift).toEqual([{ resource: 'vault', setting: name, change: 'missing' }]);
    },
  );

  it.each([
    ['the vault', SETTING.keyArn],
    ['HMAC keys', HMAC_ARN],
  ])('of the key of %s is seen', async (_, resource) => {
    const changed = {
      ...{ state: seen('Disabled'), rotation: seen(false) },
      policy: seen(KEY.policy.slice(1)),
    };
    const reader = resource === HMAC_ARN ? over({}, {}, {}, changed) : over({}, changed);
    const { drift } = await audit(reader);
    const about = { resource };
    expect(drift).toEqual([
      { ...about, setting: 'policy', change: 'missing', statement: 'account' },
      { ...about, setting: 'state', change: 'changed', actual: '"Disabled"' },
      { ...about, setting: 'rotation', change: 'changed', actual: 'false' },
    ]);
  });

  it('of a key that signs for others is seen, rotation aside, which it has none of', async () => {
    const policy = SIGNING_KEY.policy.map((statement) =>
      statement.Sid === 'AllowSealer' ? { ...statement, Principal: { AWS: '*' } } : statement,
    );
    const { drift } = await audit(over({}, {}, { policy: seen(policy), state: seen('Disabled') }));
    expect(drift).toEqual([
      { resource: SIGNING_ARN, setting: 'policy', change: 'changed', statement: 'AllowSealer' },
      { resource: SIGNING_ARN, setting: 'state', change: 'changed', actual: '"Disabled"' },
    ]);
  });

  it('of a policy that is gone is every statement', async () => {
    const { drift } = await audit(over({ policy: { status: 'seen' } }));
    expect(drift.map(({ change, statement }) => [change, statement])).toEqual(
      BUCKET.policy.map(({ Sid }) => ['missing', Sid]),
    );
  });

  it('of a policy is told statement by statement', async () => {
    const stranger = { Effect: 'Allow', Principal: '*', Action: 's3:*', Resource: '*' };
    const policy = BUCKET.policy
      .filter(({ Sid }) => Sid !== 'DenyDeleteMarkers')
      .map((statement) =>
        statement.Sid === 'DenyLockBelowFloor'
          ? {
              ...statement,
              Condition: { NumericLessThan: { 's3:object-lock-remaining-retention-days': '1' } },
            }
          : statement,
      );
    const { drift } = await audit(over({ policy: seen([...policy, stranger]) }));
    expect(drift.map(({ change, statement }) => `${change} ${statement}`)).toEqual([
      'changed DenyLockBelowFloor',
      'missing DenyDeleteMarkers',
      `added #${policy.length}`,
    ]);
    expect(JSON.stringify(drift)).not.toContain('s3:*');
  });

  it('of any one statement is never missed', () => {
    fc.assert(
      fc.property(
        fc.nat({ max: BUCKET.policy.length - 1 }),
        fc.constantFrom('Effect', 'Principal', 'Action', 'Resource', 'Condition'),
        (index, member) => {
          const policy = BUCKET.policy.map((statement, at) =>
            at === index ? { ...statement, [member]: 'x' } : statement,
          );
          const { drift } = checkGuards('vault', BUCKET, {
            ...sight(BUCKET),
            policy: seen(policy),
          });
          expect(drift).toMatchObject([
            { change: 'changed', statement: BUCKET.policy[index]?.Sid },
          ]);
        },
      ),
    );
  });

  it('does not quote more than a line of what stands there', async () => {
    const { drift } = await audit(over({ accessLogs: seen('x'.repeat(10_000)) }));
    expect(drift[0]?.actual?.length).toBe(500);
  });
});

describe('what may not be looked at', () => {
  const denied = { status: 'denied' } as const;

  it('is no drift and no all-clear', async () => {
    expect(await audit(over({ policy: denied, lifecycle: denied }, { state: denied }))).toEqual({
      drift: [],
      unreadable: ['vault/policy', 'vault/lifecycle', `${SETTING.keyArn}/state`],
    });
  });

  it('becomes one audit_incomplete beside the findings of what was seen', async () => {
    const check = await audit(
      over({ policy: denied, versioning: seen('Suspended') }, { rotation: denied }),
    );
    const findings = guardFindings(check, { asOf: '2026-11-30T08:00:00Z', bucketName: 'vault' });
    expect(findings).toMatchObject([
      {
        kind: 'guard_changed',
        severity: 'critical',
        subject: 'vault/versioning',
        at: '2026-11-30T08:00:00Z',
        detail: { setting: 'versioning', change: 'changed', actual: '"Suspended"' },
      },
      { kind: 'audit_incomplete', subject: 'guards/vault', detail: { unreadable: 2 } },
    ]);
  });
});

it('is one finding a statement, the same in every rerun', async () => {
  const check = await audit(over({ policy: seen(BUCKET.policy.slice(2)) }));
  const at = (asOf: string) => guardFindings(check, { asOf, bucketName: 'vault' });
  const ids = at('2026-11-30T08:00:00Z').map(({ id }) => id);
  expect(new Set(ids).size).toBe(2);
  expect(at('2026-12-01T08:00:00Z').map(({ id }) => id)).toEqual(ids);
});
