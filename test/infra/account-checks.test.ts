import {
  GetKeyPolicyCommand,
  GetPublicKeyCommand,
  KMSClient,
  SignCommand,
} from '@aws-sdk/client-kms';
import { GetFunctionConfigurationCommand, LambdaClient } from '@aws-sdk/client-lambda';
import { mockClient } from 'aws-sdk-client-mock';
import { describe, expect, it } from 'vitest';
import type { DeploymentRecord } from '../../bin/evidence/deployment.ts';
import { environments } from '../../lib/config/environments.ts';
import type { SessionPolicy, Subject } from '../account/check.ts';
import { verdictOf } from '../account/check.ts';
import { keyChecks } from '../account/checks/keys.ts';
import { vaultChecks } from '../account/checks/vault.ts';
import type { AccountClients } from '../account/clients.ts';
import { runChecks } from '../account/report.ts';
import { denied, guardedS3 } from '../support/account/guarded-services.ts';
import { Deployment } from '../support/iam/deployment.ts';
import { type Caller, evaluate } from '../support/iam/evaluate.ts';
import { listed, type PolicyDocument } from '../support/iam/policy.ts';
import { BREAK_GLASS_ROLE, callersOf, DEPLOYMENT_ROLE } from '../support/iam/requests.ts';
import { stageOf } from '../support/synth.ts';

/** Only what a session policy leaves of a role. */
const under = (policy: SessionPolicy): Caller => ({
  kind: 'identity',
  arn: 'arn:aws:iam::111122223333:role/writer',
  policies: [policy as unknown as PolicyDocument],
});

/** Which check sees that a statement is gone, beside the one that reads the policy; none where another one denies as well. */
const SEEN_BY: Readonly<Record<string, readonly string[]>> = {
  DenyCustomerKeys: ['vault-put-refusals'],
  DenyDeleteMarkers: ['vault-deletion'],
  DenyForeignDigests: ['vault-put-refusals'],
  DenyGuardChanges: ['vault-guard-changes'],
  DenyHoldRelease: ['vault-hold-release'],
  DenyLockBelowFloor: ['vault-put-refusals', 'vault-retention-floor'],
  DenyOtherKmsKeys: ['vault-put-refusals'],
  DenyOtherLockMode: ['vault-put-refusals', 'vault-retention-floor'],
  DenyOtherStorageClass: ['vault-put-refusals'],
  DenyPlainHttp: ['vault-plain-http'],
  DenyPutWithoutIfNoneMatch: ['vault-put-refusals'],
};

const VAULT_ROLES = [
  { role: DEPLOYMENT_ROLE, sid: 'DenyGuardChanges', check: 'vault-guard-changes' },
  { role: BREAK_GLASS_ROLE, sid: 'DenyVersionDeletion', check: 'vault-deletion' },
];

describe.each(['prod', 'trial'] as const)('the checks of the vault of %s', (name) => {
  const deployment = new Deployment(stageOf(name));
  const vault = deployment.bucket('Vault/Bucket');
  const { admin } = callersOf(deployment) as { admin: Caller };
  const bucket = vault.arn.split(':::')[1] as string;

  const subjectWith = (policy: PolicyDocument, overHttp = { overTls: false }): Subject => {
    const guarded = { ...vault, policy };
    return {
      deployment: {
        ...{ stage: name, buckets: { vault: bucket, staging: '' } },
        hmacKeyArn: 'arn:aws:kms:eu-central-1:111122223333:key/hmac',
      } as DeploymentRecord,
      config: environments[name],
      clients: {
        s3: guardedS3(guarded, admin),
        s3OverHttp: guardedS3(guarded, admin, overHttp),
      } as AccountClients,
      callerArn: 'arn:aws:sts::111122223333:assumed-role/admin/me',
      s3With: async (session) => guardedS3(guarded, under(session)),
      ...{ runId: 'r', now: Date.now, sleep: async () => undefined },
    };
  };
  const verdicts = async (subject: Subject) => {
    const results = await runChecks(vaultChecks, subject, () => undefined);
    return Object.fromEntries(results.map(({ check, verdict }) => [check, verdict]));
  };
  const policy = vault.policy as PolicyDocument;

  it('hold where its policies are enforced, for an administrator', async () => {
    expect(await verdicts(subjectWith(policy))).toEqual({
      ...Object.fromEntries(vaultChecks.map((check) => [check.name, 'holds'])),
      'inventory-lock-fields': 'none',
    });
  });

  it.each(listed(policy.Statement).map(({ Sid }) => Sid as string))(
    'see that %s is gone',
    async (sid) => {
      const Statement = listed(policy.Statement).filter(({ Sid }) => Sid !== sid);
      const seen = await verdicts(subjectWith({ ...policy, Statement }));
      const failing = Object.keys(seen).filter((check) => seen[check] === 'fails');
      expect(failing.sort()).toEqual([...(SEEN_BY[sid] ?? []), 'vault-policy'].sort());
    },
  );

  it.each(VAULT_ROLES)('show nothing of what $role may do', async ({ check, role, sid }) => {
    const Statement = listed(policy.Statement).map((statement) =>
      statement.Sid === sid
        ? { ...statement, Condition: { ArnNotEquals: { 'aws:PrincipalArn': role } } }
        : statement,
    );
    const callerArn = `arn:aws:sts::111122223333:assumed-role/${role.split('/').at(-1)}/me`;
    const subject = { ...subjectWith({ ...policy, Statement }), callerArn };
    expect((await verdicts(subject))[check]).toBe('unknown');
  });

  it('show nothing to a caller who may do nothing', async () => {
    const { stranger } = callersOf(deployment) as { stranger: Caller };
    const s3 = guardedS3({ ...vault, policy: { Statement: [] } }, stranger);
    const subject = subjectWith(policy);
    const clients = { ...subject.clients, s3, s3OverHttp: s3 };
    const seen = await verdicts({ ...subject, clients });
    const { 'absence-needs-list': _, 'lock-headers-right': __, ...own } = seen;
    expect(new Set(Object.values(own))).toEqual(new Set(['unknown']));
  });
});

describe('the check of the signing key', () => {
  const deployment = new Deployment(stageOf('trial'));
  const key = deployment.key('Signing/Key0');
  const sealer = deployment.arnOf('AWS::IAM::Role', 'Signing/Role');
  const { admin } = callersOf(deployment) as { admin: Caller };

  const verdict = async (policy: PolicyDocument, caller = admin) => {
    const kms = new KMSClient({ region: 'eu-central-1' });
    const stub = mockClient(kms);
    const ask = (action: string) => {
      const request = { caller, action, resource: key.arn };
      const { allowed, why } = evaluate(request, { ...key, policy });
      if (allowed) return;
      throw denied(action, false, why.startsWith('the key policy') ? 'resource' : 'identity');
    };
    stub.on(GetPublicKeyCommand).callsFake(() => ask('kms:GetPublicKey'));
    stub.on(GetKeyPolicyCommand).resolves({ Policy: JSON.stringify(policy) });
    stub.on(SignCommand).callsFake((input) => {
      expect(input.DryRun).toBe(true);
      ask('kms:Sign');
      throw Object.assign(new Error(), { name: 'DryRunOperationException' });
    });
    const lambda = new LambdaClient({ region: 'eu-central-1' });
    mockClient(lambda).on(GetFunctionConfigurationCommand).resolves({ Role: sealer });
    const clients = { kms, lambda } as unknown as AccountClients;
    const subject = {
      clients,
      deployment: { functions: { seal: 'seal' }, signingKeyId: 'key' },
    } as unknown as Subject;
    const [check] = keyChecks.filter(({ name }) => name === 'signing-key-policy');
    return verdictOf((await check?.run(subject)) ?? []);
  };
  const policy = key.policy as PolicyDocument;
  const allowing = (Action: string, AWS: string): PolicyDocument => ({
    ...policy,
    Statement: [
      ...listed(policy.Statement),
      { Effect: 'Allow', Principal: { AWS }, Action, Resource: '*' },
    ],
  });

  it('holds under the policy that is deployed', async () => {
    expect(await verdict(policy)).toBe('holds');
  });

  it.each([
    ['kms:Sign', 'arn:aws:iam::111122223333:root'],
    ['kms:*', 'arn:aws:iam::111122223333:root'],
    ['kms:CreateGrant', 'arn:aws:iam::111122223333:role/other'],
    ['kms:Sign', 'arn:aws:iam::111122223333:role/other'],
  ])('fails when %s is allowed to %s', async (action, principal) => {
    expect(await verdict(allowing(action, principal))).toBe('fails');
  });

  it('shows nothing to a caller who may not even read the public key', async () => {
    const { stranger } = callersOf(deployment) as { stranger: Caller };
    expect(await verdict(policy, stranger)).toBe('unknown');
  });
});
