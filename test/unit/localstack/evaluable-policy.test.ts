import { describe, expect, it } from 'vitest';
import { evaluableResourcePolicy, wronglyRefused } from '../../../localstack/evaluable-policy.ts';

const policyOf = (...Statement: object[]) => ({ Version: '2012-10-17', Statement });
const deny = (Sid: string, Condition?: Record<string, Record<string, string>>) => ({
  ...{ Sid, Effect: 'Deny', Principal: '*', Action: 's3:PutObject', Resource: '*' },
  ...(Condition && { Condition }),
});

describe('a resource policy for the emulator', () => {
  it('is without the statements that ask for keys it does not know', () => {
    const known = [deny('All'), deny('Tls', { Bool: { 'aws:SecureTransport': 'false' } })];
    const unknown = [
      deny('Lock', { Null: { 's3:object-lock-retain-until-date': 'true' } }),
      deny('Once', { Null: { 's3:if-none-match': 'true' } }),
      deny('Class', {
        Null: { 's3:x-amz-storage-class': 'false' },
        StringNotEquals: { 's3:x-amz-storage-class': 'STANDARD' },
      }),
    ];
    expect(evaluableResourcePolicy(policyOf(...known, ...unknown))).toEqual(policyOf(...known));
  });

  it('names the sessions of a role beside the role', () => {
    const role = 'arn:aws:iam::111122223333:role/path/sealer';
    const before = deny('Foreign', { ArnNotEquals: { 'aws:PrincipalArn': role } });
    const sessions = 'arn:aws:sts::111122223333:assumed-role/sealer/*';
    expect(evaluableResourcePolicy(policyOf(before))).toEqual(
      policyOf({
        ...before,
        Condition: { ArnNotEquals: { 'aws:PrincipalArn': [role, sessions] } },
      }),
    );
  });
});

describe('what the emulator would refuse wrongly', () => {
  const allow = (Action: string, rest: object = {}) => ({
    ...{ Effect: 'Allow', Action, Resource: 'arn:aws:s3:::vault/*', ...rest },
  });

  it('is what is allowed under keys it does not know, and the reading of a stream', () => {
    const Condition = { StringEquals: { 's3:object-lock-legal-hold': ['ON'] } };
    const leading = { 'ForAllValues:StringEquals': { 'dynamodb:LeadingKeys': ['a'] } };
    const policy = policyOf(
      allow('s3:GetObject'),
      allow('s3:PutObjectLegalHold', { Condition }),
      allow('dynamodb:Query', { Condition: leading }),
      allow('kinesis:GetRecords', { Resource: 'arn:aws:kinesis:eu-central-1:1:stream/one' }),
    );
    expect(wronglyRefused(policy)).toEqual([
      allow('s3:PutObjectLegalHold'),
      allow('kinesis:GetRecords', { Resource: '*' }),
    ]);
  });
});
