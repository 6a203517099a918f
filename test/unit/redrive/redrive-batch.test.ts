import { describe, expect, it } from 'vitest';
import { UnavailableError } from '../../../lambdas/domain/errors.ts';
import type { ConsumedRecord } from '../../../lambdas/domain/evidence/consumed-record.ts';
import {
  type FailedBatch,
  redriveBatch,
  type SingleArchiver,
} from '../../../lambdas/domain/evidence/redrive.ts';
import { consumed, NOW, NOW_TEXT, RETENTION, runEventText } from '../../support/builders.ts';
import { InMemoryVault } from '../../support/fakes/bucket.ts';
import { InMemoryRunIndex } from '../../support/fakes/run-index.ts';

type Outcome = Awaited<ReturnType<SingleArchiver['archive']>>;

const BATCH: FailedBatch = {
  plane: 'lineage',
  shardId: 'shardId-000000000000',
  startSequenceNumber: '1',
  endSequenceNumber: '3',
  firstArrivedAt: NOW_TEXT,
};

function redrive(
  outcomes: Readonly<Record<string, Outcome>>,
  held: readonly number[] = [1, 2, 3],
  sound = true,
) {
  const vault = new InMemoryVault();
  const index = new InMemoryRunIndex();
  const archived: string[] = [];
  const dependencies = {
    ...{ vault, index, retention: RETENTION, clock: () => NOW + 1 },
    stream: {
      async *readRange(): AsyncIterable<ConsumedRecord> {
        for (const n of held) yield consumed(n, runEventText({ note: 'canary-7f3e9d01' }));
      },
    },
    archiver: {
      isSound: async () => sound,
      async archive(_plane: string, { position: { sequenceNumber } }: ConsumedRecord) {
        const outcome = outcomes[sequenceNumber] ?? 'archived';
        if (outcome === 'archived') archived.push(sequenceNumber);
        return outcome;
      },
    },
  };
  const findings = () =>
    [...index.findingRows.values()].map(({ kind, subject, detail }) => ({
      kind,
      subject,
      ...detail,
    }));
  return {
    vault,
    index,
    archived,
    findings,
    run: (batch = BATCH) => redriveBatch(batch, dependencies),
  };
}

describe('redriving a failed batch', () => {
  it('archives its records one by one and finds nothing', async () => {
    const { run, archived, findings } = redrive({});
    expect(await run()).toEqual({ archived: 3, quarantined: 0 });
    expect(archived).toEqual(['1', '2', '3']);
    expect(findings()).toEqual([]);
  });

  it('names a record that crashes and archives its neighbours', async () => {
    const { run, archived, findings, index } = redrive({ 2: 'crashed' });
    expect(await run()).toEqual({ archived: 2, quarantined: 1 });
    expect(archived).toEqual(['1', '3']);
    expect(findings()).toEqual([
      { kind: 'accepted_not_stored', subject: 'receipt-2', reason: 'archive_crashed' },
    ]);
    expect(await index.delivery('receipt-2')).toMatchObject({ kind: 'quarantine' });
  });

  it('puts no byte of a crashing record anywhere', async () => {
    const { run, vault, index } = redrive({ 1: 'crashed' });
    await run();
    expect(
      JSON.stringify([vault.versions, [...index.deliveryRows], [...index.findingRows]]),
    ).not.toContain('canary');
  });

  it('wants the message again when a record was refused', async () => {
    const { run, archived } = redrive({ 2: 'refused' });
    await expect(run()).rejects.toThrow(UnavailableError);
    expect(archived).toEqual(['1']);
  });

  it('gives no record up to an archive function that is broken itself', async () => {
    const { run, vault, index } = redrive({ 1: 'crashed' }, [1, 2, 3], false);
    await expect(run()).rejects.toThrow(UnavailableError);
    expect([vault.versions, index.findingRows.size]).toEqual([[], 0]);
  });

  it.each([
    ['all of it is', []],
    ['its beginning is', [2, 3]],
    ['its end is', [1, 2]],
  ])('finds a batch of which %s gone from the stream', async (_what, held) => {
    const { run, findings } = redrive({}, held);
    await run();
    expect(findings()).toEqual([
      {
        kind: 'accepted_not_stored',
        subject: 'shardId-000000000000/1-3',
        reason: 'gone_from_stream',
      },
    ]);
  });

  it.each<Record<string, Outcome>>([{ 2: 'crashed' }, {}])(
    'writes nothing new when the message comes again (%j)',
    async (outcomes) => {
      const { run, vault, index } = redrive(outcomes, [2]);
      await run();
      const before = JSON.stringify([vault.versions, [...index.findingRows]]);
      await run();
      expect(JSON.stringify([vault.versions, [...index.findingRows]])).toBe(before);
    },
  );

  it('wants the message again when the vault does not take the quarantine', async () => {
    const { run, vault, index } = redrive({ 1: 'crashed' });
    vault.faults.refuse('putDocument');
    await expect(run()).rejects.toThrow(UnavailableError);
    expect(index.deliveryRows.size).toBe(0);
  });
});
