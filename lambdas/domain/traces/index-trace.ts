import { mapConcurrently } from '../concurrency.ts';
import type { DatedEnvelope } from '../evidence/archive-records.ts';
import { summariseRedaction } from '../evidence/index-entries.ts';
import type { Lock } from '../evidence/retention.ts';
import { runKeyOf } from '../openlineage/run-key.ts';
import type { Location, RunIndex } from '../ports.ts';
import type { OtlpSpan } from './otlp.ts';

/** Envelope of one trace of one delivery, with the spans in it. */
export interface TraceLine extends DatedEnvelope {
  readonly traceId: string;
  readonly spans: readonly OtlpSpan[];
}

/** A line and where it was put. */
export interface StoredTraceLine extends TraceLine {
  readonly location: Location;
  /** Of a staged line: the lock that it gets when it is promoted. */
  readonly lock: Lock;
  readonly governed: boolean;
}

/** Links of one line in flight, beside those of other lines. */
const CONCURRENT_LINKS = 4;

/**
 * Writes the rows of a stored line in the order that the join relies on: the delivery, then its links,
 * then the row by which the delivery is found and promoted.
 */
export async function indexTraceLine(line: StoredTraceLine, index: RunIndex): Promise<void> {
  const { envelope, traceId, spans, location, lock, governed } = line;
  const { receiptId, acceptedAt, submitter, retentionClass, digest, deviations } = envelope;
  const receivedHmac = envelope.received.hmac;
  const stored = {
    receiptId,
    acceptedAt,
    submitter,
    location,
    lock,
    retentionClass,
    receivedHmac,
    traceId,
    governed,
  };
  await index.putDelivery({ ...stored, kind: 'trace' });
  const links = spans.flatMap(({ spanId, runIds }) => runIds.map((runId) => ({ spanId, runId })));
  await mapConcurrently(links, CONCURRENT_LINKS, async ({ spanId, runId }) => {
    const runKey = runKeyOf(runId);
    await index.putTraceRun({
      traceId,
      spanId,
      runId,
      runKey,
      declaredBy: 'span',
      submitter,
      receiptId,
    });
    await index.putReference({
      runKey,
      runId,
      by: 'span',
      from: traceId,
      group: submitter.group,
      receiptId,
    });
  });
  const entry = {
    ...stored,
    digest,
    deviations,
    redaction: summariseRedaction(envelope.redaction),
    spanCount: spans.length,
  };
  await index.putTraceDelivery(entry);
  // An attempt that failed half-way may have staged this very delivery, and the first location wins.
  if (governed) await index.promoteTraceDelivery(entry, location, lock);
}
