import { errorCode } from '../errors.ts';
import type { ConsumedRecord, Prepared } from '../evidence/consumed-record.ts';
import { createEnvelope } from '../evidence/envelope.ts';
import { quarantine } from '../evidence/quarantine.ts';
import { decodeStreamRecord } from '../evidence/stream-record.ts';
import { JsonDocument } from '../json/document.ts';
import { dialectOfEvent } from '../redaction/event-dialect.ts';
import { eventPlaces } from '../redaction/event-places.ts';
import { type RedactionSettings, redactOrReduce } from '../redaction/redact-or-reduce.ts';
import { indexedDatasets, readDatasets } from './datasets.ts';
import { judgeEvent, readEvent } from './event.ts';
import { skeletonOf } from './skeleton.ts';

/**
 * Turns a stream record into its stored line. Never throws: an event that cannot be redacted is kept
 * as a skeleton, one that cannot even be read is quarantined, so that no record can hold up its shard.
 */
export function prepareEvent(record: ConsumedRecord, settings: RedactionSettings): Prepared {
  try {
    const { head, body } = decodeStreamRecord(record.data);
    const document = new JsonDocument(Buffer.from(body).toString('utf8'));
    const event = judgeEvent(document);
    const dialect = dialectOfEvent(document, settings.policy.dialectFor);
    const places = eventPlaces(settings.policy, dialect);
    const stored = redactOrReduce(document, places, settings, skeletonOf);
    // Rows are made from what is stored: if its identity did not survive, that must show here and not there.
    const storedDocument = new JsonDocument(stored.text);
    readEvent(storedDocument, event.kind);
    const envelope = createEnvelope({
      head,
      receivedBytes: body.length,
      stream: record.position,
      kind: event.kind,
      redaction: stored.redaction,
      facts: stored.facts,
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
