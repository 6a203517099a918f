import { describe, expect, it } from 'vitest';
import { readAssumedRole, readRoleArn } from '../../../lambdas/domain/producers/role-arn.ts';

const ROLE = { account: '111122223333', name: 'Etl+a=b,c.d@e-f' };

describe('the ARN of a role', () => {
  it.each(['', 'path/', 'aws-reserved/sso.amazonaws.com/eu-central-1/'])(
    'and of a session of it name the same role, with the path %j',
    (path) => {
      expect(readRoleArn(`arn:aws:iam::${ROLE.account}:role/${path}${ROLE.name}`)).toEqual(ROLE);
      const session = `arn:aws:sts::${ROLE.account}:assumed-role/${ROLE.name}/i-0abc`;
      expect(readAssumedRole(session)).toEqual(ROLE);
    },
  );

  it.each([
    'arn:aws:iam::111122223333:user/somebody',
    'arn:aws:iam::111122223333:root',
    'arn:aws:iam::111122223333:role/x',
    'arn:aws:sts::111122223333:federated-user/x',
    'arn:aws:sts::111122223333:assumed-role/x',
    'arn:aws:sts::111122223333:assumed-role/x/y/z',
    'arn:aws:sts::11112222333:assumed-role/x/yy',
    ' arn:aws:sts::111122223333:assumed-role/x/yy',
    'arn:aws:sts::111122223333:assumed-role/x/yy\n',
    '',
  ])('is not the caller %j', (arn) => {
    expect(readAssumedRole(arn)).toBeUndefined();
  });

  it('is bounded', () => {
    expect(readRoleArn(`arn:aws:iam::111122223333:role/${'a/'.repeat(400)}x`)).toBeUndefined();
  });
});
