import { describe, expect, it } from 'vitest';
import { LineageError } from '../../../lambdas/domain/errors.ts';
import { auditInterval, MAX_INTERVAL_MILLIS } from '../../../lambdas/shared/audit-request.ts';
import { requireAuthMode } from '../../../lambdas/shared/auth-env.ts';
import {
  EnvironmentVariableError,
  requireEnv,
  requireInteger,
  requireList,
} from '../../../lambdas/shared/env.ts';
import { requireGuards } from '../../../lambdas/shared/guard-env.ts';
import { readRedactionPolicy } from '../../../lambdas/shared/redaction-env.ts';
import { requireRetention } from '../../../lambdas/shared/retention-env.ts';
import { NOW, RETENTION } from '../../support/builders.ts';

describe('environment variables', () => {
  it.each([{}, { X: '' }, { X: '  ' }])('are required: %j', (env) => {
    for (const read of [requireEnv, requireInteger, requireList]) {
      expect(() => read('X', env)).toThrow(
        new EnvironmentVariableError('environment variable X is required'),
      );
    }
  });

  it.each(['0', '-1', '1.5', 'x', '1e999', '9007199254740993', 'NaN'])(
    'are no positive integer: %s',
    (X) => {
      expect(() => requireInteger('X', { X })).toThrow(EnvironmentVariableError);
    },
  );

  it('are read as integer and as list', () => {
    expect(requireInteger('X', { X: ' 1048576 ' })).toBe(1_048_576);
    expect(requireList('X', { X: ' a, b,,c ' })).toEqual(['a', 'b', 'c']);
  });

  it('name what the gateway checks, and nothing else', () => {
    expect(requireAuthMode({ AUTH_MODE: 'iam' })).toBe('iam');
    expect(() => requireAuthMode({ AUTH_MODE: 'none' })).toThrow(EnvironmentVariableError);
    expect(() => requireAuthMode({})).toThrow(EnvironmentVariableError);
  });

  it('that list nothing are refused', () => {
    expect(() => requireList('X', { X: ' , ,' })).toThrow(EnvironmentVariableError);
  });

  it.each([
    'no json',
    '{}',
    JSON.stringify({ ...RETENTION, mode: 'NONE' }),
    JSON.stringify({ ...RETENTION, lineageDays: 0 }),
    JSON.stringify({ ...RETENTION, traceDays: 1.5 }),
    JSON.stringify({ ...RETENTION, floorDays: undefined }),
    JSON.stringify({ ...RETENTION, slackDays: -1 }),
  ])('hold no retention policy: %s', (text) => {
    expect(() => requireRetention({ RETENTION: text })).toThrow(EnvironmentVariableError);
  });

  it('hold a redaction policy, or nothing where it is strict', () => {
    expect(readRedactionPolicy({}).id).toBe('strict/1');
    const policy = readRedactionPolicy({ REDACTION_POLICY: '{"drop":["facet:my_facet"]}' });
    expect(policy).toMatchObject({ id: expect.stringMatching(/^strict\/1\+/) });
    expect(policy.rules.drop).toEqual(['facet:my_facet']);
  });

  it.each([
    ['no json', 'it is not JSON'],
    ['{"keep":["facet:sql"]}', /^environment variable REDACTION_POLICY: keep is "facet:sql"; /],
  ])('hold no redaction policy: %s', (REDACTION_POLICY, message) => {
    const read = () => readRedactionPolicy({ REDACTION_POLICY });
    expect(read).toThrow(EnvironmentVariableError);
    expect(read).toThrow(message);
  });

  it('hold the guards of a vault, exactly', () => {
    const guards = {
      mode: 'GOVERNANCE',
      floorDays: 7,
      bucketArn: 'arn:aws:s3:::vault',
      bucketName: 'vault',
      keyArn: 'arn:aws:kms:eu-central-1:111122223333:key/1',
      accessLogBucketName: 'access-logs',
      hmacKeyArns: ['arn:hmac'],
      signing: { keyArns: ['arn:key'], sealerRoleArn: 'arn:role' },
      uploadDays: 1,
      deploymentRoleArn: 'arn:aws:iam::111122223333:role/deploy',
    };
    const read = (changes: object) =>
      requireGuards({ GUARDS: JSON.stringify({ ...guards, ...changes }) });
    const full = { breakGlassRoleArn: 'arn:role', replicaBucketArn: 'arn:bucket' };
    expect(read({})).toEqual(guards);
    expect(read(full)).toEqual({ ...guards, ...full });
    for (const changes of [
      { floorDays: 0 },
      { keyArn: undefined },
      { hmacKeyArns: [] },
      { floor: 7 },
    ]) {
      expect(() => read(changes)).toThrow(EnvironmentVariableError);
    }
    expect(() => requireGuards({ GUARDS: 'no json' })).toThrow(EnvironmentVariableError);
  });

  it('hold a retention policy', () => {
    expect(requireRetention({ RETENTION: JSON.stringify(RETENTION) })).toEqual(RETENTION);
  });
});

describe('auditInterval', () => {
  const at = (millis: number) => new Date(millis).toISOString();

  it('looks back a little over a day when nothing is asked', () => {
    expect(auditInterval({}, NOW)).toEqual({
      from: at(NOW - 26 * 3_600_000),
      to: at(NOW),
      asOf: at(NOW),
    });
  });

  it('is what was asked, in one spelling', () => {
    expect(
      auditInterval(
        { from: '2026-01-01', to: '2026-01-02T00:00:00+01:00', asOf: '2026-02-01T00:00:00Z' },
        NOW,
      ),
    ).toEqual({
      from: '2026-01-01T00:00:00.000Z',
      to: '2026-01-01T23:00:00.000Z',
      asOf: '2026-02-01T00:00:00.000Z',
    });
  });

  it.each([
    { from: '2026-01-02', to: '2026-01-01' },
    { from: '2026-01-01', to: '2026-01-01' },
    { from: 'yesterday' },
    { to: '' },
    { asOf: '2026-02-30T25:00:00Z' },
    { from: at(NOW - MAX_INTERVAL_MILLIS - 1), to: at(NOW) },
  ])('refuses %j', (request) => {
    expect(() => auditInterval(request, NOW)).toThrow(LineageError);
  });

  it.each([1, 86_400_000, 10 * 365 * 86_400_000])(
    'speaks for now when asked for %d ms on',
    (ms) => {
      expect(auditInterval({ asOf: at(NOW + ms) }, NOW)).toEqual(auditInterval({}, NOW));
    },
  );

  it('ends with the present hour at the latest', () => {
    const hour = Math.floor(NOW / 3_600_000) * 3_600_000;
    const within = NOW === hour ? NOW + 1 : NOW;
    const end = hour + 3_600_000;
    expect(auditInterval({ to: at(end) }, within)).toMatchObject({ to: at(end), asOf: at(within) });
    expect(() => auditInterval({ to: at(end + 1) }, within)).toThrow(LineageError);
  });

  it('takes the longest interval there is', () => {
    expect(() =>
      auditInterval({ from: at(NOW - MAX_INTERVAL_MILLIS), to: at(NOW) }, NOW),
    ).not.toThrow();
  });
});
