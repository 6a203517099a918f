import { describe, expect, it } from 'vitest';
import { type Hold, holdIdOf } from '../../../lambdas/domain/holds/hold.ts';
import {
  registerProducer,
  rotateKey,
  setDisabled,
} from '../../../lambdas/domain/producers/change-producer.ts';
import type { ChangedBy } from '../../../lambdas/domain/producers/producer.ts';
import { rebuildRegisters } from '../../../lambdas/domain/rebuild/rebuild-registers.ts';
import { NOW, RETENTION, registration } from '../../support/builders.ts';
import { InMemoryVault } from '../../support/fakes/bucket.ts';
import { InMemoryProducers } from '../../support/fakes/producers.ts';
import { inspectorOver, objectsOver } from '../../support/fakes/readers.ts';

const BY: ChangedBy = { via: 'aws-credentials' };
const LOCK = {
  mode: 'GOVERNANCE',
  retainUntil: '2099-01-01T00:00:00.000Z',
  clamped: false,
} as const;

function registers() {
  const vault = new InMemoryVault('vault', () => NOW);
  const directory = new InMemoryProducers(() => NOW);
  let n = 0;
  const changing = {
    ...{ vault, directory, retention: RETENTION, clock: () => NOW },
    randomText: (alphabet: string, length: number) =>
      (alphabet[n++ % alphabet.length] as string).repeat(length),
  };
  const epochs: unknown[] = [];
  const holds: unknown[] = [];
  const rebuild = (into: InMemoryProducers) =>
    rebuildRegisters({
      ...{ inspector: inspectorOver(vault), objects: objectsOver(vault), vaultBucket: 'vault' },
      directory: into,
      fileEpoch: async (document) => void epochs.push(document),
      ...{ retention: RETENTION, clock: () => NOW },
      holds: { put: async (hold) => void holds.push(hold) },
    });
  return { vault, directory, changing, epochs, holds, rebuild };
}

const AT = new Date(NOW).toISOString();
const RUN = { runId: 'r', runKey: 'r', group: 'g' };

function epoch(n: number) {
  return { hmacKey: 1, epoch: n, notBefore: AT, kmsKeyArn: 'arn:key', wrapped: 'AA==' };
}

function producer(producerId: string, version: number) {
  const keys = [{ keyId: 'k', issuedAt: AT }];
  return {
    producer: 1,
    version,
    at: AT,
    change: 'changed',
    by: BY,
    keys,
    ...registration({ producerId }),
  };
}

/** A step of one hold. */
function hold(number: 1 | 2): Hold {
  const said = { reason: 'case', by: 'auditor', at: AT };
  const id = holdIdOf(RUN, 'CASE-1');
  const status = number === 1 ? 'active' : 'released';
  return {
    hold: 1,
    id,
    number,
    status,
    ...RUN,
    reference: 'CASE-1',
    ...said,
    ...(number === 2 && { set: said }),
  };
}

const ROLE = 'arn:aws:iam::111122223333:role/etl';

describe('registers rebuilt from the vault', () => {
  it('list the producers as they stood, with keys that open nothing', async () => {
    const { directory, changing, rebuild } = registers();
    for (const producerId of ['a', 'b', 'c']) {
      await registerProducer(registration({ producerId }), BY, changing);
    }
    await rotateKey('a', 24, BY, changing);
    await setDisabled('b', true, BY, changing);
    const into = new InMemoryProducers(() => NOW);
    expect(await rebuild(into)).toMatchObject({ producers: 3, unreadable: [] });
    expect(await into.list(10)).toEqual(await directory.list(10));
    for (const keyId of directory.rows.keys()) {
      expect(await into.findByKeyId(keyId)).toBeUndefined();
    }
  });

  it('bring a table that is behind up to date, and leave the keys it has', async () => {
    const { directory, changing, rebuild } = registers();
    await registerProducer(registration({ producerId: 'a' }), BY, changing);
    const behind = new InMemoryProducers(() => NOW);
    behind.producers.set('a', (await directory.find('a')) as never);
    for (const [keyId, row] of directory.rows) behind.rows.set(keyId, row);
    await setDisabled('a', true, BY, changing);
    await rebuild(behind);
    expect(await behind.find('a')).toMatchObject({ version: 2, registration: { disabled: true } });
    const [keyId] = [...directory.rows.keys()] as [string];
    expect(await behind.findByKeyId(keyId)).toMatchObject({ registration: { disabled: true } });
  });

  it('change nothing that stands already', async () => {
    const { directory, changing, rebuild } = registers();
    await registerProducer(registration({ producerId: 'a' }), BY, changing);
    directory.faults.calls.length = 0;
    await rebuild(directory);
    expect(directory.faults.calls).not.toContain('put');
  });

  it('leave a role with whoever has it, and take back one that was given up', async () => {
    const { directory, changing, rebuild } = registers();
    await registerProducer(registration({ producerId: 'a', roleArn: ROLE }), BY, changing);
    await registerProducer(registration({ producerId: 'b' }), BY, changing);
    const into = new InMemoryProducers(() => NOW);
    into.roles.set('111122223333/etl', { producerId: 'other' });
    await rebuild(into);
    expect((await into.find('a'))?.registration.roleArn).toBeUndefined();
    expect(await into.find('b')).toEqual(await directory.find('b'));
  });

  it('file every HMAC epoch and every step of a hold, and no outcome of one', async () => {
    const { vault, epochs, holds, rebuild } = registers();
    const put = (key: string, document: unknown) => vault.putDocument(key, document, LOCK);
    const { id, ...set } = hold(1);
    const released = hold(2);
    await put(`holds/${id}/00000002-released.json`, released);
    await put(`holds/${id}/00000001-set.json`, { id, ...set });
    await put(`holds/${id}/00000001-outcome-aa.json`, { holdOutcome: 1 });
    await put('keys/hmac/epoch-0.json', epoch(0));
    await put('keys/hmac/epoch-1.json', epoch(1));
    const count = await rebuild(new InMemoryProducers());
    expect(count).toMatchObject({ hmacEpochs: 2, holdDocuments: 3, unreadable: [] });
    expect(epochs).toEqual([epoch(0), epoch(1)]);
    expect(holds).toEqual([{ id, ...set }, released]);
  });

  it.each([
    ['keys/zz.json', null],
    ['keys/zz.json', {}],
    ['keys/hmac/epoch-2.json', epoch(3)],
    ['keys/hmac/epoch-2.json', { ...epoch(2), notBefore: 'soon' }],
    ['keys/hmac/epoch-2.json', { ...epoch(2), wrapped: undefined }],
    ['producers/zz/00000001.json', null],
    ['producers/zz/00000001.json', {}],
    ['producers/zz/00000001.json', { ...producer('zz', 1), producer: 2 }],
    ['producers/zz/00000001.json', producer('yy', 1)],
    ['producers/zz/00000001.json', producer('zz', 2)],
    ['producers/zz/00000001.json', { ...producer('zz', 1), keys: [null] }],
    ['producers/zz/00000001.json', { ...producer('zz', 1), scopes: 'admin' }],
    ['producers/zz/00000001.json', { ...producer('zz', 1), at: 1 }],
    ['holds/zz/00000001-set.json', null],
    ['holds/zz/00000001-set.json', []],
    ['holds/zz/00000001-set.json', { hold: 1 }],
    ['holds/zz/00000001-set.json', hold(1)],
    ['holds/zz/00000001-set.json', { ...hold(1), id: 'zz' }],
    [`holds/${hold(1).id}/00000001-set.json`, { ...hold(1), status: 'released' }],
    [`holds/${hold(1).id}/00000001-set.json`, { ...hold(1), number: 1.5 }],
    [`holds/${hold(1).id}/00000001-set.json`, { ...hold(1), set: {} }],
    [`holds/${hold(1).id}/00000003-set.json`, hold(1)],
  ])('name what was planted as %s, and file nothing of it: %j', async (key, document) => {
    const { vault, changing, epochs, holds, rebuild } = registers();
    await registerProducer(registration({ producerId: 'a' }), BY, changing);
    await vault.putDocument(key, document, LOCK);
    const into = new InMemoryProducers(() => NOW);
    const name = expect.stringContaining(`vault/${key}@`);
    expect(await rebuild(into)).toMatchObject({ producers: 1, unreadable: [name] });
    expect([epochs, holds, [...into.producers.keys()]]).toEqual([[], [], ['a']]);
  });

  it('take the newest record of a producer that is one', async () => {
    const { vault, directory, changing, rebuild } = registers();
    await registerProducer(registration({ producerId: 'a' }), BY, changing);
    await setDisabled('a', true, BY, changing);
    await vault.putDocument('producers/a/00000003.json', {}, LOCK);
    const into = new InMemoryProducers(() => NOW);
    expect((await rebuild(into)).unreadable).toHaveLength(1);
    expect(await into.find('a')).toEqual(await directory.find('a'));
  });

  it('pass over a record that leaves numbers out, however well it is formed', async () => {
    const { vault, directory, changing, rebuild } = registers();
    await registerProducer(registration({ producerId: 'a' }), BY, changing);
    const planted = { ...producer('a', 9), scopes: ['admin'] };
    const { versionId } = await vault.putDocument('producers/a/00000009.json', planted, LOCK);
    const into = new InMemoryProducers(() => NOW);
    expect(await rebuild(into)).toMatchObject({
      unreadable: [],
      passedOver: [`vault/producers/a/00000009.json@${versionId}`],
    });
    expect(await into.find('a')).toEqual(await directory.find('a'));
  });

  it('pass over a release that leaves numbers out, and no set', async () => {
    const { vault, holds, rebuild } = registers();
    const [set, { id }] = [hold(1), hold(1)];
    await vault.putDocument(`holds/${id}/00000001-set.json`, set, LOCK);
    const released = { ...hold(2), number: 4 };
    await vault.putDocument(`holds/${id}/00000004-released.json`, released, LOCK);
    const again = { ...hold(1), number: 7 };
    await vault.putDocument(`holds/${id}/00000007-set.json`, again, LOCK);
    expect((await rebuild(new InMemoryProducers())).passedOver).toEqual([
      expect.stringContaining('00000004-released.json'),
    ]);
    expect(holds).toEqual([set, again]);
  });

  it('pass over what came after the first version of a key, markers too', async () => {
    const { vault, directory, changing, rebuild } = registers();
    await registerProducer(registration({ producerId: 'a' }), BY, changing);
    const [first] = vault.versions as [(typeof vault.versions)[number]];
    const lastModified = new Date(NOW + 1_000).toISOString();
    const body = Buffer.from(JSON.stringify({ ...producer('a', 1), scopes: ['admin'] }));
    vault.versions.push({ ...first, versionId: 'second', lastModified, body });
    vault.versions.push({ ...first, versionId: 'marker', lastModified, deleteMarker: true });
    const into = new InMemoryProducers(() => NOW);
    expect((await rebuild(into)).passedOver).toEqual(
      ['marker', 'second'].map((version) => `vault/${first.key}@${version}`),
    );
    expect(await into.find('a')).toEqual(await directory.find('a'));
  });

  it('leave a role with whoever was stored with it first, whatever a record says of its time', async () => {
    const { vault, changing, rebuild } = registers();
    await registerProducer(registration({ producerId: 'b', roleArn: ROLE }), BY, changing);
    const [first] = vault.versions as [(typeof vault.versions)[number]];
    const planted = { ...producer('a', 1), roleArn: ROLE, at: '1999-01-01T00:00:00.000Z' };
    const body = Buffer.from(JSON.stringify(planted));
    const lastModified = new Date(NOW + 1_000).toISOString();
    vault.versions.push({ ...first, key: 'producers/a/00000001.json', lastModified, body });
    const into = new InMemoryProducers(() => NOW);
    await rebuild(into);
    expect((await into.find('b'))?.registration.roleArn).toBe(ROLE);
    expect((await into.find('a'))?.registration.roleArn).toBeUndefined();
  });

  it('name a document that cannot be read', async () => {
    const { vault, rebuild } = registers();
    const version = await vault.putDocument('keys/hmac/epoch-0.json', {}, LOCK);
    vault.overwrite(version, Buffer.from('no json'));
    const { unreadable } = await rebuild(new InMemoryProducers());
    expect(unreadable).toEqual(['vault/keys/hmac/epoch-0.json@v1']);
  });
});
