import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { promoteTrace } from '../../../lambdas/domain/traces/promote.ts';
import { exportOf, recordOf, SPAN_2, span, TRACE_A, TRACE_B } from './exports.ts';
import { createStore } from './store.ts';

const DAY_MILLIS = 86_400_000;

async function staged() {
  const store = createStore();
  await store.archiveTraces(
    recordOf(exportOf(span(), span({ traceId: TRACE_B })), 1),
    recordOf(exportOf(span({ spanId: SPAN_2 })), 2),
  );
  const traces = () => store.vault.versions.filter(({ key }) => key.startsWith('traces/'));
  return { ...store, traces, promote: () => promoteTrace(TRACE_A, store.dependencies) };
}

describe('promoteTrace', () => {
  it('copies each staged delivery of the trace, and of no other, under the lock that was promised', async () => {
    const { promote, traces, index } = await staged();

    expect(await promote()).toMatchObject({ promoted: ['receipt-1', 'receipt-2'], findings: [] });

    expect(traces()).toHaveLength(2);
    for (const { lock } of traces())
      expect(lock).toMatchObject({ mode: 'GOVERNANCE', retainUntil: '2027-01-05T00:00:00.000Z' });
    expect(await index.traceDeliveries(TRACE_B)).toMatchObject([{ governed: false }]);
  });

  it('changes nothing the second time, also when the first time ended half-way', async () => {
    const { promote, traces, index } = await staged();
    index.faults.refuse('promoteTraceDelivery');
    await expect(promote()).rejects.toMatchObject({ code: 'promoteTraceDelivery_unavailable' });

    await promote();
    const versions = traces().map(({ versionId }) => versionId);

    expect(versions).toHaveLength(2);
    expect(await promote()).toEqual({ promoted: [], findings: [] });
    expect(traces().map(({ versionId }) => versionId)).toEqual(versions);
  });

  it('locks no shorter than the vault takes, however long the delivery waited', async () => {
    const { promote, traces, time } = await staged();
    time.now += 60 * DAY_MILLIS;

    await promote();

    expect(traces()[0]?.lock).toMatchObject({
      retainUntil: '2027-01-31T00:00:00.000Z',
      clamped: true,
    });
  });

  it('opens a finding for a staged delivery that is gone and goes on', async () => {
    const { promote, staging, index, vault } = await staged();
    staging.remove(staging.versions[0] as (typeof staging.versions)[number]);

    const { promoted, findings } = await promote();

    expect(promoted).toEqual([]);
    expect(findings.map(({ kind, subject }) => [kind, subject])).toEqual([
      ['staged_trace_expired', `receipt-1/${TRACE_A}`],
      ['staged_trace_expired', `receipt-2/${TRACE_A}`],
    ]);
    expect(index.findingRows.size).toBe(2);
    await promote();
    expect(vault.versions.filter(({ key }) => key.startsWith('findings/'))).toHaveLength(2);
  });

  it('believes no staged object whose content is not what its key says', async () => {
    const { promote, staging, traces } = await staged();
    const [version] = staging.versions;
    const forged = {
      receiptId: 'receipt-1',
      traceId: TRACE_A,
      acceptedAt: '2020-01-01T00:00:00Z',
      document: '{}',
    };
    staging.overwrite(
      version as NonNullable<typeof version>,
      gzipSync(`${JSON.stringify(forged)}\n`),
    );

    const { promoted, findings } = await promote();

    expect(promoted).toEqual([]);
    expect(new Set(findings.map(({ kind }) => kind))).toEqual(new Set(['staged_trace_altered']));
    expect(traces()).toEqual([]);
  });
});
