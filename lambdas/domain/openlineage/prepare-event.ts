import { errorCode } from '../errors.ts';
import { type ConsumedRecord, type Prepared, quarantine } from '../evidence/consumed-record.ts';
import { createEnvelope, type Redaction } from '../evidence/envelope.ts';
import { decodeStreamRecord } from '../evidence/stream-record.ts';
import { JsonDocument } from '../json/document.ts';
import { eventPolicy } from '../redaction/event-policy.ts';
import { redactWholeValues, type ValuePolicy } from '../redaction/whole-value.ts';
import { readEvent } from './event.ts';
import { skeletonOf } from './skeleton.ts';

/**
 * Turns a stream record into its stored line. Never throws: an event that cannot be redacted is kept
 * as a skeleton, one that cannot even be read is quarantined, so that no record can hold up its shard.
 */
export function prepareEvent(record: ConsumedRecord, policy: ValuePolicy = eventPolicy): Prepared {
  try {
    const { head, body } = decodeStreamRecord(record.data);
    const document = new JsonDocument(Buffer.from(body).toString('utf8'));
    const event = readEvent(document);
    const stored = redactOrReduce(document, policy);
    const envelope = createEnvelope({
      head,
      receivedBytes: body.length,
      stream: record.position,
      kind: event.kind,
      redaction: stored.redaction,
      deviations: event.deviations,
      document: stored.text,
    });
    return {
      position: record.position,
      arrivedAtMillis: record.arrivedAtMillis,
      envelopes: [envelope],
    };
  } catch (error) {
    return quarantine(record, errorCode(error));
  }
}

function redactOrReduce(
  document: JsonDocument,
  policy: ValuePolicy,
): { text: string; redaction: Redaction } {
  try {
    const { text, fields } = redactWholeValues(document, policy);
    return { text, redaction: { policy: policy.id, mode: 'full', fields } };
  } catch {
    const redaction: Redaction = { policy: policy.id, mode: 'skeleton', fields: [] };
    return { text: skeletonOf(document), redaction };
  }
}
