import { describe, expect, it } from 'vitest';
import { conditionsHold } from '../../support/iam/conditions.ts';
import { type AccessRequest, evaluate, type Guarded } from '../../support/iam/evaluate.ts';
import { matchesArn } from '../../support/iam/patterns.ts';
import type { ConditionBlock, PolicyDocument, Statement } from '../../support/iam/policy.ts';

const ACCOUNT = '111122223333';
const OTHER = '444455556666';
const ROLE = `arn:aws:iam::${ACCOUNT}:role/reader`;
const OBJECT = 'arn:aws:s3:::bucket/key';
const KEY = `arn:aws:kms:eu-central-1:${ACCOUNT}:key/1`;

const policy = (...Statement: Statement[]): PolicyDocument => ({
  Version: '2012-10-17',
  Statement,
});
const allow = (more: Partial<Statement> = {}): Statement => ({
  Sid: 'Allow',
  Effect: 'Allow',
  Action: 's3:GetObject',
  Resource: '*',
  ...more,
});
const deny = (more: Partial<Statement> = {}): Statement => ({
  ...allow(more),
  Sid: 'Deny',
  Effect: 'Deny',
});
const by = (
  arn: string,
  policies: PolicyDocument[],
  rest: Partial<AccessRequest> = {},
): AccessRequest => ({
  caller: { kind: 'identity', arn, policies },
  action: 's3:GetObject',
  resource: OBJECT,
  ...rest,
});
const everybody = { Principal: '*' } as const;
const account = (id = ACCOUNT) => ({ Principal: { AWS: `arn:aws:iam::${id}:root` } });
const guarded = (...statements: Statement[]): Guarded => ({
  accountId: ACCOUNT,
  policy: policy(...statements),
});
const anything = policy(allow({ Action: '*' }));

/** IAM User Guide, "Policy evaluation logic", within one account. */
describe('one account', () => {
  it('denies by default', () => {
    expect(evaluate(by(ROLE, []), { accountId: ACCOUNT })).toEqual({
      allowed: false,
      by: [],
      why: 'nothing allows it',
    });
  });

  it('allows what either the identity or the resource policy allows, and says which', () => {
    expect(evaluate(by(ROLE, [anything]), { accountId: ACCOUNT })).toEqual({
      allowed: true,
      by: ['identity Allow'],
      why: 'allowed by an identity policy',
    });
    const named = allow({ Principal: { AWS: ROLE } });
    expect(evaluate(by(ROLE, []), guarded(named))).toEqual({
      allowed: true,
      by: ['resource Allow'],
      why: 'allowed by the resource policy',
    });
  });

  it('lets an explicit deny win, wherever it stands, and names all that deny', () => {
    const own = policy(allow(), deny());
    expect(evaluate(by(ROLE, [own]), guarded(allow(everybody)))).toMatchObject({
      allowed: false,
      by: ['identity Deny'],
    });
    const both = guarded(allow(everybody), deny(everybody), deny({ ...everybody, Action: 's3:*' }));
    expect(evaluate(by(ROLE, [anything]), both).by).toEqual(['resource Deny', 'resource Deny']);
    expect(evaluate(by(ROLE, [anything]), guarded(deny(account()))).allowed).toBe(false);
  });

  it('asks the own policies of an identity when a resource policy names its account only', () => {
    expect(evaluate(by(ROLE, []), guarded(allow(account()))).allowed).toBe(false);
    expect(evaluate(by(ROLE, [anything]), guarded(allow(account()))).allowed).toBe(true);
  });

  it('gives the root user everything that nobody denies', () => {
    const root = `arn:aws:iam::${ACCOUNT}:root`;
    expect(evaluate(by(root, []), { accountId: ACCOUNT }).allowed).toBe(true);
    expect(evaluate(by(root, []), guarded(deny(everybody))).allowed).toBe(false);
  });

  it('leaves the bucket policy to the root user of the owner, and to an organisation', () => {
    const request = by(`arn:aws:iam::${ACCOUNT}:root`, [], {
      action: 's3:PutBucketPolicy',
      resource: 'arn:aws:s3:::bucket',
    });
    const closed = guarded(deny({ ...everybody, Action: 's3:*' }));
    expect(evaluate(request, closed).why).toMatch(/keeps the bucket policy/);
    expect(evaluate({ ...request, action: 's3:PutLifecycleConfiguration' }, closed).allowed).toBe(
      false,
    );
    const serviceControl = [anything, policy(deny({ Action: 's3:PutBucketPolicy' }))];
    expect(evaluate(request, { ...closed, serviceControl }).by).toEqual(['control Deny']);
  });

  it('grants nothing that no service control policy allows', () => {
    const only = (Action: string) => ({
      accountId: ACCOUNT,
      serviceControl: [policy(allow({ Action }))],
    });
    expect(evaluate(by(ROLE, [anything]), only('ec2:*')).why).toBe(
      'no service control policy allows it',
    );
    expect(evaluate(by(ROLE, [anything]), only('s3:*')).allowed).toBe(true);
  });
});

/** IAM User Guide, "Cross-account policy evaluation logic". */
describe('two accounts', () => {
  const stranger = `arn:aws:iam::${OTHER}:role/stranger`;

  it('asks both', () => {
    expect(evaluate(by(stranger, [anything]), guarded()).allowed).toBe(false);
    expect(evaluate(by(stranger, []), guarded(allow(account(OTHER)))).allowed).toBe(false);
    expect(evaluate(by(stranger, [anything]), guarded(allow(account(OTHER)))).why).toBe(
      'allowed by both accounts',
    );
  });

  it('knows who is not an identity at all', () => {
    const nobody: AccessRequest = {
      caller: { kind: 'anonymous' },
      action: 's3:GetObject',
      resource: OBJECT,
    };
    expect(evaluate(nobody, guarded(allow(account()))).allowed).toBe(false);
    expect(evaluate(nobody, guarded(allow(everybody))).allowed).toBe(true);
    const service: AccessRequest = { ...nobody, caller: { kind: 'service', service: 'x.aws' } };
    expect(evaluate(service, guarded(allow({ Principal: { Service: 'x.aws' } }))).allowed).toBe(
      true,
    );
    expect(evaluate(service, guarded(allow({ Principal: { Service: 'y.aws' } }))).allowed).toBe(
      false,
    );
  });
});

/** KMS Developer Guide, "Key policies in AWS KMS" and "Default key policy". */
describe('a key', () => {
  const request = by(ROLE, [anything], { action: 'kms:Decrypt', resource: KEY });
  const every = (more: Partial<Statement>) => guarded(allow({ Action: 'kms:*', ...more }));

  it('is closed to the policies of its account unless its own policy names the account', () => {
    expect(evaluate(request, guarded()).why).toMatch(/^the key policy neither/);
    expect(evaluate(request, every({ Principal: { AWS: `${ROLE}2` } })).allowed).toBe(false);
    expect(evaluate(request, every(account())).why).toBe('allowed by an identity policy');
  });

  it('is open to a role that its policy names, whatever the role is allowed', () => {
    const named = every({ Principal: { AWS: ROLE } });
    expect(evaluate(by(ROLE, [], { action: 'kms:Decrypt', resource: KEY }), named).allowed).toBe(
      true,
    );
  });
});

describe('a statement', () => {
  const asked = (statement: Partial<Statement>, request: Partial<AccessRequest> = {}) =>
    evaluate(by(ROLE, [policy({ Effect: 'Allow', ...statement })], request), {
      accountId: ACCOUNT,
    }).allowed;

  it.each([
    ['s3:*', true],
    ['S3:getobject', true],
    ['s3:Get*', true],
    ['s3:GetObjec?', true],
    ['s3:Get', false],
    ['*', true],
    ['kms:*', false],
  ])('with the action %s', (Action, expected) => {
    expect(asked({ Action, Resource: '*' })).toBe(expected);
    expect(asked({ NotAction: Action, Resource: '*' })).toBe(!expected);
  });

  it.each([
    ['arn:aws:s3:::bucket/*', true],
    ['arn:aws:s3:::bucket', false],
    ['arn:aws:s3:::*', true],
    ['arn:aws:s3:::buck?t/key', true],
    ['arn:aws:s3:::bucket/KEY', false],
    ['arn:aws:s3:*:*:bucket/key', true],
  ])('with the resource %s', (Resource, expected) => {
    expect(asked({ Action: '*', Resource })).toBe(expected);
    expect(asked({ Action: '*', NotResource: Resource })).toBe(!expected);
  });

  it('does not let a wildcard reach over the parts of an ARN', () => {
    expect(matchesArn('arn:aws:iam::*:role/a', 'arn:aws:iam::1:role/b:role/a')).toBe(false);
    expect(matchesArn('arn:aws:s3:::bucket/*', 'arn:aws:s3:eu-west-1::bucket/key')).toBe(false);
  });
});

/** IAM User Guide, "Condition operators", its examples and its rules for absent keys and several values. */
describe('condition', () => {
  const cases: [string, ConditionBlock, string | string[] | undefined, boolean][] = [
    ['equal', { StringEquals: { k: 'a' } }, 'a', true],
    ['another case', { StringEquals: { k: 'a' } }, 'A', false],
    ['a key of another case', { StringEquals: { K: 'a' } }, 'a', true],
    ['one of several', { StringEquals: { k: ['a', 'b'] } }, 'b', true],
    ['absent', { StringEquals: { k: 'a' } }, undefined, false],
    ['absent, if it exists', { StringEqualsIfExists: { k: 'a' } }, undefined, true],
    ['unlike, if it exists', { StringEqualsIfExists: { k: 'a' } }, 'b', false],
    ['without regard to case', { StringEqualsIgnoreCase: { k: 'Ab' } }, 'aB', true],
    ['no wildcard in Equals', { StringEquals: { k: 'a*' } }, 'ab', false],
    ['a wildcard in Like', { StringLike: { k: 'a*c' } }, 'abc', true],
    ['not equal', { StringNotEquals: { k: 'a' } }, 'b', true],
    ['not equal to any of several', { StringNotEquals: { k: ['a', 'b'] } }, 'b', false],
    ['not equal, absent', { StringNotEquals: { k: 'a' } }, undefined, true],
    ['not like', { StringNotLike: { k: 'a*' } }, 'ab', false],
    ['not equal in any case', { StringNotEqualsIgnoreCase: { k: 'a' } }, 'A', false],
    ['less', { NumericLessThan: { k: '190' } }, '189', true],
    ['not less', { NumericLessThan: { k: 190 } }, '190', false],
    ['less as a number', { NumericLessThan: { k: '190' } }, '20', true],
    ['less, absent', { NumericLessThan: { k: '190' } }, undefined, false],
    ['at most', { NumericLessThanEquals: { k: '7' } }, '7', true],
    ['more', { NumericGreaterThan: { k: '7' } }, '8', true],
    ['at least', { NumericGreaterThanEquals: { k: '7' } }, '6', false],
    ['equal numbers', { NumericEquals: { k: '7' } }, '7.0', true],
    ['unequal numbers', { NumericNotEquals: { k: '7' } }, '7', false],
    ['before', { DateLessThan: { k: '2026-11-30T00:00:00Z' } }, '2026-11-29T23:59:59Z', true],
    ['after, in seconds', { DateGreaterThan: { k: '0' } }, '2026-11-29T23:59:59Z', true],
    ['at most a date', { DateLessThanEquals: { k: '2026-11-30' } }, '2026-11-30', true],
    ['at least a date', { DateGreaterThanEquals: { k: '2026-11-30' } }, '2026-11-29', false],
    ['the same instant', { DateEquals: { k: '2026-11-30T00:00:00Z' } }, '2026-11-30', true],
    ['another instant', { DateNotEquals: { k: '2026-11-30T00:00:00Z' } }, '2026-11-30', false],
    ['true', { Bool: { k: 'true' } }, 'true', true],
    ['false', { Bool: { k: false } }, 'true', false],
    ['a flag that is absent', { Bool: { k: 'false' } }, undefined, false],
    ['absent, as asked', { Null: { k: 'true' } }, undefined, true],
    ['there, as asked', { Null: { k: 'false' } }, 'x', true],
    ['there, against the ask', { Null: { k: 'true' } }, 'x', false],
    ['an address', { IpAddress: { k: '203.0.113.0/24' } }, '203.0.113.9', true],
    ['one address', { IpAddress: { k: '203.0.113.9' } }, '203.0.113.8', false],
    ['an IPv6 address', { IpAddress: { k: '2001:db8::/32' } }, '2001:db8::1', true],
    ['an address outside', { NotIpAddress: { k: '203.0.113.0/24' } }, '198.51.100.1', true],
    ['no address', { NotIpAddress: { k: '203.0.113.0/24' } }, undefined, true],
    ['an ARN', { ArnEquals: { k: 'arn:aws:iam::1:role/*' } }, 'arn:aws:iam::1:role/a', true],
    ['an ARN alike', { ArnLike: { k: 'arn:aws:iam::*:role/a' } }, 'arn:aws:iam::1:role/a', true],
    ['another ARN', { ArnNotEquals: { k: 'arn:aws:iam::1:role/a' } }, 'arn:aws:iam::1:r/b', true],
    [
      'the same ARN',
      { ArnNotLike: { k: 'arn:aws:iam::1:role/*' } },
      'arn:aws:iam::1:role/b',
      false,
    ],
    ['no ARN', { ArnNotEquals: { k: 'arn:aws:iam::1:role/a' } }, undefined, true],
    ['all of a set', { 'ForAllValues:StringEquals': { k: ['a', 'b'] } }, ['b', 'a'], true],
    ['not all of a set', { 'ForAllValues:StringEquals': { k: ['a'] } }, ['a', 'b'], false],
    ['all of nothing', { 'ForAllValues:StringEquals': { k: ['a'] } }, undefined, true],
    ['any of a set', { 'ForAnyValue:StringLike': { k: 'a*' } }, ['b', 'ab'], true],
    ['any of nothing', { 'ForAnyValue:StringEquals': { k: 'a' } }, undefined, false],
    ['any that differs', { 'ForAnyValue:StringNotEquals': { k: 'a' } }, ['a', 'b'], true],
    ['none that differs', { 'ForAllValues:StringNotEquals': { k: 'a' } }, ['a', 'b'], false],
  ];

  it.each(cases)('%s', (_, condition, value, expected) => {
    expect(conditionsHold(condition, value === undefined ? {} : { k: value })).toBe(expected);
  });

  it('holds only as a whole: every operator, every key', () => {
    const both = { StringEquals: { k: 'a', l: 'b' }, Bool: { m: 'true' } };
    expect(conditionsHold(both, { k: 'a', l: 'b', m: 'true' })).toBe(true);
    for (const wrong of ['k', 'l', 'm']) {
      expect(conditionsHold(both, { k: 'a', l: 'b', m: 'true', [wrong]: 'x' })).toBe(false);
    }
    expect(conditionsHold(undefined, {})).toBe(true);
    expect(conditionsHold({ StringEquals: { k: 'a' } }, { K: 'a' })).toBe(true);
  });
});

describe('what has no rule', () => {
  const unknown: [string, object][] = [
    ['an operator', { Condition: { BinaryEquals: { k: 'a' } } }],
    ['an element', { NotPrincipal: '*' }],
    ['an effect', { Effect: 'Maybe' }],
    ['a principal', { Principal: { Federated: 'x' } }],
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a policy variable is what it is about
    ['a policy variable', { Resource: 'arn:aws:s3:::${aws:username}/*' }],
    ['a number', { Condition: { NumericLessThan: { 's3:days': 'many' } } }],
    ['a pattern', { Resource: 'bucket/*' }],
    ['two kinds of action', { NotAction: 's3:*' }],
    ['a statement without principal', { Principal: undefined }],
    ['a statement without resource', { Resource: undefined }],
  ];

  it.each(unknown)('throws: %s', (_, change) => {
    const request = by(ROLE, [], { context: { 's3:days': '7', k: 'a' } });
    const statement = { ...deny(everybody), ...change } as Statement;
    expect(() => evaluate(request, guarded(statement))).toThrow();
  });

  it('throws: an older language, many values without set operator, a principal of an identity', () => {
    const old = { accountId: ACCOUNT, policy: { Version: '2008-10-17', Statement: [] } };
    expect(() => evaluate(by(ROLE, []), old)).toThrow('2008-10-17');
    expect(() => conditionsHold({ StringEquals: { k: 'a' } }, { k: ['a'] })).toThrow(
      'set operator',
    );
    expect(() => evaluate(by(ROLE, [policy(allow(everybody))]), guarded())).toThrow('principal');
  });
});
