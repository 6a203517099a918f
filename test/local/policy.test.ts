import { afterEach, describe, expect, inject, it } from 'vitest';
import { policyKey } from '../../lambdas/domain/evidence/record-policy.ts';
import {
  policyDocument,
  type RedactionPolicy,
  readPolicy,
  STRICT,
} from '../../lambdas/domain/redaction/policy.ts';
import { runEvent } from '../support/events.ts';
import { changeVariables } from '../support/function-variables.ts';
import { StoreClient } from '../support/store-client.ts';

describe('the policy of a deployment', () => {
  const store = new StoreClient(inject('environment'));
  const { vault } = store.environment.buckets;
  let restore = async () => {};
  afterEach(async () => {
    await restore();
    restore = async () => {};
  });

  /** The version of its document in the vault; written once. */
  const documentOf = async ({ id }: RedactionPolicy) => {
    const versions = await store.versions(vault, policyKey(id));
    expect(versions).toHaveLength(1);
    const [{ key, versionId } = { key: '', versionId: '' }] = versions;
    return { bucket: vault, key, versionId };
  };
  const expectLocked = async (policy: RedactionPolicy) => {
    const version = await documentOf(policy);
    expect(JSON.parse((await store.object(version)).toString())).toEqual(policyDocument(policy));
    expect(await store.lockOf(version)).toMatchObject({ Mode: 'GOVERNANCE' });
  };

  it('is named by a stored event and locked in the vault', async () => {
    const { json } = await store.store(runEvent());
    expect((await store.line(json.location)).redaction.policy).toBe(STRICT.id);
    await expectLocked(STRICT);
  });

  it('is another where rules are added, and what was stored before stays', async () => {
    const before = await store.store(runEvent());
    const REDACTION_POLICY = JSON.stringify({ drop: ['facet:acme_customer'] });
    const policy = readPolicy(JSON.parse(REDACTION_POLICY));
    restore = await changeVariables(store.clients, store.environment.functions.archive, {
      REDACTION_POLICY,
    });
    const event = runEvent();
    const facets = { acme_customer: { segment: 'canary-7f3e9d01' } };
    const { json } = await store.store({ ...event, run: { ...(event.run as object), facets } });
    const line = await store.line(json.location);
    expect(line.redaction.policy).toBe(policy.id);
    expect(JSON.stringify(line)).not.toContain('canary-7f3e9d01');
    await expectLocked(policy);
    expect((await store.line(before.json.location)).redaction.policy).toBe(STRICT.id);
    await documentOf(STRICT);
  });
});
