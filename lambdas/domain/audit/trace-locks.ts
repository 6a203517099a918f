import type { RunIndex } from '../ports.ts';
import type { Finding } from './findings.ts';
import type { Inspection } from './inspection.ts';

/** Every trace of a run must be locked at least as long as the run (a link into what expired first is none). */
export async function compareTraces(
  runKey: string,
  promised: string,
  index: RunIndex,
  inspection: Inspection,
) {
  const short: Array<{ runKey: string; traceId: string; detail: Finding['detail'] }> = [];
  const traceIds = new Set((await index.runTraces(runKey)).map(({ traceId }) => traceId));
  for (const traceId of traceIds) {
    const shorter: Array<{ receiptId: string; traceUntil: string }> = [];
    for (const { location, governed, receiptId } of await index.traceDeliveries(traceId)) {
      const state = governed ? await inspection.of(location) : undefined;
      if (state?.status === 'denied') continue;
      const actual = state?.status === 'present' ? (state.retainUntil ?? '') : '';
      if (Date.parse(actual || '1970-01-01') < Date.parse(promised)) {
        shorter.push({ receiptId, traceUntil: actual });
      }
    }
    // One finding a trace, of the delivery that goes first.
    const [first] = shorter.sort((a, b) => (a.traceUntil < b.traceUntil ? -1 : 1));
    if (!first) continue;
    const { receiptId, traceUntil } = first;
    short.push({
      runKey,
      traceId,
      detail: {
        receiptId,
        runUntil: promised,
        traceUntil: traceUntil || 'not locked',
        deliveries: shorter.length,
      },
    });
  }
  return { short, checked: traceIds.size };
}
