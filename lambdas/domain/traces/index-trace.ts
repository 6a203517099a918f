import { uniqueBy } from '../collections.ts';
import { mapConcurrently } from '../concurrency.ts';
import { summariseRedaction } from '../evidence/index-entries.ts';
import type { Location } from '../evidence/ports.ts';
import type { Lock } from '../evidence/retention.ts';
import type { RunIndex } from '../evidence/run-index.ts';
import { runKeyOf } from '../openlineage/run-key.ts';
import type { TraceLine } from './trace-lines.ts';

/** A line and where it was put. */
export interface StoredTraceLine extends TraceLine {
  readonly location: Location;
  readonly leafHash: string;
  /** Of a staged line: the lock that it gets when it is promoted. */
  readonly lock: Lock;
  readonly governed: boolean;
}

/** Links of one line in flight, beside those of other lines; what the socket pool cannot take waits there. */
const CONCURRENT_LINKS = 16;

/**
 * Writes the rows of a stored line in the order that the join relies on: the delivery, then its links,
 * then the row by which the delivery is found and promoted.
 */
export async function indexTraceLine(line: StoredTraceLine, index: RunIndex): Promise<void> {
  const { envelope, traceId, spanCount, linksNotIndexed, location, leafHash, lock, governed } =
    line;
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
  await index.putDelivery({ ...stored, kind: 'trace', leafHash });
  await putLinks(line, index);
  const entry = {
    ...stored,
    digest,
    deviations,
    redaction: summariseRedaction(envelope.redaction),
    spanCount,
    ...(linksNotIndexed > 0 && { linksNotIndexed }),
  };
  await index.putTraceDelivery(entry);
  // An attempt that failed half-way may have staged this very delivery, and the first location wins.
  if (governed) await index.promoteTraceDelivery(entry, location, lock);
}

/** A link for every span that names a run, and that the run is named once, however many spans do. */
async function putLinks({ envelope, traceId, links }: TraceLine, index: RunIndex): Promise<void> {
  const { receiptId, submitter } = envelope;
  const { group } = submitter;
  const keyed = links.map((link) => ({ ...link, runKey: runKeyOf(link.runId) }));
  const writes = [
    ...keyed.map(
      (link) => () =>
        index.putTraceRun({ ...link, traceId, declaredBy: 'span', submitter, receiptId }),
    ),
    ...uniqueBy(keyed, ({ runKey }) => runKey).map(
      ({ runKey, runId }) =>
        () =>
          index.putReference({ runKey, runId, by: 'span', from: traceId, group, receiptId }),
    ),
  ];
  await mapConcurrently(writes, CONCURRENT_LINKS, (write) => write());
}
