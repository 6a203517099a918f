import { describe, expect, it } from 'vitest';
import {
  HOLD_ROLES_PATH,
  keyGuard,
  vaultStatements,
} from '../../lambdas/domain/audit/guard-policy.ts';
import { environments } from '../../lib/config/environments.ts';
import { Deployment } from '../support/iam/deployment.ts';
import { type Caller, evaluate, type Guarded } from '../support/iam/evaluate.ts';
import { listed, type PolicyDocument } from '../support/iam/policy.ts';
import { readDocument } from '../support/markdown.ts';
import { stageOf } from '../support/synth.ts';

/** AWS Organizations, "Quotas and service limits": characters of a service control policy. */
const MAX_SCP_CHARACTERS = 5_120;
const ACCOUNT = '111122223333';
const DEPLOYMENT_ROLE = `arn:aws:iam::${ACCOUNT}:role/cdk-hnb659fds-cfn-exec-role-${ACCOUNT}-eu-central-1`;

const deployment = new Deployment(stageOf('prod'));
const vault = deployment.bucket('Vault/Bucket');
const key = deployment.key('Vault/Key');
const hmacKey = deployment.key('HmacKeys/Epoch0');
const signingKey = `arn:aws:kms:eu-central-1:${ACCOUNT}:key/signing`;
const shipped = readDocument('docs/scp.json');
const everything: PolicyDocument = {
  Statement: { Effect: 'Allow', Action: '*', Resource: '*' },
};
const control = JSON.parse(
  shipped
    .replaceAll('VAULT_BUCKET', vault.arn.replace('arn:aws:s3:::', ''))
    .replaceAll('VAULT_KEY_ARN', key.arn)
    .replaceAll('SIGNING_KEY_ARN', signingKey)
    .replaceAll('HMAC_KEY_ARN', hmacKey.arn)
    .replaceAll('DEPLOYMENT_ROLE_ARN', DEPLOYMENT_ROLE),
) as PolicyDocument;

const identity = (arn: string): Caller => ({ kind: 'identity', arn, policies: [everything] });
const admin = identity(`arn:aws:iam::${ACCOUNT}:role/admin`);
const root = identity(`arn:aws:iam::${ACCOUNT}:root`);
const deployer = identity(DEPLOYMENT_ROLE);

/** Decided by the organisation alone: as if nothing in the account denied anything. */
const ask = (caller: Caller, action: string, resource: string) => {
  const guarded: Guarded = {
    accountId: ACCOUNT,
    policy: resource.startsWith('arn:aws:kms:')
      ? {
          Statement: {
            Effect: 'Allow',
            Principal: { AWS: `arn:aws:iam::${ACCOUNT}:root` },
            Action: '*',
            Resource: '*',
          },
        }
      : undefined,
    serviceControl: [everything, control],
  };
  return evaluate({ caller, action, resource }, guarded);
};

const actionsOf = (sid: string) => {
  const statements = vaultStatements({
    ...environments.prod.retention,
    bucketArn: vault.arn,
    keyArn: key.arn,
    deploymentRoleArn: DEPLOYMENT_ROLE,
    signing: { sealerRoleArn: 'arn' },
  });
  return listed(statements.find(({ Sid }) => Sid === sid)?.Action);
};

describe('docs/scp.json', () => {
  it('fits into a service control policy with every name filled in', () => {
    expect(JSON.stringify(control).length).toBeLessThan(MAX_SCP_CHARACTERS);
    expect(shipped.length).toBeLessThan(MAX_SCP_CHARACTERS);
    expect(JSON.stringify(control)).not.toMatch(/VAULT|SIGNING|HMAC_|ROLE_ARN/);
  });

  it('has only denies, none of them for a whole service', () => {
    for (const { Action, Effect } of listed(control.Statement)) {
      expect(Effect).toBe('Deny');
      for (const action of listed(Action)) expect(action).not.toContain('*');
    }
  });

  it.each(actionsOf('DenyGuardChanges'))('leaves %s to the deployment role', (action) => {
    for (const caller of [admin, root]) {
      expect(ask(caller, action, vault.arn).by).toEqual(['control VaultGuards']);
    }
    expect(ask(deployer, action, vault.arn).allowed).toBe(true);
    expect(ask(admin, action, 'arn:aws:s3:::another').allowed).toBe(true);
  });

  it.each(listed(keyGuard('').Action))('leaves %s to the deployment role', (action) => {
    for (const resource of [key.arn, signingKey, hmacKey.arn]) {
      for (const caller of [admin, root]) {
        expect(ask(caller, action, resource).by).toEqual(['control KeyGuards']);
      }
      expect(ask(deployer, action, resource).allowed).toBe(true);
    }
    expect(ask(admin, action, `${key.arn}0`).allowed).toBe(true);
  });

  it.each([
    ...actionsOf('DenyGovernanceBypass'),
    ...actionsOf('DenyDeleteMarkers'),
    ...actionsOf('DenyVersionDeletion'),
  ])('leaves %s to nobody', (action) => {
    for (const caller of [admin, root, deployer]) {
      expect(ask(caller, action, `${vault.arn}/lineage/x`).by).toEqual(['control VaultDeletes']);
    }
  });

  it('takes the bucket policy from the root user as well, which the bucket itself cannot', () => {
    const request = { caller: root, action: 's3:DeleteBucketPolicy', resource: vault.arn };
    expect(evaluate(request, vault).allowed).toBe(true);
    expect(evaluate(request, { ...vault, serviceControl: [everything, control] }).by).toEqual([
      'control VaultGuards',
    ]);
  });

  it('keeps the deployment role and the account as they are', () => {
    for (const action of ['iam:UpdateAssumeRolePolicy', 'iam:PutRolePolicy', 'iam:DeleteRole']) {
      expect(ask(root, action, DEPLOYMENT_ROLE).by).toEqual(['control DeploymentRole']);
      expect(ask(root, action, `${DEPLOYMENT_ROLE}2`).allowed).toBe(true);
    }
    for (const action of ['account:CloseAccount', 'organizations:LeaveOrganization']) {
      expect(ask(root, action, `arn:aws:account::${ACCOUNT}:account`).by).toEqual([
        'control Account',
      ]);
    }
  });

  it('leaves roles that may lift holds to the deployment role', () => {
    const role = `arn:aws:iam::${ACCOUNT}:role${HOLD_ROLES_PATH}Holds`;
    for (const action of ['iam:CreateRole', 'iam:PutRolePolicy', 'iam:UpdateAssumeRolePolicy']) {
      for (const caller of [admin, root]) {
        expect(ask(caller, action, role).by).toEqual(['control HoldRoles']);
      }
      expect(ask(deployer, action, role).allowed).toBe(true);
      expect(ask(admin, action, `arn:aws:iam::${ACCOUNT}:role/Holds`).allowed).toBe(true);
    }
  });

  it('is in nobody else’s way: the store writes, and others read', () => {
    const object = `${vault.arn}/lineage/x`;
    for (const action of ['s3:PutObject', 's3:PutObjectRetention', 's3:GetObjectVersion']) {
      expect(ask(admin, action, object).allowed).toBe(true);
    }
    expect(ask(admin, 'kms:Decrypt', key.arn).allowed).toBe(true);
  });
});
