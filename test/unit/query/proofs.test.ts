import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { leafOf } from '../../../lambdas/domain/evidence/evidence-object.ts';
import { digestKey } from '../../../lambdas/domain/integrity/digest.ts';
import { rootOfPath } from '../../../lambdas/domain/integrity/merkle.ts';
import { consumed, NOW, NOW_TEXT, RUN_ID, runEventText } from '../../support/builders.ts';
import { sealInterval } from '../integrity/sealed.ts';
import { queriedStore, receipt } from './store.ts';

const QUARTER = 900_000;
const DAY = 86_400_000;
const FIRST = Math.floor(NOW / QUARTER) * QUARTER;
const interval = (n: number) => ({ from: FIRST + n * QUARTER, to: FIRST + (n + 1) * QUARTER });
const keyOf = (n: number) => digestKey(new Date(interval(n).from).toISOString());
const record = (n: number, overrides: Record<string, unknown> = {}) =>
  consumed(n, runEventText({ eventType: 'RUNNING', n, ...overrides }), { receiptId: receipt(n) });

/** A store with several objects, the wanted one among them, in the digest of its interval. */
async function sealedStore() {
  const store = queriedStore();
  await store.archive(record(1), record(2));
  await store.archive(record(3), record(4), record(5));
  await store.archive(
    consumed(6, runEventText({ eventType: 'COMPLETE' }), { receiptId: receipt(6) }),
  );
  return store;
}
const objectOf = ({ index }: Awaited<ReturnType<typeof sealedStore>>, n: number) =>
  [...index.deliveryRows.values()].find(({ receiptId }) => receiptId === receipt(n))?.location
    .key as string;
const signatureOf = ({ vault }: Awaited<ReturnType<typeof sealedStore>>, n: number) => {
  const key = digestKey(new Date(interval(n).from).toISOString(), 'signature');
  return Buffer.from(vault.versions.find((version) => version.key === key)?.body ?? '')
    .toString()
    .trim();
};
const proofOf = (n: number) => `events/${receipt(n)}/proof`;

describe('GET /events/{receiptId}/proof', () => {
  it('leads from the stored line of any record to the root that is signed', async () => {
    const store = await sealedStore();
    const digest = sealInterval(store.vault, interval(0));
    expect(digest.records).toBe(6);
    for (let n = 1; n <= 6; n++) {
      const { status, json } = await store.get(proofOf(n));
      expect(status).toBe(200);
      const { object, leaf, index, leaves, path, root, digest: signed, ...rest } = json();
      expect(rest).toEqual({ receiptId: receipt(n) });
      const held = store.vault.versions.find(({ versionId }) => versionId === object.versionId);
      const lines = gunzipSync(held?.body ?? '')
        .toString()
        .split('\n');
      expect(JSON.parse(lines[object.line] ?? '').receiptId).toBe(receipt(n));
      expect(leafOf(Buffer.from(lines[object.line] ?? '')).toString('hex')).toBe(leaf);
      expect(rootOfPath(leaf, path)).toBe(digest.root);
      expect([root, leaves, index < leaves]).toEqual([digest.root, 6, true]);
      expect(signed).toMatchObject({
        ...{ key: keyOf(0), number: 0, from: digest.from, to: digest.to },
        signature: signatureOf(store, 0),
        fingerprint: digest.signer.fingerprint,
      });
    }
  });

  it('says when to ask again for what is not sealed yet', async () => {
    const store = await sealedStore();
    const nothing = await store.get(proofOf(1));
    expect([nothing.status, nothing.json()]).toEqual([
      202,
      {
        ...{ status: 'pending', acceptedAt: NOW_TEXT },
        landedAt: `${NOW_TEXT.slice(0, 19)}.000Z`,
      },
    ]);
    sealInterval(store.vault, interval(-2));
    sealInterval(store.vault, interval(-1));
    expect((await store.get(proofOf(1))).json()).toMatchObject({
      status: 'pending',
      askAgainAt: new Date(interval(0).to + 300_000).toISOString(),
    });
    store.time.now = NOW + DAY;
    expect((await store.get(proofOf(1))).json()).toMatchObject({
      askAgainAt: new Date(NOW + DAY + 60_000).toISOString(),
    });
  });

  it('knows the intervals of the day before', async () => {
    const store = await sealedStore();
    const midnight = (Math.floor(NOW / DAY) + 1) * DAY;
    store.time.now = midnight + 1_000;
    await store.archive(record(9));
    sealInterval(store.vault, { from: midnight - QUARTER, to: midnight });
    expect((await store.get(proofOf(9))).json()).toMatchObject({
      askAgainAt: new Date(midnight + QUARTER + 300_000).toISOString(),
    });
  });

  it('finds what a later digest sealed, first where a day is swept', async () => {
    const store = await sealedStore();
    const late = objectOf(store, 6);
    sealInterval(store.vault, interval(0), { except: [late] });
    const missed = await store.get(proofOf(6));
    expect([missed.status, missed.json().status]).toEqual([202, 'late']);
    expect((await store.get(proofOf(1))).status).toBe(200);

    const midnight = (Math.floor(NOW / DAY) + 1) * DAY;
    store.time.now = midnight + QUARTER;
    for (let n = 1; interval(n).from < midnight; n++) sealInterval(store.vault, interval(n));
    sealInterval(store.vault, { from: midnight, to: midnight + QUARTER }, { late: [late] });
    const reads: string[] = [];
    store.watch(({ key }) => reads.push(key));
    const found = (await store.get(proofOf(6))).json();
    expect(found).toMatchObject({ digest: { key: digestKey(new Date(midnight).toISOString()) } });
    expect(rootOfPath(found.leaf, found.path)).toBe(found.root);
    expect(reads.filter((key) => key.endsWith('Z.json'))).toHaveLength(2);
  });

  it('finds it in any digest after its own, and reads only so many of them', async () => {
    const store = await sealedStore();
    const late = objectOf(store, 6);
    sealInterval(store.vault, interval(0), { except: [late] });
    for (let n = 1; n < 70; n++)
      sealInterval(store.vault, interval(n), n === 5 ? { late: [late] } : {});
    store.time.now = interval(70).from;
    expect((await store.get(proofOf(6))).json().digest.key).toBe(keyOf(5));

    const never = await sealedStore();
    sealInterval(never.vault, interval(0), { except: [objectOf(never, 6)] });
    for (let n = 1; n < 200; n++) sealInterval(never.vault, interval(n));
    never.time.now = interval(200).from;
    const reads: string[] = [];
    never.watch(({ key }) => reads.push(key));
    expect((await never.get(proofOf(6))).json()).toMatchObject({ status: 'late' });
    expect(reads.length).toBeLessThan(70);
  });

  it.each([
    ['leaves', (leaves: Uint8Array) => leaves.fill(0, 0, 1)],
    ['leaves', (leaves: Uint8Array) => leaves.fill(0, 191)],
    ['leaves', (leaves: Uint8Array) => leaves.subarray(0, 160)],
    ['leaves', (leaves: Uint8Array) => Buffer.concat([leaves, Buffer.alloc(1)])],
    ['json', () => Buffer.from('{')],
    [
      'json',
      (text: Uint8Array) =>
        Buffer.from(
          Buffer.from(text)
            .toString()
            .replace('"vault","key":"digests/', '"vault","key":"elsewhere/'),
        ),
    ],
    [
      'json',
      (text: Uint8Array) =>
        Buffer.from(
          Buffer.from(text)
            .toString()
            .replace(/"root":"./, '"root":"x'),
        ),
    ],
  ])('never proves by a damaged chain: .%s (%#)', async (ending, damage) => {
    const store = await sealedStore();
    sealInterval(store.vault, interval(0));
    const part = store.vault.versions.find(({ key }) => key.endsWith(`Z.${ending}`));
    if (part) store.vault.overwrite(part, damage(Buffer.from(part.body)));
    for (let n = 1; n <= 6; n++) expect((await store.get(proofOf(n))).status).toBe(409);
  });

  it('never proves by a digest that is not signed, or by another', async () => {
    const store = await sealedStore();
    sealInterval(store.vault, interval(0));
    const key = digestKey(new Date(interval(0).from).toISOString(), 'signature');
    const signature = store.vault.versions.find((version) => version.key === key);
    if (!signature) throw new Error('no signature');
    const other = Buffer.from(signature.body).fill('A', 20, 24);
    store.vault.overwrite(signature, other);
    expect((await store.get(proofOf(1))).status).toBe(409);
    store.vault.remove(signature);
    expect((await store.get(proofOf(1))).json()).toMatchObject({ status: 'pending' });
  });

  it('does not mind what somebody puts among the digests', async () => {
    const store = await sealedStore();
    const late = objectOf(store, 6);
    sealInterval(store.vault, interval(0), { except: [late] });
    sealInterval(store.vault, interval(2), { late: [late] });
    store.time.now = interval(3).from;
    const folder = keyOf(0).slice(0, keyOf(0).lastIndexOf('/') + 1);
    const between = digestKey(new Date(interval(0).from + 1_000).toISOString());
    for (const key of [`${folder}a.json`, between, keyOf(1)]) {
      store.vault.addVersion(key, Buffer.from('{}'));
    }
    for (const n of [1, 6]) expect((await store.get(proofOf(n))).status).toBe(200);
  });

  it('never proves another line than the one that was filed', async () => {
    const store = await sealedStore();
    sealInterval(store.vault, interval(0));
    const [row, entry] = [...store.index.deliveryRows][0] ?? [];
    if (row && entry) {
      const location = { ...entry.location, line: entry.location.line + 1 };
      store.index.deliveryRows.set(row, { ...entry, location });
    }
    expect((await store.get(proofOf(1))).status).toBe(409);
  });

  it('is by the first version of a digest, whatever was put over it', async () => {
    const store = await sealedStore();
    sealInterval(store.vault, interval(0));
    const digest = store.vault.versions.find(({ key }) => key === keyOf(0));
    // S3 lists the newest version of a key first
    if (digest)
      store.vault.versions.unshift({ ...digest, versionId: 'forged', body: Buffer.from('{}') });
    expect((await store.get(proofOf(1))).json()).toMatchObject({
      digest: { versionId: digest?.versionId },
    });
  });

  it('is refused with a reason where there can be none', async () => {
    const store = await sealedStore();
    await store.archive(consumed(7, 'no json', { receiptId: receipt(7) }));
    sealInterval(store.vault, interval(0));
    const detailOf = async (path: string) => {
      const { status, json } = await store.get(path);
      return [status, json().detail];
    };
    expect(await detailOf(`events/${receipt(1)}0/proof`)).toEqual([
      404,
      expect.stringMatching(/never issued/),
    ]);
    expect(await detailOf(proofOf(7))).toEqual([404, expect.stringMatching(/quarantine/)]);
    const object = store.vault.versions.find(({ key }) => key.startsWith('lineage/'));
    if (object) store.vault.remove(object);
    expect(await detailOf(proofOf(1))).toEqual([404, expect.stringMatching(/not there any more/)]);
    expect((await store.get(proofOf(9))).json()).toMatchObject({ status: 'pending' });
  });

  it('of an export asks for the trace, and takes it', async () => {
    const store = await sealedStore();
    sealInterval(store.vault, interval(0));
    const [, entry] = [...store.index.deliveryRows][0] ?? [];
    const traces = ['a'.repeat(32), 'b'.repeat(32)];
    for (const traceId of entry ? traces : []) {
      await store.index.putDelivery({
        ...entry,
        receiptId: receipt(20),
        kind: 'trace',
        traceId,
      } as never);
    }
    const path = proofOf(20);
    const many = await store.get(path);
    expect([many.status, many.json().detail]).toEqual([
      409,
      expect.stringContaining(traces.join(', ')),
    ]);
    const asked = (traceId: string) => store.get(path, { queryStringParameters: { traceId } });
    expect((await asked(traces[1]?.toUpperCase() ?? '')).json()).toMatchObject({
      traceId: traces[1],
    });
    expect((await asked('c'.repeat(32))).status).toBe(404);
    expect((await asked('canary')).status).toBe(400);
    expect((await asked('canary')).text).not.toContain('canary');
  });

  it('of spans in staging is refused', async () => {
    const store = await sealedStore();
    for (const [row, entry] of store.index.deliveryRows) {
      store.index.deliveryRows.set(row, { ...entry, governed: false });
    }
    const { status, json } = await store.get(proofOf(1));
    expect([status, json().detail]).toEqual([404, expect.stringMatching(/staging/)]);
  });
});

describe('integrity of a run', () => {
  const integrityOf = async (store: ReturnType<typeof queriedStore>) =>
    (await store.get(`runs/${RUN_ID}`)).json().integrity;
  const qualified = async (store: ReturnType<typeof queriedStore>) =>
    (await store.get(`runs/${RUN_ID}`))
      .json()
      .qualifications.some(({ code }: { code: string }) => code === 'not_sealed');

  it('is sealed when every event of it is in its digest', async () => {
    const store = await sealedStore();
    expect(await integrityOf(store)).toMatchObject({ status: 'pending', digestKey: null });
    expect(await qualified(store)).toBe(true);
    sealInterval(store.vault, interval(0));
    expect(await integrityOf(store)).toEqual({
      ...{ status: 'sealed', digestKey: keyOf(0), from: 'digest' },
    });
    expect(await qualified(store)).toBe(false);
  });

  it('is pending while any event of it landed after the last digest', async () => {
    const store = await sealedStore();
    sealInterval(store.vault, interval(0));
    store.time.now = interval(1).from;
    await store.archive(record(9));
    expect(await integrityOf(store)).toMatchObject({ status: 'pending', digestKey: null });
    sealInterval(store.vault, interval(1));
    expect(await integrityOf(store)).toMatchObject({ status: 'sealed', digestKey: keyOf(1) });
  });

  it('is late when a digest came and has not all of it', async () => {
    const store = await sealedStore();
    sealInterval(store.vault, interval(0), {
      except: [store.vault.versions.find(({ key }) => key.startsWith('lineage/'))?.key as string],
    });
    expect(await integrityOf(store)).toMatchObject({ status: 'late', digestKey: null });
    expect(await qualified(store)).toBe(true);
  });

  it('is not sealed by a digest that cannot be read', async () => {
    const store = await sealedStore();
    sealInterval(store.vault, interval(0));
    const digest = store.vault.versions.find(({ key }) => key === keyOf(0));
    if (digest) store.vault.overwrite(digest, Buffer.from('{}'));
    expect(await integrityOf(store)).toMatchObject({ status: 'pending' });
  });

  it('is not sealed while a version is gone', async () => {
    const store = await sealedStore();
    sealInterval(store.vault, interval(0));
    const object = store.vault.versions.find(({ key }) => key.startsWith('lineage/'));
    if (object) store.vault.remove(object);
    expect(await integrityOf(store)).toMatchObject({ status: 'pending' });
  });

  it('of many intervals is judged by their listing, and says so', async () => {
    const store = await sealedStore();
    for (let n = 1; n <= 5; n++) {
      store.time.now = interval(n).from + 1_000;
      await store.archive(record(10 + n));
    }
    for (let n = 0; n <= 5; n++) sealInterval(store.vault, interval(n));
    // The last digest may have ended before the last event landed: only the next one tells.
    expect(await integrityOf(store)).toMatchObject({ status: 'pending', from: 'listing' });
    sealInterval(store.vault, interval(6));
    const reads: string[] = [];
    store.watch(({ key }) => reads.push(key));
    expect(await integrityOf(store)).toEqual({
      ...{ status: 'sealed', digestKey: keyOf(5), from: 'listing' },
    });
    expect(reads).toEqual([]);
  });

  it('of more versions than are asked for is that of the last', async () => {
    const store = await sealedStore();
    for (let n = 10; n < 40; n++) await store.archive(record(n));
    sealInterval(store.vault, interval(0));
    expect(await integrityOf(store)).toEqual({
      ...{ status: 'sealed', digestKey: keyOf(0), from: 'listing' },
    });
  });
});
