import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { RefusedByStoreError } from '../../../lambdas/domain/errors.ts';
import type { ConsumedRecord } from '../../../lambdas/domain/evidence/consumed-record.ts';
import { readLine } from '../../../lambdas/domain/evidence/evidence-object.ts';
import { prepareEvent } from '../../../lambdas/domain/openlineage/prepare-event.ts';
import { consumed, NOW, REDACTION, RETENTION, runEventText } from '../../support/builders.ts';
import { seeded } from '../../support/seeded.ts';
import { archive, CANARY } from './archive.ts';

const DAY = 86_400_000;

/** Records that no policy can store, in the ways they come. */
const POISON: ReadonlyArray<(n: number) => ConsumedRecord> = [
  (n) => consumed(n, `not json ${CANARY}`),
  (n) => consumed(n, `{"${CANARY}":1}`),
  (n) => consumed(n, Buffer.from([0xff, 0xfe])),
  (n) => ({ ...consumed(n, ''), data: Buffer.from(CANARY) }),
  (n) => ({ ...consumed(n, ''), data: Buffer.alloc(0) }),
  (n) => consumed(n, runEventText(), { acceptedAt: '+275760-09-12T00:00:00.000Z' }),
  (n) => consumed(n, runEventText(), { receiptId: 'r'.repeat(600_000) }),
];

describe('archiving a batch', () => {
  it('stores every good record whatever poison stands around it', async () => {
    const batch = fc.array(fc.option(fc.constantFrom(...POISON), { freq: 2 }), {
      minLength: 1,
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(batch, async (kinds) => {
        const { run, index, text } = archive();
        const records = kinds.map((poison, n) =>
          poison ? poison(n) : consumed(n, runEventText()),
        );
        const { failures, stored, quarantined } = await run(...records);
        const good = kinds.filter((poison) => !poison).length;
        expect(failures.size).toBe(0);
        expect([stored, quarantined]).toEqual([good, kinds.length - good]);
        expect([...index.runEventRows.values()].map(({ receiptId }) => receiptId)).toEqual(
          kinds.flatMap((poison, n) => (poison ? [] : [`receipt-${n}`])),
        );
        expect(text()).not.toContain(CANARY);
      }),
      seeded(80),
    );
  });

  it('names a record that it cannot read, once, in quarantine and in a finding', async () => {
    const { run, vault, findings, index } = archive();
    await run(consumed(5, 'oops'));
    await run(consumed(5, 'oops'));
    expect(vault.versions.map(({ key }) => key)).toEqual([
      'quarantine/dt=2026-03-04/hour=05/shardId-000000000000-5-unexpected_character.json',
      expect.stringMatching(/^findings\//),
    ]);
    expect(findings()).toEqual(['accepted_not_readable receipt-5']);
    expect(await index.delivery('receipt-5')).toMatchObject({ kind: 'quarantine' });
  });

  it('puts nothing new when the same batch comes again', async () => {
    const { run, vault, index } = archive();
    const batch = [
      consumed(1, runEventText()),
      consumed(2, 'oops'),
      consumed(3, runEventText({ sql: 'x' })),
    ];
    await run(...batch);
    const before = JSON.stringify([
      vault.versions,
      [...index.deliveryRows],
      [...index.runEventRows],
    ]);
    await run(...batch);
    expect(JSON.stringify([vault.versions, [...index.deliveryRows], [...index.runEventRows]])).toBe(
      before,
    );
  });

  it('locks nothing again when a replay is cut otherwise, and keeps the first location', async () => {
    const { run, index, vault } = archive();
    await run(consumed(1, runEventText()), consumed(2, runEventText()));
    await run(consumed(2, runEventText()));
    expect(vault.versions).toHaveLength(1);
    expect(await index.delivery('receipt-2')).toMatchObject({
      location: { versionId: 'v1', line: 1 },
    });
  });

  it('points each row at the line that holds the record', async () => {
    const { run, index, vault } = archive();
    await run(consumed(1, runEventText()), consumed(2, 'oops'), consumed(3, runEventText()));
    for (const { receiptId, location } of index.runEventRows.values()) {
      const version = vault.versions.find(({ versionId }) => versionId === location.versionId);
      expect(readLine(version?.body as Uint8Array, location.line).receiptId).toBe(receiptId);
    }
  });

  it('stores a skeleton and a finding when the redactor throws', async () => {
    // A pseudonym cannot be made without a secret.
    const key = { epoch: 0, secret: undefined as never };
    const { run, findings, text } = archive({
      prepare: (record) => prepareEvent(record, { ...REDACTION, key }),
    });
    const job = {
      ...{ namespace: 'ns', name: 'job' },
      facets: { ownership: { owners: [{ name: CANARY }] } },
    };
    expect(await run(consumed(1, runEventText({ job })))).toMatchObject({
      stored: 1,
      skeletons: 1,
    });
    expect(findings()).toEqual(['stored_reduced receipt-1']);
    expect(text()).toContain('"detail":{"policy":"strict/1","reason":"TypeError"}');
    expect(text()).not.toContain(CANARY);
  });

  it('names a record that S3 will not take even alone, and gives up none in company', async () => {
    const { run, vault, index, findings } = archive();
    vault.faults.refuse('putObject', 2, new RefusedByStoreError('s3'));
    const [one, two] = [consumed(1, runEventText()), consumed(2, runEventText())] as const;
    expect([...(await run(one, two)).failures]).toEqual([
      ['1', 's3_refused'],
      ['2', 's3_refused'],
    ]);
    expect(vault.versions).toEqual([]);

    expect(await run(one)).toMatchObject({ failures: new Map(), quarantined: 1 });
    expect(findings()).toEqual(['accepted_not_stored receipt-1']);
    expect(await index.delivery('receipt-1')).toMatchObject({ kind: 'quarantine' });
    expect(await run(two)).toMatchObject({ failures: new Map(), stored: 1 });
  });

  it('gives up no record while it cannot put what would name it', async () => {
    const { run, vault, findings } = archive();
    for (const put of ['putObject', 'putDocument']) {
      vault.faults.refuse(put, 1, new RefusedByStoreError('s3'));
    }
    const { failures } = await run(consumed(1, runEventText()));
    expect([...failures]).toEqual([['1', 's3_refused']]);
    expect([vault.versions, findings()]).toEqual([[], []]);
  });

  it('locks for the promise whatever its own clock says meanwhile', async () => {
    const jumps = fc.array(fc.integer({ min: -400, max: 400 }), { minLength: 1 });
    await fc.assert(
      fc.asyncProperty(jumps, async (days) => {
        let calls = 0;
        const clock = () => NOW + (days[calls++ % days.length] as number) * DAY;
        const { run, vault } = archive({ clock });
        await run(consumed(1, runEventText()), consumed(2, 'oops'));
        const promised = NOW + (RETENTION.lineageDays + RETENTION.slackDays) * DAY;
        for (const { lock, key } of vault.versions.filter(({ key }) => !key.startsWith('find'))) {
          expect(Date.parse(lock?.retainUntil as string), key).toBeGreaterThanOrEqual(promised);
        }
      }),
      seeded(50),
    );
  });

  it.each([
    [-60_001, 1],
    [-60_000, 0],
    [60_000, 0],
    [60_001, 1],
  ])('finds a clock skew of %i ms: %i', async (skewMillis, findingCount) => {
    const { run, findings } = archive();
    await run({ ...consumed(1, runEventText()), arrivedAtMillis: NOW + skewMillis });
    expect(findings()).toHaveLength(findingCount);
  });

  it('lets no acceptance of the future steer a folder or a lock', async () => {
    const { run, vault } = archive();
    const acceptedAt = '2999-12-31T00:00:00.000Z';
    await run(consumed(1, runEventText(), { acceptedAt }), consumed(2, 'oops', { acceptedAt }));
    expect(vault.versions.map(({ key }) => key)).not.toContainEqual(
      expect.stringContaining('2999'),
    );
    for (const { lock } of vault.versions) expect(lock?.retainUntil.slice(0, 4)).toBe('2026');
    expect(vault.versions.map(({ key }) => key)).toContainEqual(
      expect.stringMatching(/^quarantine.*-1-accepted_after_arrival\.json$/),
    );
  });

  it('counts retention from the later of acceptance and arrival', async () => {
    const { run, index } = archive();
    await run({ ...consumed(1, runEventText()), arrivedAtMillis: NOW + 3 * DAY });
    const { lock } = [...index.runEventRows.values()][0] as { lock: { retainUntil: string } };
    expect(Date.parse(lock.retainUntil)).toBeGreaterThanOrEqual(NOW + 3 * DAY + 45 * DAY);
  });
});
