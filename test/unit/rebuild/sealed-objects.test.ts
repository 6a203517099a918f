import { describe, expect, it } from 'vitest';
import { versionName } from '../../../lambdas/domain/evidence/version-name.ts';
import {
  type Digest,
  digestKey,
  isSealed,
  UNANCHORED,
} from '../../../lambdas/domain/integrity/digest.ts';
import { listSealedDays, type RebuiltInterval } from '../../../lambdas/domain/rebuild/partition.ts';
import {
  plannedPartitions,
  planRebuild,
  rebuildAnswer,
  rebuildPlanned,
  reportRebuild,
} from '../../../lambdas/domain/rebuild/rebuild-index.ts';
import { compareSealed } from '../../../lambdas/domain/rebuild/sealed-objects.ts';
import { InMemoryRunIndex } from '../../support/fakes/run-index.ts';
import { newSigner, putSigned } from '../../support/signed-digest.ts';
import { ACCEPTED_AT, RUN, recordOf } from '../traces/exports.ts';
import { storeToRebuild } from './store.ts';

const LOCK = {
  mode: 'GOVERNANCE',
  retainUntil: '2099-01-01T00:00:00.000Z',
  clamped: false,
} as const;
const DAY = { kind: 'digests', prefix: 'digests/dt=2026-11-29/' } as const;

type Store = ReturnType<typeof storeToRebuild>;

async function fill({ archive }: Store, events: number) {
  const schemaURL = 'https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent';
  for (let n = 1; n <= events; n++) {
    const eventTime = new Date(Date.parse(ACCEPTED_AT) + n).toISOString();
    const event = { eventType: 'RUNNING', eventTime, producer: 'https://example.com', schemaURL };
    const about = { run: { runId: RUN }, job: { namespace: 'mcp', name: 'execute_sql' } };
    await archive('lineage', [recordOf(JSON.stringify({ ...event, ...about }), n)]);
  }
}

/** A digest as the sealer writes it, over what lies in the vault. */
async function seal({ vault }: Store, from: string, objects = vault.versions): Promise<void> {
  const key = digestKey(from);
  const digest: Digest = {
    ...{ digest: 1, location: { bucket: 'vault', key }, number: 0, previous: null },
    ...{ from, to: new Date(Date.parse(from) + 900_000).toISOString(), sealedAt: from },
    signer: { algorithm: 'ECDSA_SHA_256', fingerprint: '0'.repeat(64) },
    ...{ anchor: UNANCHORED, records: 0, root: '0'.repeat(64), leaves: null, recounts: [] },
    objects: objects
      .filter(({ key }) => isSealed(key))
      .map(({ bucket, key, versionId, lastModified, lock }) => ({
        ...{ bucket, key, versionId, lastModified, bytes: 1, sha256: '0'.repeat(64), records: 0 },
        ...(lock && { retainUntil: lock.retainUntil }),
      }))
      .sort((a, b) => (a.key < b.key ? -1 : 1)),
  };
  await putSigned(vault, digest);
}

async function rebuild(store: Store, interval: RebuiltInterval = {}) {
  const dependencies = store.rebuilding(new InMemoryRunIndex());
  const plan = await planRebuild('plan', interval, dependencies);
  for (const partition of plannedPartitions(plan)) await rebuildPlanned(partition, dependencies);
  const { report, location } = await reportRebuild(plan, dependencies);
  return { report, answer: rebuildAnswer({ report, location }) };
}

const evidenceOf = ({ vault }: Store) =>
  vault.versions.filter(({ key }) => key.startsWith('lineage/'));

describe('what the digests list and a rebuild cannot find', () => {
  it('makes it incomplete and is named, in the report and in the answer', async () => {
    const store = storeToRebuild();
    await fill(store, 3);
    await seal(store, '2026-11-29T12:00:00.000Z');
    const [, gone] = evidenceOf(store);
    store.vault.remove(gone as NonNullable<typeof gone>);
    const { report, answer } = await rebuild(store);
    const named = [versionName(gone as NonNullable<typeof gone>)];
    expect(report).toMatchObject({
      status: 'incomplete',
      rebuilt: { partitions: 1, objects: 2 },
      sealed: { objects: 3, missing: 1, missingNamed: named, expired: 0 },
    });
    expect(answer).toMatchObject({ status: 'incomplete', missing: 1, missingNamed: named });
  });

  it('is nothing where all of it is there, and what nothing sealed is not asked for', async () => {
    const store = storeToRebuild();
    await fill(store, 2);
    await seal(store, '2026-11-29T12:00:00.000Z');
    await fill(store, 3);
    const [last] = evidenceOf(store).slice(-1);
    store.vault.remove(last as NonNullable<typeof last>);
    expect((await rebuild(store)).report).toMatchObject({
      status: 'complete',
      sealed: { objects: 2, missing: 0, missingNamed: [] },
    });
  });

  it('finds a missing version although another stands under its key', async () => {
    const store = storeToRebuild();
    await fill(store, 1);
    await seal(store, '2026-11-29T12:00:00.000Z');
    const [gone] = evidenceOf(store) as [Store['vault']['versions'][number]];
    store.vault.remove(gone);
    store.vault.versions.push({ ...gone, versionId: 'another' });
    expect((await rebuild(store)).report.sealed.missingNamed).toEqual([versionName(gone)]);
  });

  it('is lawful when its lock is over', async () => {
    const store = storeToRebuild();
    await fill(store, 1);
    const [gone] = evidenceOf(store) as [Store['vault']['versions'][number]];
    await seal(store, '2026-11-29T12:00:00.000Z');
    store.vault.remove(gone);
    store.time.now = Date.parse(gone.lock?.retainUntil ?? '') + 1;
    expect((await rebuild(store)).report).toMatchObject({
      status: 'complete',
      sealed: { missing: 0, expired: 1 },
    });
  });

  it('is a register, too, and no report', async () => {
    const store = storeToRebuild();
    const places = ['producers/a/00000001.json', 'holds/h/00000001-set.json', 'keys/hmac/epoch-0'];
    for (const key of [...places, 'reports/rebuild/dt=2026-11-29/x.json']) {
      await store.vault.putDocument(key, {}, LOCK);
    }
    await seal(store, '2026-11-29T12:00:00.000Z');
    const isGone = ({ key }: { key: string }) => isSealed(key) && !key.startsWith('public-keys/');
    for (const version of store.vault.versions.filter(isGone)) {
      store.vault.remove(version);
    }
    const { missingNamed } = (await rebuild(store)).report.sealed;
    expect(missingNamed.map((name) => name.split(/[/@]/)[1]).sort()).toEqual([
      ...['holds', 'keys', 'producers'],
    ]);
  });

  it.each([
    [{ fromMillis: Date.parse('2026-11-29T12:00:00Z') }, 1],
    [{ fromMillis: Date.parse('2026-11-29T14:00:00Z') }, 0],
    [{ toMillis: Date.parse('2026-11-29T12:00:00Z') }, 0],
  ])('is of the interval %j alone, whenever it was sealed', async (interval, missing) => {
    const store = storeToRebuild();
    await fill(store, 1);
    const [gone] = evidenceOf(store) as [Store['vault']['versions'][number]];
    await seal(store, '2026-12-20T03:00:00.000Z');
    store.vault.remove(gone);
    expect((await rebuild(store, interval)).report.sealed).toMatchObject({ missing });
  });

  it('names a digest that is none', async () => {
    const store = storeToRebuild();
    const key = digestKey('2026-11-29T12:00:00.000Z');
    const { versionId } = await store.vault.putDocument(key, { digest: 1 }, LOCK);
    expect((await rebuild(store)).report).toMatchObject({
      status: 'incomplete',
      unreadable: { objects: 1, named: [`vault/${key}@${versionId}`] },
    });
  });

  it.each<[string, unknown[] | 'again', boolean]>([
    ['says that its lock is over', 'again', false],
    ['says so under a key of its own', 'again', true],
    ['lists nothing that is one', [null, 1, {}, { key: 5 }], false],
    ['does so under a key of its own', [null, 1, {}, { key: 5 }], true],
  ])('believes no document beside a digest that %s', async (_, planted, isSigned) => {
    const store = storeToRebuild();
    await fill(store, 1);
    const [gone] = evidenceOf(store) as [Store['vault']['versions'][number]];
    const from = '2026-11-29T12:00:00.000Z';
    await seal(store, from);
    store.vault.remove(gone);
    store.time.now += 60_000;
    const { bucket, key, versionId, lastModified } = gone;
    const over = { bucket, key, versionId, lastModified, bytes: 1, sha256: '', records: 0 };
    const place = digestKey(from, 'document', 1);
    const document = {
      ...{ digest: 1 as const, number: 0, from, to: '2026-11-29T12:15:00.000Z' },
      ...{ location: { bucket: 'vault', key: place }, signer: { fingerprint: 'f' } },
      objects: planted === 'again' ? [{ ...over, retainUntil: '2020-01-01T00:00:00Z' }] : planted,
    } as unknown as Digest;
    if (isSigned) await putSigned(store.vault, document, newSigner());
    else store.vault.addVersion(place, Buffer.from(JSON.stringify(document)));
    const { report } = await rebuild(store);
    expect(report).toMatchObject({
      sealed: { objects: 1, missing: 1, expired: 0 },
      unreadable: { objects: 1 },
    });
    expect(report.unreadable.named[0]).toContain(place);
  });

  it('keeps the later lock of what was sealed twice', async () => {
    const store = storeToRebuild();
    await fill(store, 1);
    const [gone] = evidenceOf(store) as [Store['vault']['versions'][number]];
    await seal(store, '2026-11-29T12:00:00.000Z');
    const lock = { ...LOCK, retainUntil: '2020-01-01T00:00:00.000Z' };
    await seal(store, '2026-11-29T12:15:00.000Z', [{ ...gone, lock }]);
    store.vault.remove(gone);
    expect((await rebuild(store)).report.sealed).toMatchObject({ objects: 1, missing: 1 });
  });

  it('lists each folder once for all digests of a day', async () => {
    const listsFor = async (digests: number) => {
      const store = storeToRebuild();
      await fill(store, digests);
      const objects = evidenceOf(store);
      for (let n = 0; n < digests; n++) {
        const from = new Date(Date.parse('2026-11-29T12:00:00Z') + n * 900_000).toISOString();
        await seal(store, from, objects.slice(n, n + 1));
      }
      const dependencies = store.rebuilding(new InMemoryRunIndex());
      let calls = 0;
      const list = (bucket: string, prefix: string) => {
        calls++;
        return dependencies.inspector.list(bucket, prefix);
      };
      const done = await compareSealed(DAY, { ...dependencies, inspector: { list } });
      expect(done).toMatchObject({ sealed: digests, missing: 0 });
      return calls;
    };
    expect([await listsFor(2), await listsFor(20)]).toEqual([3, 3]);
  });
});

it('goes on with the digest after the one where it stopped', async () => {
  const store = storeToRebuild();
  await fill(store, 3);
  const objects = evidenceOf(store);
  for (const [n, object] of objects.entries()) {
    await seal(store, `2026-11-29T12:${15 * n || '00'}:00.000Z`, [object]);
  }
  const dependencies = store.rebuilding(new InMemoryRunIndex());
  const listed = [];
  for await (const version of dependencies.inspector.list('vault', DAY.prefix))
    listed.push(version);
  expect(await compareSealed(DAY, dependencies, listed[0])).toMatchObject({ sealed: 2 });
});

describe('days of digests', () => {
  it('reach back over a midnight by the lead of a clock, and on over backlogs', async () => {
    const store = storeToRebuild();
    const days = ['2026-11-28', '2026-11-29', '2026-11-30', '2027-01-08', '2027-01-10'];
    for (const day of days) await seal(store, `${day}T00:00:00.000Z`, []);
    const { inspector, vaultBucket } = store.rebuilding(new InMemoryRunIndex());
    const listed = await listSealedDays(
      {
        fromMillis: Date.parse('2026-11-29T00:00:00Z'),
        toMillis: Date.parse('2026-11-30T00:00:00Z'),
      },
      { inspector, vaultBucket },
    );
    expect(listed.map(({ prefix }) => prefix)).toEqual(
      days.slice(0, 4).map((day) => `digests/dt=${day}/`),
    );
  });
});
