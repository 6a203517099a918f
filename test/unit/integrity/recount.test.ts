import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupBy } from '../../../lambdas/domain/collections.ts';
import { AccessDeniedError, UnavailableError } from '../../../lambdas/domain/errors.ts';
import { seeded } from '../../support/seeded.ts';
import { FROM, HOUR, MINUTE, recountedStore, statusOf, type Taken, text } from './stream.ts';

const INTERVAL = { from: FROM, to: FROM + 15 * MINUTE };
const LATER = INTERVAL.to + HOUR;

/** Numbers that grow as those of AWS do: 56 digits, with gaps of any size. */
const taken = (n: number, overrides: Partial<Taken> = {}): Taken => ({
  plane: 'lineage',
  shardId: 'shardId-000000000000',
  sequenceNumber: String(49590338271490256608559692538361571095921575989136588898n + BigInt(n)),
  arrivedAtMillis: FROM + n * 1_000,
  ...overrides,
});
const numbers = (...records: readonly Taken[]) =>
  records.map(({ sequenceNumber }) => sequenceNumber);

const quarantineStart = ({ shardId, sequenceNumber }: Taken) =>
  `quarantine/dt=2026-03-04/hour=05/${shardId}-${sequenceNumber}-`;
const documentOf = ({ shardId, sequenceNumber }: Taken, members: object = {}) =>
  Buffer.from(JSON.stringify({ quarantine: 1, stream: { shardId, sequenceNumber }, ...members }));

describe('a recount', () => {
  it('is equal where everything is stored, staged or named in quarantine', async () => {
    const { take, store, count, vault } = recountedStore();
    const [stored, quarantined] = [taken(1), taken(2)];
    const [governed, staged] = [taken(1, { plane: 'traces' }), taken(2, { plane: 'traces' })];
    take(stored, quarantined, governed, staged);
    await store([stored]);
    await store([governed]);
    await store([staged], true);
    const key = `${quarantineStart(quarantined)}body_unreadable.json`;
    vault.put(key, documentOf(quarantined), 'quarantined');
    const { recounts, findings, failures } = await count(INTERVAL, { asOf: LATER });
    expect(recounts).toMatchObject([
      { plane: 'lineage', status: 'equal', accepted: 2, stored: 2 },
      { plane: 'traces', status: 'equal', accepted: 2, stored: 2 },
    ]);
    expect(recounts.every(({ missing }) => missing === undefined)).toBe(true);
    expect([findings, failures]).toEqual([[], []]);
  });

  it('counts shards that took nothing, too: absence is evidence', async () => {
    const { counter, count } = recountedStore();
    counter.shardsOf.traces.set('shardId-000000000007', []);
    expect((await count(INTERVAL)).recounts).toEqual([
      {
        ...{ plane: 'traces', shardId: 'shardId-000000000007', status: 'equal' },
        ...{ from: text(INTERVAL.from), to: text(INTERVAL.to), accepted: 0, stored: 0 },
        countedAt: text(INTERVAL.to + 5 * MINUTE),
      },
    ]);
  });

  it('is half-open: each record belongs to one interval', async () => {
    const { take, count } = recountedStore();
    const first = taken(0);
    const last = taken(1, { arrivedAtMillis: INTERVAL.to - 1 });
    const next = taken(2, { arrivedAtMillis: INTERVAL.to });
    take(first, last, next);
    const { recounts } = await count(INTERVAL, { asOf: LATER });
    expect(recounts[0]?.missing).toEqual(numbers(first, last));
  });

  it('is behind for an hour, then names what is missing in findings', async () => {
    const { take, store, count } = recountedStore();
    const [a, dropped, c] = [taken(1), taken(2), taken(3)];
    take(a, dropped, c);
    await store([a, c]);
    const early = await count(INTERVAL, { asOf: LATER - 1 });
    expect(early.recounts).toMatchObject([
      { status: 'behind', accepted: 3, stored: 2, missing: numbers(dropped) },
    ]);
    expect(early.findings).toEqual([]);
    const late = await count(INTERVAL, { asOf: LATER });
    expect(late.recounts).toMatchObject([{ status: 'missing', missing: numbers(dropped) }]);
    expect(late.findings).toMatchObject([
      {
        ...{ kind: 'accepted_not_stored', severity: 'critical', status: 'confirmed' },
        subject: `${dropped.shardId}/${dropped.sequenceNumber}`,
        at: text(dropped.arrivedAtMillis),
      },
    ]);
    // A later look that finds the same says the same, to the byte.
    expect((await count(INTERVAL, { asOf: LATER + HOUR })).findings).toEqual(late.findings);
  });

  it('counts an object that is gone, was emptied or was altered as not stored', async () => {
    const { take, store, count, vault } = recountedStore();
    const all = [taken(1), taken(2), taken(3), taken(4)];
    take(...all);
    for (const record of all) await store([record]);
    const [gone, altered, emptied] = [...vault.versions];
    if (gone) vault.remove(gone);
    if (altered) vault.overwrite(altered, Buffer.from('not gzip'));
    if (emptied) vault.overwrite(emptied, Buffer.from(''));
    const { recounts } = await count(INTERVAL, { asOf: LATER });
    expect(recounts[0]?.missing).toEqual(numbers(...all.slice(0, 3)));
  });

  it('looks where a record is filed, however far its acceptance is from its arrival', async () => {
    const { take, store, count } = recountedStore();
    const odd = taken(1, { acceptedAt: '2024-02-29T23:59:59.999Z' });
    const ahead = taken(2, { acceptedAt: text(FROM + 20 * HOUR) });
    take(odd, ahead);
    await store([odd]);
    await store([ahead]);
    expect((await count(INTERVAL)).recounts).toMatchObject([{ status: 'equal', stored: 2 }]);
  });

  it('looks into so many hours and no more, those of most records first', async () => {
    const { take, store, count } = recountedStore();
    const spread = Array.from({ length: 60 }, (_, n) =>
      taken(n, { acceptedAt: text(FROM - n * HOUR) }),
    );
    const together = [taken(60), taken(61)];
    take(...spread, ...together);
    for (const record of [...spread, ...together]) await store([record]);
    const { recounts } = await count(INTERVAL);
    expect(recounts[0]).toMatchObject({ accepted: 62, stored: 50 });
  });

  it('knows that the clock of the bucket may be behind that of the stream', async () => {
    const { take, store, count } = recountedStore();
    take(taken(0));
    await store([taken(0)], false, FROM - 30_000);
    expect((await count(INTERVAL)).recounts).toMatchObject([{ status: 'equal' }]);
  });

  it('takes a delete marker for nothing that is stored', async () => {
    const { take, count, inspector } = recountedStore();
    const record = taken(1);
    take(record);
    inspector.list = async function* (bucket, prefix) {
      if (!prefix.startsWith('quarantine/')) return;
      const key = `${prefix}${record.sequenceNumber}-x.json`;
      const marker = { deleteMarker: true, bytes: 0, lastModified: text(FROM + MINUTE) };
      yield { bucket, key, versionId: 'm', ...marker };
    };
    expect((await count(INTERVAL)).recounts[0]?.missing).toEqual(numbers(record));
  });

  it.each([
    ['nothing', Buffer.alloc(0)],
    ['no JSON', Buffer.from('{')],
    ['null', Buffer.from('null')],
    ['an object', Buffer.from('{}')],
    ['no quarantine', documentOf(taken(1), { quarantine: undefined })],
    ['no position', documentOf(taken(1), { stream: undefined })],
    ['another number', documentOf(taken(2))],
    ['another shard', documentOf(taken(1, { shardId: 'shardId-000000000001' }))],
    ['more than a document has', documentOf(taken(1), { reason: 'x'.repeat(1024 * 1024) })],
  ])('takes the name of a quarantine document that holds %s for no record', async (_what, body) => {
    const { take, count, vault } = recountedStore();
    const record = taken(1);
    take(record);
    vault.put(`${quarantineStart(record)}x`, body, 'planted');
    const { recounts } = await count(INTERVAL, { asOf: LATER });
    expect(recounts).toMatchObject([{ status: 'missing', missing: numbers(record) }]);
    // The document of the record beside it counts.
    vault.put(`${quarantineStart(record)}y.json`, documentOf(record), 'quarantined');
    expect((await count(INTERVAL)).recounts).toMatchObject([{ status: 'equal' }]);
  });

  it('reads no quarantine document of a record that is stored or is none of its own', async () => {
    const { take, store, count, vault, reads } = recountedStore();
    const [stored, lost, other] = [taken(1), taken(2), taken(3)];
    take(stored, lost);
    await store([stored]);
    for (const record of [stored, other]) {
      vault.put(`${quarantineStart(record)}x.json`, documentOf(record), 'quarantined');
    }
    expect((await count(INTERVAL)).recounts).toMatchObject([{ missing: numbers(lost) }]);
    expect(reads.filter((key) => key.startsWith('quarantine/'))).toEqual([]);
  });

  it('gives up when no time is left to read what only has the name', async () => {
    const { take, count, vault, reads } = recountedStore();
    take(taken(1));
    for (let n = 0; n < 100; n++) {
      vault.put(`${quarantineStart(taken(1))}${n}`, Buffer.alloc(0), 'planted');
    }
    let left = 3;
    const { failures } = await count(INTERVAL, { hasTime: () => left-- > 0 });
    expect(failures).toEqual(['recount_unfinished']);
    expect(reads.length).toBeLessThanOrEqual(12);
  });

  it('takes a line of another shard or plane for no line of this one', async () => {
    const { take, store, count } = recountedStore();
    take(taken(1), taken(1, { shardId: 'shardId-000000000001' }), taken(1, { plane: 'traces' }));
    await store([taken(1, { shardId: 'shardId-000000000001' })]);
    const { recounts } = await count(INTERVAL, { asOf: LATER });
    expect(recounts.map(statusOf)).toEqual([
      'lineage shardId-000000000000 missing',
      'lineage shardId-000000000001 equal',
      'traces shardId-000000000000 missing',
    ]);
  });

  it('names the first of many and the others together', async () => {
    const { take, count } = recountedStore();
    const all = Array.from({ length: 100 }, (_, n) => taken(n));
    take(...all);
    const { recounts, findings } = await count(INTERVAL, { asOf: LATER });
    expect(recounts[0]).toMatchObject({ accepted: 100, stored: 0 });
    expect(recounts[0]?.missing).toEqual(numbers(...all.slice(0, 25)));
    expect(findings).toHaveLength(26);
    expect(new Set(findings.map(({ id }) => id)).size).toBe(26);
    expect(findings.at(-1)?.detail).toEqual({ reason: 'not_stored', records: 75 });
  });

  it('says that it was not made where the stream has let go, and never that all is well', async () => {
    const { take, count, counter } = recountedStore();
    take(taken(1));
    counter.retentionHours = 24;
    const { recounts, findings } = await count(INTERVAL, { now: FROM + 24 * HOUR - 10 * MINUTE });
    expect(recounts).toMatchObject([{ status: 'not_recounted' }]);
    expect(recounts[0]).not.toHaveProperty('accepted');
    expect(findings).toEqual([]);
    // The age of what is missing goes by the digest, what the stream keeps by the clock.
    const replayed = await count(INTERVAL, { asOf: INTERVAL.to, now: FROM + 30 * HOUR });
    expect(replayed.recounts).toMatchObject([{ status: 'not_recounted' }]);
  });

  it('reads no object more once everything is found', async () => {
    const { take, store, count, reads } = recountedStore();
    take(taken(1));
    for (let n = 1; n <= 40; n++) await store([taken(n)]);
    await count(INTERVAL);
    expect(reads.length).toBeLessThanOrEqual(4);
  });

  it('reads each object once, and none from before the interval', async () => {
    const { take, store, count, reads } = recountedStore();
    const before = Array.from({ length: 30 }, (_, n) =>
      taken(n - 3_000, { acceptedAt: text(FROM) }),
    );
    const within = Array.from({ length: 30 }, (_, n) => taken(n));
    take(...before, ...within, taken(31));
    for (const record of [...before, ...within]) await store([record]);
    await count(INTERVAL);
    expect(reads).toHaveLength(30);
  });
});

describe('what cannot be counted', () => {
  const failing = async (
    refuse: (store: ReturnType<typeof recountedStore>) => void,
    asOf?: number,
  ) => {
    const store = recountedStore();
    store.take(taken(1));
    refuse(store);
    return { store, answer: await store.count(INTERVAL, { ...(asOf && { asOf }) }) };
  };
  it.each([
    ['a shard', 'arrivals', 'shardId-000000000000'],
    ['the list of shards', 'shards', '*'],
    ['the retention of a stream', 'retentionMillis', 'shardId-000000000000'],
  ])('for want of %s is behind, and a finding after an hour', async (_what, call, shardId) => {
    const { answer } = await failing(({ counter }) => counter.faults.refuse(call));
    expect(answer.recounts).toMatchObject([{ shardId, status: 'behind' }]);
    expect(answer.recounts[0]).not.toHaveProperty('accepted');
    expect(answer.failures).toContain(`${call}_unavailable`);
    expect(answer.findings).toEqual([]);

    const { store, answer: late } = await failing(
      ({ counter }) => counter.faults.refuse(call),
      LATER,
    );
    expect(late.findings).toMatchObject([{ kind: 'audit_incomplete', status: 'confirmed' }]);

    await store.store([taken(1)]);
    const next = { from: INTERVAL.to, to: INTERVAL.to + 15 * MINUTE };
    const again = await store.count(next, { asOf: LATER + 15 * MINUTE, previous: late });
    expect(again.recounts.map(({ status }) => status)).toEqual(['equal', 'equal']);
    expect(again.findings).toEqual([
      { ...late.findings[0], status: 'resolved', at: text(LATER + 15 * MINUTE) },
    ]);
  });

  it('for want of the right to look is not missing', async () => {
    const { answer } = await failing(({ inspector }) => {
      inspector.folders = async () => {
        throw new AccessDeniedError('s3');
      };
    }, LATER);
    expect(answer.recounts).toMatchObject([{ status: 'behind' }]);
    expect(answer.failures).toEqual(['access_denied']);
    expect(answer.findings).toMatchObject([{ kind: 'audit_incomplete' }]);
  });

  it('for want of an object that does not answer is not missing', async () => {
    const { take, store, count, vault } = recountedStore();
    take(taken(1), taken(2));
    await store([taken(1)]);
    const answer = await count(INTERVAL, {
      asOf: LATER,
      read: async () => {
        throw new UnavailableError('s3');
      },
    });
    expect(vault.versions).toHaveLength(1);
    expect(answer.recounts).toMatchObject([{ status: 'behind' }]);
    expect(answer.failures).toEqual(['s3_unavailable']);
  });

  it('now stays what the last count came to', async () => {
    const { take, count, counter } = recountedStore();
    take(taken(1));
    const first = await count(INTERVAL, { asOf: LATER });
    counter.faults.refuse('arrivals', 2);
    const next = { from: LATER, to: LATER + 15 * MINUTE };
    const again = await count(next, { asOf: LATER + HOUR, previous: first });
    expect(again.recounts.at(-1)).toEqual({
      ...first.recounts[0],
      countedAt: text(LATER + HOUR),
    });
    expect(again.findings.filter(({ detail }) => detail.reason !== 'not_counted')).toEqual([]);
    expect(again.findings.map(({ subject }) => subject)).not.toContain(
      `recount/shardId-000000000000/${text(INTERVAL.from)}/${text(INTERVAL.to)}`,
    );
  });

  it('for want of time leaves the digest to be written', async () => {
    const { take, count } = recountedStore();
    take(...Array.from({ length: 100 }, (_, n) => taken(n)));
    let left = 50;
    const answer = await count(INTERVAL, { hasTime: () => left-- > 0 });
    expect(answer.recounts).toMatchObject([{ status: 'behind' }]);
    expect(answer.failures).toEqual(['recount_unfinished']);
  });

  it('in time, and left the stream since, is a finding', async () => {
    const { store, answer } = await failing(({ counter }) => counter.faults.refuse('arrivals'));
    const now = FROM + 30 * HOUR;
    const next = { from: now - 20 * MINUTE, to: now - 5 * MINUTE };
    const again = await store.count(next, { now, previous: answer });
    expect(again.recounts.map(({ status }) => status)).toEqual(['equal', 'not_recounted']);
    expect(again.findings).toMatchObject([{ kind: 'audit_incomplete', status: 'confirmed' }]);
  });
});

describe('a later digest', () => {
  it('settles what was behind, oldest first, and forgets what is settled', async () => {
    const { take, store, count } = recountedStore();
    take(taken(1));
    const first = await count(INTERVAL);
    expect(first.recounts).toMatchObject([{ status: 'behind' }]);
    await store([taken(1)], false, INTERVAL.to + 10 * MINUTE);
    const next = { from: INTERVAL.to, to: INTERVAL.to + 15 * MINUTE };
    const second = await count(next, { previous: first });
    expect(second.recounts).toMatchObject([
      { from: text(next.from), status: 'equal', accepted: 0 },
      { from: text(INTERVAL.from), status: 'equal', accepted: 1 },
    ]);
    const third = await count({ from: next.to, to: next.to + 15 * MINUTE }, { previous: second });
    expect(third.recounts).toHaveLength(1);
  });

  it('resolves the findings about records that turned up, and only those', async () => {
    const { take, store, count } = recountedStore();
    const all = Array.from({ length: 40 }, (_, n) => taken(n));
    take(...all);
    const first = await count(INTERVAL, { asOf: LATER });
    expect(first.findings).toHaveLength(26);
    await store(all.slice(0, 30), false, LATER);
    const next = { from: LATER, to: LATER + 15 * MINUTE };
    const second = await count(next, { asOf: LATER + HOUR, previous: first });
    const open = second.findings.filter(({ status }) => status === 'confirmed');
    expect(open.map(({ subject }) => subject)).toEqual(
      all.slice(30).map(({ shardId, sequenceNumber }) => `${shardId}/${sequenceNumber}`),
    );
    const resolved = second.findings.filter(({ status }) => status === 'resolved');
    expect(resolved.map(({ id }) => id)).toEqual(first.findings.map(({ id }) => id));
  });

  it('resolves nothing that is still missing', async () => {
    const { take, store, count } = recountedStore();
    const all = Array.from({ length: 40 }, (_, n) => taken(n));
    take(...all);
    const first = await count(INTERVAL, { asOf: LATER });
    await store(all.slice(0, 10), false, LATER);
    const next = { from: LATER, to: LATER + 15 * MINUTE };
    const second = await count(next, { asOf: LATER + HOUR, previous: first });
    const resolved = second.findings.filter(({ status }) => status === 'resolved');
    expect(resolved.map(({ id }) => id)).toEqual(first.findings.slice(0, 10).map(({ id }) => id));
  });

  it('looks for what is missing once an hour, and carries it in between', async () => {
    const { take, count, reads, store } = recountedStore();
    take(taken(1));
    await store([taken(2)]);
    const first = await count(INTERVAL, { asOf: LATER });
    reads.length = 0;
    const next = { from: LATER - 15 * MINUTE, to: LATER };
    const second = await count(next, { asOf: LATER + 59 * MINUTE, previous: first });
    expect(second.recounts).toEqual([
      expect.objectContaining({ status: 'equal' }),
      ...first.recounts,
    ]);
    expect(reads).toEqual([]);
    expect(second.findings).toEqual([]);
    const third = await count(next, { asOf: LATER + HOUR, previous: second });
    expect(third.recounts.at(-1)).toMatchObject({
      status: 'missing',
      countedAt: text(LATER + HOUR),
    });
  });
});

describe('for any stream', () => {
  const RECORD = fc.record({
    gap: fc.bigInt(1n, 10n ** 40n),
    wait: fc.integer({ min: 0, max: 90_000 }),
    shard: fc.integer({ min: 0, max: 3 }),
    plane: fc.constantFrom<Taken['plane']>('lineage', 'traces'),
    retentionClass: fc.constantFrom('standard', 'extended', 'short'),
    lag: fc.integer({ min: 0, max: 5_000 }),
    fate: fc.constantFrom('stored', 'stored', 'stored', 'stored', 'dropped', 'quarantined'),
  });
  const HISTORY = fc.record({
    records: fc.array(RECORD, { minLength: 1, maxLength: 120 }),
    /** Where batches end, of the first delivery and of a replay. */
    cut: fc.integer({ min: 1, max: 9 }),
    recut: fc.integer({ min: 1, max: 9 }),
    replayed: fc.boolean(),
    /** Which of the objects are lost again. */
    lost: fc.array(fc.nat(1_000), { maxLength: 3 }),
    minutes: fc.constantFrom(5, 15, 60),
  });

  it('exactly the missing records are named, each in one interval', async () => {
    await fc.assert(
      fc.asyncProperty(HISTORY, async ({ records, cut, recut, replayed, lost, minutes }) => {
        const { take, store, count, vault, staging, time } = recountedStore();
        let at = FROM;
        let number = 10n ** 55n;
        const all = records.map(({ gap, wait, shard, plane, retentionClass, lag, fate }, i) => {
          at += wait;
          number += gap;
          // Half-way through, the shards are split: the parents are closed and keep what they took.
          const shardId = `shardId-${String(shard + (i < records.length / 2 ? 0 : 4)).padStart(12, '0')}`;
          const acceptedAt = text(at - lag);
          const record = { plane, shardId, retentionClass, acceptedAt, arrivedAtMillis: at };
          return { record: { ...record, sequenceNumber: String(number) } as Taken, fate };
        });
        take(...all.map(({ record }) => record));
        const batches = (size: number) => {
          const shards = groupBy(
            all.filter(({ fate }) => fate === 'stored').map(({ record }) => record),
            ({ plane, shardId }) => `${plane} ${shardId}`,
          );
          return [...shards.values()].flatMap((shard) =>
            Array.from({ length: Math.ceil(shard.length / size) }, (_, n) =>
              shard.slice(n * size, (n + 1) * size),
            ),
          );
        };
        for (const [n, batch] of batches(cut).entries()) {
          await store(batch, n % 2 === 1 && batch[0]?.plane === 'traces');
        }
        if (replayed) for (const batch of batches(recut)) await store(batch, false, at + HOUR);
        for (const { record, fate } of all) {
          if (fate !== 'quarantined') continue;
          time.now = record.arrivedAtMillis + 1_500;
          const hour = (record.acceptedAt as string).slice(0, 13).replace('T', '/hour=');
          const key = `quarantine/dt=${hour}/${record.shardId}-${record.sequenceNumber}-x.json`;
          vault.put(key, documentOf(record), 'quarantined');
        }
        for (const pick of lost) {
          const objects = [...vault.versions, ...staging.versions];
          const object = objects[pick % Math.max(objects.length, 1)];
          if (object?.key.endsWith('.gz'))
            (object.bucket === 'vault' ? vault : staging).remove(object);
        }

        const held = new Set<string>();
        for (const { key, body } of [...vault.versions, ...staging.versions]) {
          for (const name of namesIn(key, body)) held.add(name);
        }
        const expected = all
          .filter(({ record, fate }) => fate !== 'quarantined' && !held.has(nameOf(record)))
          .map(({ record }) => nameOf(record));

        const found: string[] = [];
        let accepted = 0;
        for (let from = FROM; from <= at; from += minutes * MINUTE) {
          const interval = { from, to: from + minutes * MINUTE };
          const { recounts } = await count(interval, { asOf: at + 3 * HOUR });
          for (const recount of recounts) {
            accepted += recount.accepted ?? 0;
            found.push(...(recount.missing ?? []).map((name) => `${recount.plane} ${name}`));
            expect(recount.status).toBe(recount.missing ? 'missing' : 'equal');
            expect((recount.accepted ?? 0) - (recount.stored ?? 0)).toBe(
              recount.missing?.length ?? 0,
            );
          }
        }
        expect(accepted).toBe(all.length);
        expect(found.sort()).toEqual(expected.sort());
      }),
      seeded(150),
    );
  });

  const nameOf = ({ plane, sequenceNumber }: Taken) => `${plane} ${sequenceNumber}`;
});

/** An independent look at what an object holds. */
function namesIn(key: string, body: Uint8Array): string[] {
  if (!key.endsWith('.gz')) return [];
  const plane = key.split('/', 1)[0];
  const lines = gunzipSync(body).toString().trimEnd().split('\n');
  return lines.map((line) => `${plane} ${JSON.parse(line).stream.sequenceNumber}`);
}
