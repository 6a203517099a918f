import { describe, expect, it } from 'vitest';
import { UnavailableError } from '../../../lambdas/domain/errors.ts';
import type { ArchiveDependencies } from '../../../lambdas/domain/evidence/archive-records.ts';
import type { EpochKey } from '../../../lambdas/domain/evidence/keyed-hash.ts';
import { policyKey, policyRecorder } from '../../../lambdas/domain/evidence/record-policy.ts';
import { prepareEvent } from '../../../lambdas/domain/openlineage/prepare-event.ts';
import { policyDocument, readPolicy, STRICT } from '../../../lambdas/domain/redaction/policy.ts';
import { consumed, head, NOW, REDACTION, RETENTION, runEventText } from '../../support/builders.ts';
import { InMemoryVault } from '../../support/fakes/bucket.ts';
import { archive } from './archive.ts';

const keyOf = (epoch: number): EpochKey => ({ epoch, secret: Buffer.alloc(32, epoch + 1) });
const inEpoch = (n: number, epoch: number) =>
  consumed(n, runEventText(), { received: { ...head().received, epoch } });

/** An archive over these epochs, and what it was asked and prepared with. */
function keyed(epochs: readonly number[], down: (epoch: number) => boolean = () => false) {
  const asked: Array<[epoch: number, knownAtMillis: number | undefined]> = [];
  const used: number[] = [];
  const overrides: Partial<ArchiveDependencies> = {
    epochKeys: {
      async byEpoch(epoch, knownAtMillis) {
        asked.push([epoch, knownAtMillis]);
        if (down(epoch)) throw new UnavailableError('hmac_key');
        return epochs.includes(epoch) ? keyOf(epoch) : undefined;
      },
    },
    prepare: (record, key) => {
      used.push(key.epoch);
      return prepareEvent(record, { ...REDACTION, key });
    },
  };
  return { ...archive(overrides), asked, used };
}

describe('each record is prepared with the key of its epoch', () => {
  it('which is asked for once in a batch, as it stood when the batch came', async () => {
    const { run, asked, used } = keyed([0, 1]);
    expect(await run(inEpoch(1, 0), inEpoch(2, 1), inEpoch(3, 0))).toMatchObject({ stored: 3 });
    expect(used).toEqual([0, 1, 0]);
    expect(asked).toEqual([
      [0, NOW],
      [1, NOW],
    ]);
  });

  it('and a record of an epoch that never was is named in quarantine, its neighbours stored', async () => {
    const { run, findings, vault } = keyed([0]);
    const outcome = await run(inEpoch(1, 0), inEpoch(2, 7), inEpoch(3, 0));
    expect(outcome).toMatchObject({ stored: 2, quarantined: 1, failures: new Map() });
    expect(findings()).toEqual(['accepted_not_readable receipt-2']);
    expect(vault.versions.map(({ key }) => key)).toContainEqual(
      expect.stringMatching(/^quarantine\/.*-2-unknown_hmac_epoch\.json$/),
    );
  });

  it('and an unreadable head keeps a reason of its own', async () => {
    const { run, vault, asked } = keyed([0]);
    await run({ ...consumed(1, ''), data: Buffer.from('no head') });
    expect(vault.versions[0]?.key).toMatch(/-head_missing\.json$/);
    expect(asked).toEqual([]);
  });

  it('and where the key is not to be had, that record and all behind it come again', async () => {
    const state = { isDown: true };
    const { run, vault, index } = keyed([0, 1], (epoch) => epoch === 1 && state.isDown);
    const batch = [inEpoch(1, 0), inEpoch(2, 1), inEpoch(3, 0)];
    expect(await run(...batch)).toMatchObject({
      stored: 1,
      quarantined: 0,
      failures: new Map([
        ['2', 'hmac_key_unavailable'],
        ['3', 'hmac_key_unavailable'],
      ]),
    });
    state.isDown = false;
    expect(await run(...batch.slice(1))).toMatchObject({ stored: 2, failures: new Map() });
    // Nothing is stored twice.
    expect(vault.versions).toHaveLength(2);
    expect(index.deliveryRows.size).toBe(3);
  });

  it('and a stranger who names an epoch in each record does not use up the time of the batch', async () => {
    const { run, asked } = keyed([0], () => true);
    const batch = Array.from({ length: 50 }, (_, n) => inEpoch(n, n));
    expect((await run(...batch)).failures.size).toBe(50);
    expect(asked).toHaveLength(3);
  });
});

describe('the document of the policy', () => {
  const policy = readPolicy({ drop: ['facet:my_facet'] });
  const recorded = (vault: InMemoryVault) =>
    policyRecorder(policy, { vault, retention: RETENTION, clock: () => NOW });
  const archived = (vault = new InMemoryVault()) => {
    const store = archive({ recordPolicy: recorded(vault) });
    return { ...store, policies: vault };
  };

  it('has a name that is one everywhere', () => {
    expect(policyKey(STRICT.id)).toBe('policies/strict-1.json');
    expect(policyKey(policy.id)).toMatch(/^policies\/strict-1-[0-9a-f]{12}\.json$/);
  });

  it('is in the vault, locked like other records, before a line is stored', async () => {
    const before: number[] = [];
    const vault = new InMemoryVault();
    const { run } = archive({
      recordPolicy: recorded(vault),
      store: async () => {
        before.push(vault.versions.length);
        return new Map();
      },
    });
    await run(consumed(1, runEventText()));
    expect(before).toEqual([1]);
    const [{ key, body, lock } = {}] = vault.versions;
    expect(key).toBe(policyKey(policy.id));
    expect(JSON.parse(Buffer.from(body ?? []).toString())).toEqual(policyDocument(policy));
    expect(lock).toEqual({
      mode: 'GOVERNANCE',
      // 20 days of a record and 35 of slack, up to the next midnight.
      retainUntil: '2026-04-29T00:00:00.000Z',
      clamped: false,
    });
  });

  it('is put once by a container, and once by all of them', async () => {
    const { run, policies } = archived();
    await run(consumed(1, runEventText()));
    await run(consumed(2, runEventText()));
    expect(policies.faults.calls).toEqual(['putDocument']);
    await archived(policies).run(consumed(3, runEventText()));
    expect(policies.versions).toHaveLength(1);
  });

  it('fails the batch while the vault does not take it, and loses no record', async () => {
    const { run, vault, policies } = archived();
    policies.faults.refuse('putDocument');
    const batch = [consumed(1, runEventText()), consumed(2, 'oops')];
    expect(await run(...batch)).toEqual({
      failures: new Map(
        batch.map(({ position }) => [position.sequenceNumber, 'putDocument_unavailable']),
      ),
      ...{ stored: 0, skeletons: 0, quarantined: 0 },
    });
    expect(vault.versions).toEqual([]);
    expect(await run(...batch)).toMatchObject({ stored: 1, quarantined: 1, failures: new Map() });
  });

  it('is not written when there is nothing to archive', async () => {
    const { run, policies } = archived();
    expect(await run()).toMatchObject({ stored: 0, failures: new Map() });
    expect(policies.faults.calls).toEqual([]);
  });
});
