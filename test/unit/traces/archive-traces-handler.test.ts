import { describe, expect, it, vi } from 'vitest';
import { createHandler } from '../../../lambdas/archive-traces/handler.ts';
import { wholeMinute } from '../../support/builders.ts';
import { kinesisEvent } from '../../support/kinesis-event.ts';
import { exportOf, recordOf, span, TRACE_A, TRACE_B } from './exports.ts';
import { createStore } from './store.ts';

describe('archive-traces', () => {
  it('stores what it can, quarantines poison and asks only for what failed', async () => {
    const { dependencies, index, vault } = createStore();
    const logger = { info: vi.fn(), warn: vi.fn() };
    const metrics = { addMetric: vi.fn(), publishStoredMetrics: vi.fn() };
    const handler = createHandler({ ...dependencies, logger, metrics });
    const poison = recordOf('{"resourceSpans":[canary', 2);
    const refused = recordOf(exportOf(span({ traceId: TRACE_B })), 3);
    index.faults.refuse('putTraceRun', 1);

    const answer = await handler(
      kinesisEvent([
        recordOf(exportOf(span()), 1),
        poison,
        recordOf(exportOf(span({ traceId: TRACE_B, runIds: ['r'] })), 4),
        refused,
      ]),
      { getRemainingTimeInMillis: wholeMinute },
    );

    expect(await index.traceDeliveries(TRACE_A)).toHaveLength(1);
    expect(answer).toEqual({ batchItemFailures: [{ itemIdentifier: '49000004' }] });
    const quarantined = vault.versions.filter(({ key }) => key.startsWith('quarantine/'));
    expect(quarantined).toHaveLength(1);
    expect(JSON.stringify([logger.info.mock.calls, logger.warn.mock.calls])).not.toContain(
      'canary',
    );
    expect(vault.versions.some(({ body }) => Buffer.from(body).includes('canary'))).toBe(false);
  });
});
