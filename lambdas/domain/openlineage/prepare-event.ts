import { errorCode } from '../errors.ts';
import type { ConsumedRecord, Prepared } from '../evidence/consumed-record.ts';
import { createEnvelope } from '../evidence/envelope.ts';
import { quarantine } from '../evidence/quarantine.ts';
import { decodeStreamRecord } from '../evidence/stream-record.ts';
import { JsonDocument } from '../json/document.ts';
import { eventPolicy } from '../redaction/event-policy.ts';
import { redactOrReduce } from '../redaction/redact-or-reduce.ts';
import type { ValuePolicy } from '../redaction/whole-value.ts';
import { indexedDatasets, readDatasets } from './datasets.ts';
import { judgeEvent, readEvent } from './event.ts';
import { skeletonOf } from './skeleton.ts';

/**
 * Turns a stream record into its stored line. Never throws: an event that cannot be redacted is kept
 * as a skeleton, one that cannot even be read is quarantined, so that no record can hold up its shard.
 */
export function prepareEvent(record: ConsumedRecord, policy: ValuePolicy = eventPolicy): Prepared {
  try {
    const { head, body } = decodeStreamRecord(record.data);
    const document = new JsonDocument(Buffer.from(body).toString('utf8'));
    const event = judgeEvent(document);
    const stored = redactOrReduce(document, policy, skeletonOf);
    // Rows are made from what is stored: if its identity did not survive, that must show here and not there.
    const storedDocument = new JsonDocument(stored.text);
    readEvent(storedDocument, event.kind);
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
      filed: indexedDatasets(readDatasets(storedDocument)).length,
    };
  } catch (error) {
    return quarantine(record, errorCode(error));
  }
}
