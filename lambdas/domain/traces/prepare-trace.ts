import { sum } from '../collections.ts';
import { errorCode, UnreadableRecordError } from '../errors.ts';
import type { ConsumedRecord, Prepared } from '../evidence/consumed-record.ts';
import { createEnvelope, type Envelope, listedCharacters } from '../evidence/envelope.ts';
import { quarantine } from '../evidence/quarantine.ts';
import { decodeStreamRecord, type RecordHead } from '../evidence/stream-record.ts';
import { JsonDocument } from '../json/document.ts';
import { type RedactionSettings, redactOrReduce, reduce } from '../redaction/redact-or-reduce.ts';
import { spanPlaces } from '../redaction/span-places.ts';
import { MAX_INDEXED_LINKS } from './link-budget.ts';
import { readExport } from './otlp.ts';
import { skeletonOfSpans } from './skeleton.ts';
import { splitExport, traceOf } from './split.ts';

/**
 * What is redacted of a resource is listed again in each of its traces: 100 KB of secrets above 255 traces are seven
 * million changes. A record lists as much as a single document may; its further traces are stored as skeletons.
 */
const MAX_LISTED_CHARACTERS = 8 * 1024 * 1024;

/**
 * Turns a stream record into one stored line per trace in it; the lines share a receipt and a stream
 * position and differ by trace id. Never throws: what cannot be redacted is kept as a skeleton, what
 * cannot be read is quarantined.
 * @param runIdAttributes names of span attributes that carry run ids
 */
export function prepareTraces(
  record: ConsumedRecord,
  settings: RedactionSettings,
  runIdAttributes: readonly string[] = [],
): Prepared {
  const { position, arrivedAtMillis } = record;
  try {
    const { head, body } = decodeStreamRecord(record.data);
    const document = new JsonDocument(Buffer.from(body).toString('utf8'));
    const { spans, rejected } = readExport(document, runIdAttributes);
    // Ingest let only spans through that can be filed: a record without one, or with others, is not ours.
    if (spans.length === 0) throw new UnreadableRecordError('no_span');
    const deviations = rejected.map(({ rule }) => `left_out_${rule}`);
    const places = spanPlaces(settings.policy, runIdAttributes);
    let listed = 0;
    const envelopes = [...splitExport(document, spans, traceOf)].map(([traceId, text]) => {
      const isReduced = listed >= MAX_LISTED_CHARACTERS;
      const part = { record, head, traceId, text, deviations, settings, places, isReduced };
      const envelope = envelopeOf(part);
      listed += listedCharacters(envelope.redaction);
      return envelope;
    });
    const links = sum(spans.map(({ runIds }) => runIds.length));
    const filed = envelopes.length + Math.min(links, MAX_INDEXED_LINKS);
    return { position, arrivedAtMillis, envelopes, filed };
  } catch (error) {
    return quarantine(record, errorCode(error));
  }
}

interface Part {
  readonly record: ConsumedRecord;
  readonly head: RecordHead;
  readonly traceId: string;
  /** The export cut down to one trace. */
  readonly text: string;
  readonly deviations: readonly string[];
  readonly settings: RedactionSettings;
  readonly places: ReturnType<typeof spanPlaces>;
  readonly isReduced: boolean;
}

function envelopeOf({
  record,
  head,
  traceId,
  text,
  deviations,
  settings,
  places,
  isReduced,
}: Part): Envelope {
  const document = new JsonDocument(text);
  const stored = isReduced
    ? reduce(document, settings, skeletonOfSpans, 'too_many_redactions')
    : redactOrReduce(document, places, settings, skeletonOfSpans);
  return createEnvelope({
    head,
    receivedBytes: Buffer.byteLength(text),
    stream: record.position,
    kind: 'trace',
    traceId,
    redaction: stored.redaction,
    facts: stored.facts,
    deviations: [...deviations, ...readExport(document).deviations],
    document: stored.text,
  });
}
