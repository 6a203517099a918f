import { describe, expect, it } from 'vitest';
import { createHandler } from '../../../lambdas/archive/handler.ts';
import { createHandler as createTracesHandler } from '../../../lambdas/archive-traces/handler.ts';
import type { ArchiveDependencies } from '../../../lambdas/domain/evidence/archive-records.ts';
import type { ConsumedRecord } from '../../../lambdas/domain/evidence/consumed-record.ts';
import { prepareEvent } from '../../../lambdas/domain/openlineage/prepare-event.ts';
import { consumed, REDACTION, runEventText, wholeMinute } from '../../support/builders.ts';
import { kinesisEvent } from '../../support/kinesis-event.ts';
import { recorder } from '../../support/recorder.ts';
import { exportOf, recordOf, span } from '../traces/exports.ts';
import { createStore } from '../traces/store.ts';
import { archive } from './archive.ts';

const records = (...bodies: string[]) => bodies.map((body, n) => consumed(n, body));
const files = (filed: number): Partial<ArchiveDependencies> => ({
  prepare: (record) => ({ ...prepareEvent(record, REDACTION), filed }),
});

/** The receipts of each slice that is stored. */
function slicing(overrides: Partial<ArchiveDependencies> = {}) {
  const slices: string[][] = [];
  const store: ArchiveDependencies['store'] = async (dated) => {
    slices.push(dated.map(({ envelope }) => envelope.stream.sequenceNumber));
    return new Map();
  };
  const { run } = archive({ ...overrides, store });
  return { run, slices };
}

const SHORT = runEventText();
const LONG = runEventText({ note: 'x'.repeat(3 * 1024 * 1024) });

describe('a batch is archived in slices', () => {
  it('of one, when it holds little', async () => {
    const { run, slices } = slicing();
    await run(...records(...Array(200).fill(SHORT)));
    expect(slices).toHaveLength(1);
  });

  it('that end with the record that reaches the bound of characters', async () => {
    const { run, slices } = slicing();
    await run(...records(LONG, LONG, LONG, SHORT, LONG, LONG, 'oops', LONG, SHORT));
    expect(slices).toEqual([['0', '1', '2'], ['3', '4', '5', '7'], ['8']]);
  });

  it('that end with the record that reaches the bound of what is filed', async () => {
    const { run, slices } = slicing(files(2_000));
    await run(...records(...Array(7).fill(SHORT)));
    expect(slices).toEqual([['0', '1', '2'], ['3', '4', '5'], ['6']]);
  });

  it('that poison fills as well', async () => {
    const { run, slices } = slicing();
    const { quarantined } = await run(...records(...Array(1_001).fill('oops')));
    expect(quarantined).toBe(1_001);
    expect(slices).toEqual([[], []]);
  });

  it('that are cut in the same places when it comes again from the start of one', async () => {
    const { run, vault } = archive(files(2_000));
    const batch = records(...Array(7).fill(SHORT));
    await run(...batch);
    const keys = vault.versions.map(({ key }) => key);
    expect(keys).toHaveLength(3);
    await run(...batch);
    await run(...batch.slice(3));
    expect(vault.versions.map(({ key }) => key)).toEqual(keys);
  });

  it('and counts what all of them stored, skipped and failed', async () => {
    const { run, vault } = archive(files(2_000));
    vault.faults.refuse('putObject', 1);
    const outcome = await run(...records(SHORT, 'oops', SHORT, SHORT, SHORT));
    expect(outcome).toMatchObject({ stored: 4, quarantined: 1 });
    expect([...outcome.failures.keys()]).toEqual(['0', '2', '3']);
  });
});

/** A span that names 32 runs. */
const spanOfRuns = (n: number) =>
  span({
    spanId: String(n + 1).padStart(16, '0'),
    runIds: Array.from({ length: 32 }, (_, i) => `run-${i}`),
  });

describe('an invocation that runs out of time', () => {
  it('begins no slice and answers the rest as failed, for the next to go on', async () => {
    const { runWithin, index, vault } = archive(files(2_000));
    const batch = records(...Array(9).fill(SHORT));
    // 20 s for a slice, of which each puts one object
    const remaining = (begunWith: number) => () =>
      60_000 - 20_000 * (vault.versions.length - begunWith);
    const first = await runWithin(remaining(0), batch);
    expect([...first.failures]).toEqual(['6', '7', '8'].map((n) => [n, 'no_time_left']));
    expect(index.runEventRows.size).toBe(6);
    const second = await runWithin(remaining(2), batch.slice(6));
    expect(second.failures.size).toBe(0);
    expect(index.runEventRows.size).toBe(9);
    expect(vault.versions).toHaveLength(3);
  });

  it.each([0, 29_999])('begins one all the same with %i ms left', async (remaining) => {
    const { runWithin } = archive(files(2_000));
    const batch = records(...Array(4).fill(SHORT));
    const { stored, failures } = await runWithin(() => remaining, batch);
    expect([stored, [...failures.keys()]]).toEqual([3, ['3']]);
  });

  it.each([
    [
      'of datasets',
      'archive',
      (n: number) => {
        const outputs = Array.from({ length: 2_600 }, (_, i) => ({ namespace: 'n', name: `${i}` }));
        return consumed(n, runEventText({ outputs }));
      },
    ],
    [
      'of traces',
      'archive-traces',
      (n: number) =>
        recordOf(
          exportOf(
            ...Array.from({ length: 2_600 }, (_, i) =>
              span({ traceId: `ab${String(i).padStart(30, '0')}` }),
            ),
          ),
          n,
        ),
    ],
    [
      'of links',
      'archive-traces',
      (n: number) => recordOf(exportOf(...Array.from({ length: 90 }, (_, i) => spanOfRuns(i))), n),
    ],
  ])(
    'goes by what the records file: a flood %s leaves the rest for later',
    async (_what, name, record) => {
      const { dependencies: ports, index } = createStore();
      const { logger, metrics } = recorder();
      const create = name === 'archive' ? createHandler : createTracesHandler;
      const handler = create({ ...ports, logger, metrics });
      const batch: ConsumedRecord[] = [1, 2, 3].map(record);
      const answer = await handler(kinesisEvent(batch), { getRemainingTimeInMillis: () => 29_999 });
      const { sequenceNumber } = (batch[2] as ConsumedRecord).position;
      expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: sequenceNumber }] });
      expect(index.deliveryRows.size).toBeGreaterThan(0);
      const inTime = await handler(kinesisEvent(batch), { getRemainingTimeInMillis: wholeMinute });
      expect(inTime).toEqual({ batchItemFailures: [] });
    },
  );
});
