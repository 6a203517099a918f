import { describe, expect, it } from 'vitest';
import { createResolve } from '../../../localstack/reconcile/resolve.ts';
import { bucketSettings } from '../../../localstack/reconcile/s3.ts';
import { mismatches } from '../../../localstack/reconcile.ts';

describe('createResolve', () => {
  const stack = {
    stackName: 'S',
    hash: '',
    resources: { Key: { Type: 'AWS::KMS::Key' }, Queue: { Type: 'AWS::SQS::Queue' } },
  };
  const ids = new Map([
    ['Key', 'abc'],
    ['Queue', 'http://localhost:1/000000000000/failures'],
  ]);
  const resolve = createResolve(stack, ids, new Map([['Exported', 'value']]));

  it.each([
    [{ Ref: 'Key' }, 'abc'],
    [{ Ref: 'AWS::Region' }, 'us-east-1'],
    [{ 'Fn::GetAtt': ['Key', 'Arn'] }, 'arn:aws:kms:us-east-1:000000000000:key/abc'],
    [{ 'Fn::GetAtt': ['Queue', 'Arn'] }, 'arn:aws:sqs:us-east-1:000000000000:failures'],
    [{ 'Fn::ImportValue': 'Exported' }, 'value'],
    [{ 'Fn::Join': ['/', ['a', { Ref: 'Key' }]] }, 'a/abc'],
    [
      { a: [{ Ref: 'Key' }], b: 1 },
      { a: ['abc'], b: 1 },
    ],
  ])('resolves %j', (value, expected) => {
    expect(resolve(value)).toEqual(expected);
  });

  it('refuses what it does not know instead of comparing nonsense', () => {
    expect(() => resolve({ 'Fn::Sub': 'Key' })).toThrow(/cannot resolve Fn::Sub/);
    expect(() => resolve({ 'Fn::GetAtt': ['Key', 'KeyId'] })).toThrow(/cannot resolve/);
  });
});

describe('mismatches', () => {
  const at = (expected: unknown, actual: unknown) => [
    { resource: 'r', setting: 's', expected, actual },
  ];

  it('compares by value, whatever the order of keys', () => {
    expect(mismatches(at({ a: 1, b: [2] }, { b: [2], a: 1 }))).toEqual([]);
  });

  it('finds a dropped, a changed and a surplus value', () => {
    expect(mismatches(at({ a: 1 }, undefined))).toHaveLength(1);
    expect(mismatches(at('ENABLED', 'DISABLED'))).toHaveLength(1);
    expect(mismatches(at([1], [1, 2]))).toHaveLength(1);
  });
});

describe('the lifecycle of a bucket', () => {
  const setting = bucketSettings.find(({ name }) => name === 'lifecycle');
  const expected = (LifecycleConfiguration: unknown) =>
    setting?.expected({ LifecycleConfiguration });
  const rule = { Status: 'Enabled', ExpirationInDays: 14 };

  it('is compared in the words of the S3 API', () => {
    const Rules = [{ ...rule, AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 } }];
    expect(expected({ Rules })).toEqual([
      {
        Status: 'Enabled',
        Filter: { Prefix: '' },
        Expiration: { Days: 14 },
        AbortIncompleteMultipartUpload: { DaysAfterInitiation: 7 },
      },
    ]);
    expect(expected(undefined)).toBeUndefined();
  });

  it.each([
    ['Prefix', { Rules: [{ ...rule, Prefix: 'plans/' }] }],
    ['Transitions', { Rules: [rule, { ...rule, Transitions: [] }] }],
    ['TransitionDefaultMinimumObjectSize', { Rules: [], TransitionDefaultMinimumObjectSize: 'x' }],
  ])('stops everything when it has a %s, which would be lost', (name, configuration) => {
    expect(() => expected(configuration)).toThrow(new RegExp(`${name}, which cannot be put back`));
  });
});
