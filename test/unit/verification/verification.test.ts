import { describe, expect, it } from 'vitest';
import {
  AccessDeniedError,
  UnavailableError,
  UnreadableRecordError,
} from '../../../lambdas/domain/errors.ts';
import {
  besideDigest,
  type Digest,
  digestBytes,
  digestKey,
  publicKeyKey,
  type Recount,
  SIGNATURE_METADATA,
} from '../../../lambdas/domain/integrity/digest.ts';
import type { DigestSigner } from '../../../lambdas/domain/integrity/ports.ts';
import { sealedStoreOver } from '../../support/fakes/readers.ts';
import { guardsSeen } from '../../support/guards.ts';
import { InMemorySigningKeys } from '../../support/signing-keys.ts';
import { envelopeOf } from '../integrity/envelopes.ts';
import { broken, DAY, HOUR, START, verifying } from './verifying.ts';

type Store = Awaited<ReturnType<typeof verifying>>;

const inOrder = (store: Store) => store.digests().sort((a, b) => (a.key < b.key ? -1 : 1));

/** Takes a digest away with everything beside it. */
function removeWhole({ vault }: Store, { key }: { readonly key: string }): void {
  const parts = vault.versions.filter((part) => part.key.startsWith(key.slice(0, -5)));
  for (const part of parts) vault.remove(part);
}

/** Signs a digest anew with a key that nobody announced, as whoever can write the vault could. */
async function forge({ vault }: Store, digest: ReturnType<Store['digests']>[number]) {
  const foreign = new InMemorySigningKeys().generations[0] as DigestSigner;
  vault.addVersion(publicKeyKey(foreign.fingerprint), Buffer.from(foreign.publicKey));
  const content = JSON.parse(Buffer.from(digest.body).toString()) as Digest;
  const signer = { ...content.signer, fingerprint: foreign.fingerprint };
  const bytes = digestBytes({ ...content, signer });
  const signature = Buffer.from(await foreign.sign(bytes)).toString('base64');
  const beside = vault.versions.find(({ key }) => key === besideDigest(digest.key, 'signature'));
  if (beside) vault.overwrite(beside, Buffer.from(signature));
  Object.assign(digest, { metadata: { [SIGNATURE_METADATA]: signature } });
  vault.overwrite(digest, bytes);
  return content;
}

describe('a vault that is whole', () => {
  it('is verified to the head of its chain, and everything in it is read', async () => {
    const store = await verifying();
    const report = await store.verify();
    const digests = store.digests().length;
    expect(report).toMatchObject({
      ...{ kind: 'verify', status: 'complete', anchor: 'unanchored', findings: [], damages: {} },
      chain: { listed: digests, walked: digests, isAtEnd: true },
      checked: { digests, records: 6, objectsNotProven: 0 },
      slices: { isFinished: true, behindDays: 0 },
      resume: { chain: { head: { number: digests - 1 } } },
    });
    expect(report.checked.objects).toBe(store.sealed.chain().flatMap((d) => d.objects).length);
  });

  it('is walked on from the head that the last report names', async () => {
    const store = await verifying();
    const first = await store.verify();
    await store.live(2);
    const second = await store.verify({ periodDays: 1_000 });
    expect(second.chain.walked).toBe(store.digests().length - first.chain.listed);
    expect(broken(second)).toEqual([]);
    // the head, what came after it, and the first digest to learn their distance
    const read = new Set(store.opened.filter((key) => /digests.*json/.test(key)));
    expect(read.size).toBeLessThanOrEqual(second.chain.walked + 3);
  });

  it('is walked in steps when there is little time, and says so', async () => {
    const store = await verifying();
    let asked = 0;
    const little = { remaining: () => (++asked > 4 ? 0 : 1) };
    const first = await store.verify({}, little);
    expect(first).toMatchObject({ status: 'incomplete', chain: { isAtEnd: false } });
    expect(first.findings.map(({ kind }) => kind)).toEqual(['audit_incomplete']);
    expect(first.chain.walked).toBeGreaterThan(0);
    expect(first.slices.isFinished).toBe(false);
    const second = await store.verify({}, { asOf: store.now + 60_000 });
    expect(second.chain).toMatchObject({ isAtEnd: true });
    expect(second.chain.walked + first.chain.walked).toBe(store.digests().length);
    expect(second.findings).toMatchObject([{ kind: 'audit_incomplete', status: 'resolved' }]);
  });

  it('is read as a whole within the period, a part of it each day', async () => {
    const store = await verifying();
    const periodDays = 7;
    const objects = new Set<string>();
    for (let day = 0; day < periodDays; day++) {
      const { checked } = await store.verify(
        { periodDays },
        { asOf: START + 4 * HOUR + day * DAY },
      );
      expect(checked.digests).toBeLessThan(store.digests().length);
      for (const key of store.opened) objects.add(key);
    }
    for (const { key } of store.evidence()) expect(objects).toContain(key);
  });

  it('holds what came late, which the sweep of the next day seals', async () => {
    const store = await verifying(12);
    const late = store.sealed.archive([envelopeOf(1_000, START)]);
    await store.live(72);
    expect(
      store.sealed.sealing(late.key)[0]?.objects.find(({ key }) => key === late.key)?.late,
    ).toBe(true);
    const report = await store.verify();
    expect(report).toMatchObject({ status: 'complete', findings: [] });
  });

  it('is looked at behind the folder that a run without time finished last', async () => {
    const store = await verifying(30);
    await store.verify();
    let asked = 0;
    // time for the head, which is all there is to walk, and for the folders of the first day
    const first = await store.verify(
      {},
      { remaining: () => (++asked > 1 ? 0 : 1), asOf: store.now + DAY },
    );
    const second = await store.verify({}, { asOf: store.now + 60_000 });
    expect(first.slices.isFinished).toBe(false);
    expect(second.slices).toMatchObject({ isFinished: true, behindDays: 0 });
    expect(first.checked.digests).toBeGreaterThan(0);
    expect(second.checked.digests).toBeGreaterThan(0);
    expect(first.checked.digests + second.checked.digests).toBe(store.digests().length);
  });

  it('is followed through a new signing key, also when the verifier stops between announcement and use', async () => {
    const store = await verifying(1);
    await store.verify();
    store.sealed.keys.rotate();
    for (let step = 0; step < 4; step++) {
      await store.sealed.sealTo(store.now + 15 * 60_000);
      const report = await store.verify({}, { asOf: store.now + 15 * 60_000 });
      expect(broken(report)).toEqual([]);
    }
    const { resume } = await store.verify();
    expect(resume.chain?.signers).toHaveLength(2);
  });
});

describe('what does not hold any more', () => {
  it('is named: an object that is gone, changed, or shorter locked', async () => {
    const store = await verifying();
    await store.verify();
    const [gone, changed, unlocked] = store.evidence();
    if (!gone || !changed || !unlocked) throw new Error('three objects');
    store.vault.remove(gone);
    store.vault.overwrite(changed, Buffer.from('other'));
    const lock = { ...unlocked.lock, retainUntil: '2026-03-05T00:00:00.000Z' };
    Object.assign(unlocked, { lock });
    const report = await store.verify();
    expect(broken(report)).toEqual(
      [
        `missing_object ${gone.key}`,
        `modified_object ${changed.key}`,
        `retention_short ${unlocked.key}`,
      ].sort(),
    );
    expect(report.damages).toEqual({ missing_object: 1, modified_object: 1, retention_short: 1 });
  });

  it.each([
    ['in the middle', 3],
    ['at the begin', 0],
    ['at the head', -1],
  ])('is named: a digest %s that was there', async (_, at) => {
    const store = await verifying();
    await store.verify();
    const digest = inOrder(store).at(at);
    if (!digest) throw new Error('no digest');
    store.vault.remove(digest);
    const report = await store.verify({ periodDays: 1_000 });
    expect(broken(report)).toContain(`missing_digest ${digest.key}`);
    expect(new Set(broken(report)).size).toBe(1);
  });

  it('is named: an object that the sealer could not read, and that is gone', async () => {
    const store = await verifying(1);
    const closed = store.sealed.archive([envelopeOf(77, store.now)]);
    store.sealed.unreadable(closed.key, new UnreadableRecordError('object_unreadable'));
    await store.live(3);
    expect(broken(await store.verify())).toEqual([]);
    store.vault.remove(closed);
    const report = await store.verify({}, { asOf: store.now + DAY });
    expect(broken(report)).toContain(`missing_object ${closed.key}`);
  });

  it('is named: the end of the chain, cut off with all its parts', async () => {
    const store = await verifying();
    await store.verify();
    const [head, before] = inOrder(store).reverse();
    for (const digest of [head, before]) if (digest) removeWhole(store, digest);
    expect(broken(await store.verify({ periodDays: 1_000 }))).toEqual([
      `missing_digest ${head?.key}`,
    ]);
  });

  it('is named: a digest that is gone with all its parts, and not what it sealed as extra', async () => {
    const store = await verifying();
    await store.live(60);
    await store.verify();
    const digest = inOrder(store)[4];
    if (!digest) throw new Error('no digest');
    expect(JSON.parse(Buffer.from(digest.body).toString()).records).toBeGreaterThan(0);
    removeWhole(store, digest);
    expect(broken(await store.verify())).toEqual([`missing_digest ${digest.key}`]);
  });

  it('is named: a head that was signed anew with a foreign key', async () => {
    const store = await verifying();
    await store.verify();
    const head = inOrder(store).at(-1);
    if (!head) throw new Error('no head');
    await forge(store, head);
    expect(broken(await store.verify({ periodDays: 1_000 }))).toEqual([
      `modified_object ${head.key}`,
      `wrong_key ${head.key}`,
    ]);
  });

  it('is named: every other digest, which leaves even distances', async () => {
    const store = await verifying();
    await store.verify();
    const digests = inOrder(store);
    const gone = digests.filter((_, n) => n % 2 === 1 && n < digests.length - 1);
    for (const digest of gone) store.vault.remove(digest);
    expect(broken(await store.verify({ periodDays: 1_000 }))).toEqual(
      gone.map(({ key }) => `missing_digest ${key}`),
    );
  });

  it('is named: a head that is another one than it was', async () => {
    const store = await verifying();
    await store.verify();
    const head = inOrder(store).at(-1);
    if (!head) throw new Error('no head');
    const text = Buffer.from(head.body)
      .toString()
      .replace(/"sealedAt":"[^"]+"/, '"sealedAt":"2026-03-04T09:09:09.000Z"');
    store.vault.overwrite(head, Buffer.from(text));
    expect(broken(await store.verify({ periodDays: 1_000 }))).toEqual([
      `bad_signature ${head.key}`,
      `modified_object ${head.key}`,
    ]);
  });

  it('is named: a digest under a key that nothing announced, read again in its turn', async () => {
    const store = await verifying();
    await store.verify();
    const [digest] = store.digests();
    if (!digest) throw new Error('no digest');
    const content = await forge(store, digest);
    const report = await store.verify();
    expect(broken(report)).toEqual([`wrong_key ${digest.key}`]);
    expect(report.checked.objectsNotProven).toBe(content.objects.length);
  });

  it('is named: a signature beside a digest that is gone', async () => {
    const store = await verifying();
    await store.verify();
    const [digest] = store.digests();
    if (!digest) throw new Error('no digest');
    const beside = store.vault.versions.find(
      ({ key }) => key === besideDigest(digest.key, 'signature'),
    );
    if (beside) store.vault.remove(beside);
    expect(broken(await store.verify())).toEqual([
      `missing_object ${besideDigest(digest.key, 'signature')}`,
    ]);
  });

  it('is named: an object in no digest, once the sweep after it is over, wherever it stands', async () => {
    const store = await verifying();
    const key = 'lineage/class=lineage/dt=2020-01-01/hour=00/x.ndjson.gz';
    const unknown = 'elsewhere/y.json';
    store.vault.addVersion(key, Buffer.from('x'));
    store.vault.addVersion(unknown, Buffer.from('y'));
    await store.live(12);
    expect(broken(await store.verify())).toEqual([]);
    await store.live(48);
    expect(broken(await store.verify())).toEqual(
      [`extra_object ${unknown}`, `extra_object ${key}`].sort(),
    );
  });

  it('is named: a second version and a delete marker, of evidence and of a digest', async () => {
    const store = await verifying();
    await store.verify();
    const [object] = store.evidence();
    const [digest] = store.digests();
    if (!object || !digest) throw new Error('not sealed');
    store.vault.addVersion(object.key, object.body);
    store.vault.addVersion(digest.key, Buffer.alloc(0), { deleteMarker: true });
    const report = await store.verify();
    expect(broken(report)).toEqual(
      [`second_version ${object.key}`, `second_version ${digest.key}`].sort(),
    );
    expect(report.damages).toEqual({ second_version: 2 });
    const version = (key: string) => store.vault.versions.findLast((held) => held.key === key);
    for (const { key } of [object, digest]) {
      const finding = report.findings.find(({ detail }) => detail.key === key);
      expect(finding?.detail.versionId).toBe(version(key)?.versionId);
    }
  });

  it('is named: what landed and is not sealed two intervals later, and not before', async () => {
    const store = await verifying();
    const { to } = store.sealed.chain().at(-1) ?? { to: '' };
    const landed = Date.parse(to) + 60_000;
    store.sealed.at(landed);
    store.sealed.document('policies/late.json', { policy: 2 });
    expect(broken(await store.verify({}, { asOf: Date.parse(to) + 39 * 60_000 }))).toEqual([]);
    expect(broken(await store.verify({}, { asOf: Date.parse(to) + 45 * 60_000 }))).toEqual([
      'unsealed_tail policies/late.json',
    ]);
  });

  it('is never taken back, not even when it is not found again', async () => {
    const store = await verifying();
    await store.verify();
    const [changed] = store.evidence();
    if (!changed) throw new Error('no object');
    store.vault.overwrite(changed, Buffer.from('other'));
    await store.verify();
    store.vault.overwrite(changed, changed.body);
    expect((await store.verify({}, { asOf: store.now + 60_000 })).findings).toEqual([]);
  });

  it('stays the one step of a finding, however often it is seen', async () => {
    const store = await verifying();
    await store.verify();
    const [gone] = store.evidence();
    if (gone) store.vault.remove(gone);
    const { findings } = await store.verify({}, { asOf: store.now + 60_000 });
    expect(findings).toHaveLength(1);
    expect((await store.verify({}, { asOf: store.now + 60_000 })).findings).toEqual(findings);
  });
});

describe('the records that were accepted', () => {
  const lost = (to: number, status: Recount['status']): Recount => ({
    ...{ plane: 'lineage', shardId: 's', from: new Date(to - HOUR).toISOString() },
    ...{ to: new Date(to).toISOString(), countedAt: new Date(to + HOUR).toISOString() },
    ...{ status, accepted: 3, stored: status === 'missing' ? 2 : 3 },
    ...(status === 'missing' && { missing: ['7'] }),
  });
  /** What the digests of the next hour say. */
  const live = async (store: Store, ...recounts: Recount[]) => {
    store.sealed.recountedBy(async () => ({ recounts, findings: [] }));
    await store.live(1);
  };

  it('and are not stored are a finding, until a digest says that they were found', async () => {
    const store = await verifying(1);
    await live(store, lost(START, 'missing'));
    const report = await store.verify();
    expect(report).toMatchObject({
      ...{ status: 'complete', damages: { accepted_not_stored: 1 } },
      recounts: { behind: 0, notRecounted: 0, notStored: 1 },
      findings: [{ kind: 'accepted_not_stored', severity: 'critical', plane: 'lineage' }],
    });
    const head = store.sealed.chain().at(-1);
    expect(report.findings[0]?.detail).toMatchObject({
      ...{ records: 1, accepted: 3, digest: head?.location.key },
    });
    // nothing new says so: it stands, under the same id
    await live(store);
    const again = await store.verify();
    expect(again.findings).toMatchObject([{ id: report.findings[0]?.id, status: 'confirmed' }]);
    await live(store, lost(START, 'equal'));
    const found = await store.verify();
    expect(found).toMatchObject({ damages: {}, recounts: { notStored: 0 } });
    expect(found.findings).toMatchObject([{ kind: 'accepted_not_stored', status: 'resolved' }]);
    expect((await store.verify({}, { asOf: store.now + 60_000 })).findings).toEqual([]);
  });

  it('and were not counted are said, and counted once however often the head is read', async () => {
    const store = await verifying(1);
    await live(store, lost(START, 'not_recounted'), lost(START + HOUR, 'behind'));
    const tally = { equal: 0, behind: 1, notRecounted: 4, notStored: 0 };
    expect(await store.verify()).toMatchObject({ findings: [], recounts: tally });
    const again = await store.verify({}, { asOf: store.now + 60_000 });
    expect(again).toMatchObject({ findings: [], recounts: tally });
  });
});

describe('a chain whose first digests expired', () => {
  const year = 365 * DAY;
  const expire = (store: Store, count: number) => {
    for (const digest of inOrder(store).slice(0, count)) removeWhole(store, digest);
  };

  it('begins later, for a verification that saw them and for one that did not', async () => {
    const store = await verifying(60);
    await store.verify();
    const [, , third] = store.sealed.chain();
    expire(store, 2);
    const asOf = START + 40 * year;
    const report = await store.verify({ periodDays: 1_000 }, { asOf });
    expect(broken(report).filter((line) => !line.startsWith('unsealed_tail'))).toEqual([]);
    const begin = { number: 2, from: third?.from };
    expect(report.resume.chain).toMatchObject({ first: third?.location.key, begin });
    // no report is left that saw them
    for (const old of store.vault.versions.filter(({ key }) => key.startsWith('reports/verify/'))) {
      store.vault.remove(old);
    }
    const fresh = await store.verify({}, { asOf: asOf + DAY });
    expect(broken(fresh).filter((line) => /missing_digest|extra_object/.test(line))).toEqual([]);
    expect(fresh.resume.chain).toMatchObject({ begin });
  });

  it('is damaged, whatever a document that nobody signed says of its begin', async () => {
    const store = await verifying(8);
    await store.verify();
    const chain = store.sealed.chain();
    expire(store, 4);
    const [first, fifth] = [chain[0] as Digest, chain[4] as Digest];
    const key = digestKey(first.from, 'document', 1);
    const previous = { ...fifth.previous, retainUntil: '2021-01-01T00:00:00.000Z' };
    const nothing = { objects: [], records: 0, leaves: null };
    const planted = { ...fifth, ...nothing, from: first.from, to: fifth.from, previous } as Digest;
    const bytes = digestBytes({ ...planted, location: { bucket: 'vault', key } });
    store.vault.addVersion(key, bytes, { metadata: { [SIGNATURE_METADATA]: 'bm9uZQ==' } });
    const missing = `missing_digest ${first.location.key}`;
    const report = await store.verify({ periodDays: 1_000 });
    expect(broken(report)).toContain(missing);
    expect(report.resume.chain).toMatchObject({ first: first.location.key });
    // nor does it hide a begin that is later as promised
    const asOf = START + 40 * year;
    const late = await store.verify({ periodDays: 1_000 }, { asOf });
    expect(late.resume.chain).toMatchObject({ first: fifth.location.key, begin: { number: 4 } });
  });

  it('is damaged while they are promised', async () => {
    const store = await verifying();
    await store.verify();
    const [first] = inOrder(store);
    expire(store, 1);
    expect(broken(await store.verify({ periodDays: 1_000 }))).toEqual([
      `missing_digest ${first?.key}`,
    ]);
  });
});

describe('guards', () => {
  it('that are not as deployed are a finding, resolved when they stand again', async () => {
    const store = await verifying(1);
    store.guards.reader = guardsSeen({ versioning: { status: 'seen', value: 'Suspended' } });
    const changed = await store.verify();
    expect(changed).toMatchObject({ status: 'complete', findings: [{ kind: 'guard_changed' }] });
    store.guards.reader = guardsSeen();
    const after = await store.verify({}, { asOf: store.now + 60_000 });
    expect(after.findings).toMatchObject([{ kind: 'guard_changed', status: 'resolved' }]);
    const later = await store.verify({}, { asOf: store.now + 60_000 });
    expect(later.findings).toEqual([]);
  });

  it('that may not be looked at make it incomplete, and resolve nothing', async () => {
    const store = await verifying(1);
    store.guards.reader = guardsSeen({ versioning: { status: 'seen', value: 'Suspended' } });
    await store.verify();
    store.guards.reader = guardsSeen({ versioning: { status: 'denied' } });
    const blind = await store.verify({}, { asOf: store.now + 60_000 });
    expect(blind).toMatchObject({ status: 'incomplete', unreadable: ['vault/versioning'] });
    expect(new Set(blind.findings.map(({ kind, status }) => `${kind} ${status}`))).toEqual(
      new Set(['audit_incomplete confirmed', 'guard_changed confirmed']),
    );
  });
});

describe('a lost right', () => {
  it('makes it incomplete, and the slice has its turn again', async () => {
    const store = await verifying();
    const over = sealedStoreOver(store.vault);
    const report = await store.verify({
      store: {
        ...over,
        open: async (key, versionId) => {
          if (key.startsWith('lineage/')) throw new AccessDeniedError('s3');
          return over.open(key, versionId);
        },
      },
    });
    expect(report.status).toBe('incomplete');
    expect(report.unreadable.length).toBeGreaterThan(0);
    expect(report.unreadable.every((key) => key.startsWith('digests/'))).toBe(true);
    expect(broken(report)).toEqual([]);
    expect(report.slices.behindDays).toBe(1);
    expect((await store.verify()).checked.records).toBe(6);
  });

  it('does not keep a run without time from going on where it was', async () => {
    const store = await verifying(30);
    await store.verify();
    const over = sealedStoreOver(store.vault);
    const denied: typeof over.open = async (key, versionId) => {
      if (key.startsWith('lineage/')) throw new AccessDeniedError('s3');
      return over.open(key, versionId);
    };
    let asked = 0;
    const blind = { store: { ...over, open: denied } };
    const first = await store.verify(blind, {
      remaining: () => (++asked > 1 ? 0 : 1),
      asOf: store.now + DAY,
    });
    expect(first).toMatchObject({ status: 'incomplete', slices: { isFinished: false } });
    const second = await store.verify({}, { asOf: store.now + 60_000 });
    expect(second.slices).toMatchObject({ isFinished: true, behindDays: 0 });
    expect(second.checked.digests).toBeGreaterThan(0);
    expect(second.checked.digests).toBeLessThan(store.digests().length);
  });

  it('to see locks makes it incomplete', async () => {
    const store = await verifying();
    const over = sealedStoreOver(store.vault);
    const open: typeof over.open = async (key, versionId) => {
      const opened = await over.open(key, versionId);
      return opened && { ...opened, lock: 'unknown' };
    };
    const report = await store.verify({ store: { ...over, open } });
    expect(report).toMatchObject({ status: 'incomplete', damages: {} });
    expect(report.checked.locksNotKnown).toBe(report.checked.objects);
  });

  it('to list hides nothing: no digest is taken for missing', async () => {
    const store = await verifying();
    await store.verify();
    const over = sealedStoreOver(store.vault);
    const report = await store.verify({
      store: {
        ...over,
        // biome-ignore lint/correctness/useYield: it is denied before anything is listed
        async *list() {
          throw new AccessDeniedError('s3');
        },
      },
    });
    expect(report).toMatchObject({ status: 'incomplete', damages: {} });
    expect(report.findings.map(({ kind }) => kind)).toEqual(['audit_incomplete']);
  });

  it('is not a service that does not answer: that ends the run', async () => {
    const store = await verifying(1);
    const over = sealedStoreOver(store.vault);
    const open = async () => {
      throw new UnavailableError('s3');
    };
    await expect(store.verify({ store: { ...over, open } })).rejects.toThrow(UnavailableError);
  });
});
