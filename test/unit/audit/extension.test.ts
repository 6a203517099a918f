import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { extendLocks } from '../../../lambdas/domain/audit/extension.ts';
import { Inspection } from '../../../lambdas/domain/audit/inspection.ts';
import { extendedUntil } from '../../../lambdas/domain/audit/lock-extension.ts';
import { runNeeds } from '../../../lambdas/domain/audit/population.ts';
import { retentionReport } from '../../../lambdas/domain/audit/report.ts';
import { AccessDeniedError, UnreadableRecordError } from '../../../lambdas/domain/errors.ts';
import type { DeliveryEntry } from '../../../lambdas/domain/evidence/index-entries.ts';
import type { ObjectReader, VersionInspector } from '../../../lambdas/domain/evidence/ports.ts';
import { type Lock, lockFor } from '../../../lambdas/domain/evidence/retention.ts';
import { digestKey } from '../../../lambdas/domain/integrity/digest.ts';
import { deliveryEntry, NOW, runEventEntry, traceDeliveryEntry } from '../../support/builders.ts';
import { InMemoryRunIndex } from '../../support/fakes/run-index.ts';
import { seeded } from '../../support/seeded.ts';
import { signedDigest } from '../../support/signed-digest.ts';

const HOUR = 3_600_000;
const HALF_DAY = 12 * HOUR;
const DAY = 2 * HALF_DAY;
const YEARS_7 = {
  mode: 'COMPLIANCE',
  ...{ lineageDays: 2557, traceDays: 2557, recordDays: 2922, floorDays: 190, slackDays: 35 },
} as const;
const at = (millis: number) => new Date(millis).toISOString();

/** A vault of locks that counts what is asked of it, and the index over it. */
function lockedStore() {
  const locks = new Map<string, { lock: Lock; lastModified: string }>();
  const puts = new Map<string, string[]>();
  const documents = new Map<string, Buffer>();
  const looks: string[] = [];
  const index = new InMemoryRunIndex();
  let now = NOW;
  let isRefusing = false;
  const inspector: VersionInspector = {
    async inspect({ key }) {
      const held = locks.get(key);
      if (!held) return { status: 'missing' };
      const { lock, lastModified } = held;
      return { status: 'present', ...lock, legalHold: false, lastModified };
    },
    async *list(bucket, prefix) {
      looks.push(prefix);
      const keys = [...locks.keys()].filter((key) => key.startsWith(prefix)).sort();
      for (const key of keys) yield { ...versionOf(key), bucket, ...LISTED };
    },
    files: () => expect.unreachable(),
    folders: async (_bucket, prefix) => [`${prefix}audit-retention/`],
  };
  const reader: ObjectReader = {
    async read({ key }) {
      if (!documents.has(key)) throw new UnreadableRecordError('version_missing');
      return documents.get(key) as Buffer;
    },
  };
  const extender = {
    async extend(
      { key }: { key: string },
      { mode, retainUntil }: Pick<Lock, 'mode' | 'retainUntil'>,
    ) {
      const held = locks.get(key);
      if (!held || held.lock.retainUntil >= retainUntil) throw new Error('no longer lock');
      if (isRefusing) return false;
      // What the bucket policy denies.
      if ((Date.parse(retainUntil) - now) / DAY < YEARS_7.floorDays) return false;
      if (mode !== YEARS_7.mode) return false;
      locks.set(key, { ...held, lock: { ...held.lock, retainUntil } });
      puts.set(key, [...(puts.get(key) ?? []), retainUntil]);
      return true;
    },
  };
  const store = {
    ...{ locks, puts, looks, index, inspector, extender },
    refuseAll: () => {
      isRefusing = true;
    },
    /** Locks a version as one that was written then. */
    lock: (key: string, acceptedAt: number, periodDays: number = YEARS_7.lineageDays) => {
      const lock = lockFor(YEARS_7, periodDays, acceptedAt, acceptedAt);
      locks.set(key, { lock, lastModified: at(acceptedAt) });
      return lock;
    },
    /** An event of a run, in an object of its own or in one that stands. */
    event: async (runKey: string, receiptId: string, acceptedAt: number, key = receiptId) => {
      const lock = locks.get(key)?.lock ?? store.lock(key, acceptedAt);
      const row = {
        ...{ runKey, receiptId, acceptedAt: at(acceptedAt), lock },
        location: { ...versionOf(key), line: 0 },
      };
      await index.putDelivery(deliveryEntry(row));
      await index.putRunEvent(runEventEntry({ ...row, runId: runKey }));
      return deliveryEntry(row);
    },
    /** The digest of an hour that lists these, with its signature and leaves. */
    digest: async (fromMillis: number, ...keys: string[]) => {
      const [from, to] = [at(fromMillis), at(fromMillis + HOUR)];
      const key = digestKey(from);
      const location = { bucket: 'vault', key };
      const leaves = { key: digestKey(from, 'leaves'), sha256: '' };
      const objects = keys.map((key) => ({
        ...{ ...versionOf(key), lastModified: from, bytes: 1, sha256: '', records: 1 },
      }));
      const signed = await signedDigest({
        ...{ digest: 1, number: 0, location, from, to, sealedAt: to, objects, leaves },
      });
      for (const [place, bytes] of signed) documents.set(place, bytes);
      // in use for longer than any of this
      for (const [place] of signed.slice(0, 1)) store.lock(place, fromMillis + 1000 * DAY);
      const parts = [key, digestKey(from, 'signature'), leaves.key];
      for (const part of parts) store.lock(part, fromMillis + HOUR, YEARS_7.recordDays);
      return parts;
    },
    trace: async (runKey: string, traceId: string, acceptedAt: number) => {
      const key = `traces/${traceId}`;
      const lock = store.lock(key, acceptedAt);
      const receiptId = `of-${traceId}`;
      const submitter = { producerId: 'p', group: 'g' };
      await index.putTraceRun({
        ...{ traceId, runId: runKey, runKey, declaredBy: 'span', submitter, receiptId },
      });
      const location = { ...versionOf(key), line: 0 };
      await index.putTraceDelivery(traceDeliveryEntry({ traceId, receiptId, lock, location }));
    },
    /** Audits what came, at an instant. */
    extend: (deliveries: readonly DeliveryEntry[], instant: number, rest: object = {}) => {
      now = instant;
      const asOf = at(instant);
      return extendLocks(
        runNeeds(deliveries, YEARS_7),
        { from: asOf, to: asOf, asOf },
        new Inspection(inspector),
        {
          ...{ index, inspector, reader, extender, vaultBucket: 'vault', retention: YEARS_7 },
          ...{ clock: () => instant, ...rest },
        },
      );
    },
  };
  return store;
}

const LISTED = { deleteMarker: false, lastModified: at(NOW), bytes: 1 };
const versionOf = (key: string) => ({ bucket: 'vault', key, versionId: 'v1' });
const until = (store: ReturnType<typeof lockedStore>, key: string) =>
  Date.parse(store.locks.get(key)?.lock.retainUntil as string);

describe('the time to which a lock is extended', () => {
  const instants = fc.integer({ min: NOW - 3_000 * DAY, max: NOW + 3_000 * DAY });

  it('is whole steps of 90 days later, never earlier, as needed and as the bucket policy takes it', () => {
    fc.assert(
      fc.property(instants, instants, fc.nat(400), (standing, needed, floorDays) => {
        const extended = extendedUntil(at(standing), needed, floorDays, NOW);
        if (standing >= needed) {
          expect(extended).toBeUndefined();
          return;
        }
        const end = Date.parse(extended as string);
        const target = Math.max(needed, NOW + (floorDays + 1) * DAY);
        expect((end - standing) % (90 * DAY)).toBe(0);
        expect(end).toBeGreaterThanOrEqual(target);
        expect(end - Math.max(target, standing)).toBeLessThanOrEqual(90 * DAY);
        expect(extendedUntil(extended as string, needed, floorDays, NOW)).toBeUndefined();
      }),
      seeded(400),
    );
  });

  it('can be written under the bucket policy in year seven, when a step alone would be too short', () => {
    const standing = at(NOW + 10 * DAY);
    const end = Date.parse(extendedUntil(standing, NOW + 20 * DAY, 190, NOW) as string);
    expect(end - NOW).toBeGreaterThanOrEqual(191 * DAY);
  });
});

describe('extension by the audit', () => {
  it('costs a streaming run of a year at most five calls an object, and no other run any', async () => {
    const store = lockedStore();
    const { index, puts } = store;
    const neighbour = await store.event('neighbour', 'other', NOW);
    for (let day = 0; day < 365; day++) {
      const deliveries: DeliveryEntry[] = [];
      for (const n of [2 * day, 2 * day + 1]) {
        deliveries.push(await store.event('stream', `object-${n}`, NOW + n * HALF_DAY));
      }
      const { findings } = await store.extend(
        day === 0 ? [neighbour, ...deliveries] : deliveries,
        NOW + (day + 1) * DAY,
      );
      expect(findings).toEqual([]);
    }
    const last = NOW + (2 * 365 - 1) * HALF_DAY;
    const rows = await index.runEvents('stream');
    expect(rows).toHaveLength(2 * 365);
    for (const { lock, receiptId } of rows) {
      expect(until(store, receiptId)).toBeGreaterThanOrEqual(last + YEARS_7.lineageDays * DAY);
      expect(lock.retainUntil).toBe(store.locks.get(receiptId)?.lock.retainUntil);
      const calls = puts.get(receiptId) ?? [];
      expect(calls.length).toBeLessThanOrEqual(5);
      expect(calls).toEqual([...calls].sort());
    }
    expect(puts.get('object-0')).toHaveLength(4);
    expect(puts.has('other')).toBe(false);
  });

  it('asks nothing of S3 for a run that is shorter than the slack', async () => {
    const store = lockedStore();
    await store.event('run', 'first', NOW);
    await store.trace('run', 'trace', NOW);
    const last = await store.event('run', 'last', NOW + 34 * DAY);
    store.inspector.inspect = () => Promise.reject(new Error('asked'));
    expect(await store.extend([last], NOW + 35 * DAY)).toMatchObject({
      extension: { evidence: 0, records: 0, left: 0 },
      checkedTraces: 1,
    });
  });

  it('extends the traces of a run with it', async () => {
    const store = lockedStore();
    await store.event('run', 'first', NOW);
    await store.trace('run', 'trace', NOW);
    const last = await store.event('run', 'last', NOW + 50 * DAY);
    const { extension, findings } = await store.extend([last], NOW + 51 * DAY);
    expect([extension.evidence, findings]).toEqual([2, []]);
    const needed = NOW + (50 + YEARS_7.lineageDays) * DAY;
    for (const key of ['first', 'traces/trace'])
      expect(until(store, key)).toBeGreaterThanOrEqual(needed);
    const [row] = await store.index.traceDeliveries('trace');
    expect(row?.lock.retainUntil).toBe(at(until(store, 'traces/trace')));
  });

  it('extends an object that two runs share once, as far as the longer one needs', async () => {
    const store = lockedStore();
    await store.event('a', 'a1', NOW, 'shared');
    await store.event('b', 'b1', NOW, 'shared');
    const active = [
      await store.event('a', 'a2', NOW + 50 * DAY),
      await store.event('b', 'b2', NOW + 200 * DAY),
    ];
    await store.extend(active, NOW + 201 * DAY);
    expect(store.puts.get('shared')).toHaveLength(1);
    expect(until(store, 'shared')).toBeGreaterThanOrEqual(NOW + (200 + YEARS_7.lineageDays) * DAY);
    expect((await store.index.runEvents('a'))[0]?.lock).toEqual(store.locks.get('shared')?.lock);
  });

  it('changes nothing when it runs again, also after a crash before the rows were written', async () => {
    const store = lockedStore();
    await store.event('run', 'first', NOW);
    const last = await store.event('run', 'last', NOW + 50 * DAY);
    store.index.faults.refuse('extendRow');
    await expect(store.extend([last], NOW + 51 * DAY)).rejects.toThrow();
    const extended = store.locks.get('first');
    expect((await store.extend([last], NOW + 51 * DAY)).extension.evidence).toBe(0);
    expect((await store.extend([last], NOW + 51 * DAY)).extension.evidence).toBe(0);
    expect(store.locks.get('first')).toEqual(extended);
    expect((await store.index.runEvents('run'))[0]?.lock).toEqual(extended?.lock);
    expect(await store.index.delivery('first')).toMatchObject({ lock: extended?.lock });
  });

  it('leaves what one run has no time for to the next, and says so', async () => {
    const store = lockedStore();
    for (let n = 0; n < 5; n++) await store.event('run', `old-${n}`, NOW);
    const last = await store.event('run', 'last', NOW + 50 * DAY);
    const bound = { maxExtensions: 3 };
    const first = await store.extend([last], NOW + 51 * DAY, bound);
    expect(first.extension).toMatchObject({ evidence: 3, left: 2 });
    const asOf = at(NOW);
    const audit = {
      ...{ population: { deliveries: 1, versions: 1, runs: 1 }, unreadable: [], findings: [] },
      ...{ checked: { versions: 1, traces: 0, listedVersions: 1 }, extended: first.extension },
    };
    expect(retentionReport({ from: asOf, to: asOf, asOf }, audit)).toMatchObject({
      status: 'incomplete',
      findings: [{ kind: 'audit_incomplete', detail: { left: 2 } }],
    });
    const second = await store.extend([last], NOW + 51 * DAY, bound);
    expect(second.extension).toMatchObject({ evidence: 2, left: 0 });
  });

  it.each([
    ['extension_failed', (store: ReturnType<typeof lockedStore>) => store.refuseAll()],
    ['version_missing', (store: ReturnType<typeof lockedStore>) => store.locks.delete('first')],
  ] as const)('names what it cannot extend: %s', async (kind, break_) => {
    const store = lockedStore();
    await store.event('run', 'first', NOW);
    const last = await store.event('run', 'last', NOW + 50 * DAY);
    break_(store);
    const { findings, extension } = await store.extend([last], NOW + 51 * DAY);
    expect(findings).toMatchObject([
      { kind, subject: 'vault/first@v1', runKeys: ['run'], plane: 'lineage' },
    ]);
    expect(extension.evidence).toBe(0);
  });
});

const [ACTIVE, OVER] = ['a'.repeat(64), '0'.repeat(64)];

describe('records beside evidence', () => {
  const used = [
    ...['policies/strict.json', 'keys/hmac/epoch-0.json', 'public-keys/ab.pem'],
    ...['erasures/e1.json', `holds/${ACTIVE}/00000003-set.json`],
    ...[`holds/${ACTIVE}/00000003-outcome-ab.json`, 'producers/p/00000002.json'],
  ];
  const past = [
    ...['producers/p/00000001.json', `holds/${ACTIVE}/00000001-set.json`],
    ...[`holds/${ACTIVE}/00000002-released.json`, `holds/${OVER}/00000001-set.json`],
    ...[`holds/${OVER}/00000002-released.json`, `holds/${OVER}/00000001-outcome-cd.json`],
  ];

  it('that are in use outlive whatever may be locked today by a year, at a call in 90 days', async () => {
    const store = lockedStore();
    for (const key of [...used, ...past]) store.lock(key, NOW, YEARS_7.recordDays);
    for (let day = 0; day < 360; day++) {
      const now = NOW + day * DAY;
      await store.extend([], now);
      // The longest lock that an event of today can get, by its own put or by an extension.
      const longest = now + (YEARS_7.lineageDays + 90) * DAY;
      for (const key of used) expect(until(store, key)).toBeGreaterThanOrEqual(longest + 365 * DAY);
    }
    for (const key of used) expect(store.puts.get(key)?.length).toBe(5);
    for (const key of past) expect(store.puts.has(key)).toBe(false);
  });

  it.each([
    ['producers/p/00000003.json', ['producers/p/99999999', 'producers/p/99999999.json']],
    ['producers/p/00000003.json', ['producers/p/00000009.json', 'producers/p/99999999-x.json']],
    [`holds/${ACTIVE}/00000001-set.json`, [`holds/${ACTIVE}/99999998-x`]],
    [`holds/${ACTIVE}/00000001-set.json`, [`holds/${ACTIVE}/99999998-released.json`]],
    [`holds/${ACTIVE}/00000001-set.json`, [`holds/${ACTIVE}/99999999-set.json`]],
  ])('are in use whatever is put among them: %s beside %j', async (inUse, planted) => {
    const store = lockedStore();
    for (const key of [inUse, ...planted]) store.lock(key, NOW, YEARS_7.recordDays);
    await store.extend([], NOW + 60 * DAY);
    expect(store.puts.has(inUse)).toBe(true);
  });

  it.each([
    ['of its interval', 0],
    ['that lists it late', 2],
    ['that lists it the day after', 25],
  ])(
    'that prove extended evidence outlive it by a year: the digest %s, and the reports of the day',
    async (_, hoursLate) => {
      const store = lockedStore();
      const hour = Math.floor(NOW / HOUR) * HOUR;
      const others: string[] = [];
      let parts: string[] = [];
      for (const later of [-1, 0, 1, 2, 25]) {
        if (later === hoursLate) parts = await store.digest(hour + later * HOUR, 'lineage/first');
        else others.push(...(await store.digest(hour + later * HOUR)));
      }
      const report = `reports/audit-retention/dt=${at(NOW).slice(0, 10)}/x.json`;
      store.lock(report, NOW, YEARS_7.recordDays);
      await store.event('run', 'lineage/first', NOW, 'lineage/first');
      const last = await store.event('run', 'last', NOW + 50 * DAY);
      const { extension } = await store.extend([last], NOW + 51 * DAY);
      expect(extension).toEqual({ evidence: 1, records: 4, left: 0 });
      for (const key of [...parts, report]) {
        expect(until(store, key)).toBeGreaterThanOrEqual(until(store, 'lineage/first') + 365 * DAY);
      }
      for (const key of others) expect(store.puts.has(key)).toBe(false);
      expect((await store.extend([last], NOW + 51 * DAY)).extension.records).toBe(0);
    },
  );

  it('lists the folders of a day once, for however many objects landed on it', async () => {
    const store = lockedStore();
    const keys = Array.from({ length: 20 }, (_, n) => `lineage/${n}`);
    await store.digest(Math.floor(NOW / HOUR) * HOUR, ...keys);
    for (const key of keys) await store.event('run', key, NOW, key);
    const last = await store.event('run', 'last', NOW + 50 * DAY);
    await store.extend([last], NOW + 51 * DAY);
    const looks = store.looks.filter((prefix) => prefix.includes('/dt='));
    expect(looks.length).toBeGreaterThan(0);
    expect(new Set(looks).size).toBe(looks.length);
  });

  it('name the folder of a digest that cannot be read, and the rest is extended', async () => {
    const store = lockedStore();
    store.lock(digestKey(at(Math.floor(NOW / HOUR) * HOUR)), NOW, YEARS_7.recordDays);
    const report = `reports/audit-retention/dt=${at(NOW).slice(0, 10)}/x.json`;
    store.lock(report, NOW, YEARS_7.recordDays);
    for (const key of ['lineage/a', 'lineage/b']) await store.event('run', key, NOW, key);
    const last = await store.event('run', 'last', NOW + 50 * DAY);
    const { denied, extension } = await store.extend([last], NOW + 51 * DAY);
    expect(denied).toEqual(['vault/digests/']);
    expect(extension).toEqual({ evidence: 2, records: 1, left: 0 });
  });

  it('that may not be listed are named, never passed over', async () => {
    const store = lockedStore();
    store.inspector.list = () => ({
      [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new AccessDeniedError('s3')) }),
    });
    const { denied } = await store.extend([], NOW);
    expect(denied).toEqual([
      'vault/policies/',
      'vault/keys/',
      'vault/public-keys/',
      'vault/erasures/',
      'vault/producers/',
      'vault/holds/',
    ]);
  });
});
