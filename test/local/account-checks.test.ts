import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ListObjectVersionsCommand } from '@aws-sdk/client-s3';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { environments } from '../../lib/config/environments.ts';
import { clientConfig } from '../../localstack/aws.ts';
import type { Subject } from '../account/check.ts';
import { ACCOUNT_CHECKS } from '../account/checks.ts';
import { createAccountClients } from '../account/clients.ts';
import { type Result, runChecks } from '../account/report.ts';

/** No emulator evaluates a policy, so that these tell a guard that is not enforced from one that is. */
const NOT_ENFORCED = [
  ...['vault-put-refusals', 'vault-retention-floor', 'vault-deletion', 'vault-guard-changes'],
  ...['vault-plain-http', 'vault-hold-release', 'signing-key-policy'],
];
/** The store does these itself, or an emulator is told to. */
const ANSWERED = [
  ...['vault-policy', 'usage-expiry', 'answer-bytes'],
  ...['function-rights', 'redrive-reads-back'],
];

/** Nothing here takes the minutes that logs take in AWS: all polls of a check together end after half a minute. */
const POLL_MILLIS = 500;

/** The checks as they are sent, to something that answers: verdicts about an emulator, and no evidence of an account. */
describe('account checks, sent to an emulator', () => {
  const deployment = inject('environment');
  const clients = createAccountClients({
    ...clientConfig(deployment.endpointUrl),
    forcePathStyle: true,
  });
  const subject: Subject = {
    ...{ deployment, clients, now: Date.now, runId: randomUUID() },
    sleep: () => sleep(POLL_MILLIS),
    config: environments.local,
    callerArn: `arn:aws:iam::${randomUUID()}:root`,
    bearerKey: deployment.keys.admin,
  };
  let results: readonly Result[] = [];
  const resultOf = (name: string) => results.find(({ check }) => check === name);

  beforeAll(async () => {
    const chosen = ACCOUNT_CHECKS.filter(({ name }) =>
      [...NOT_ENFORCED, ...ANSWERED].includes(name),
    );
    results = await runChecks(chosen, subject, () => undefined);
  });

  it.each(ANSWERED)('%s holds', (name) => {
    expect(resultOf(name)).toMatchObject({ verdict: 'holds' });
  });

  it.each(NOT_ENFORCED)('%s sees that nothing refuses', (name) => {
    const steps = resultOf(name)?.steps ?? [];
    expect(steps.filter(({ verdict }) => verdict === 'fails').length).toBeGreaterThan(0);
    expect(steps.filter(({ verdict }) => verdict === 'unknown')).toEqual([]);
  });

  it('leave nothing that was refused nowhere', async () => {
    for (const prefix of ['account-check/', 'digests/account-check', 'lineage/account-check']) {
      const { DeleteMarkers, Versions } = await clients.s3.send(
        new ListObjectVersionsCommand({ Bucket: deployment.buckets.vault, Prefix: prefix }),
      );
      expect([...(Versions ?? []), ...(DeleteMarkers ?? [])]).toEqual([]);
    }
  });
});
