import { InvalidEventError } from '../errors.ts';
import { JsonDocument } from '../json/document.ts';
import { findOddities } from '../json/oddities.ts';
import { storeKey } from '../store-key.ts';
import type { TraceDeviation } from './departures.ts';
import { type OtlpSpan, type RejectedSpans, readExport } from './otlp.ts';
import { firstByteOf, refuseExplosion, splitExport } from './split.ts';

/**
 * A trace costs up to nine calls of the table, so that archive takes 15 seconds of its minute for
 * these. Random ids never come near it: only chosen ones share their first byte by the thousand.
 */
const MAX_TRACES_PER_RECORD = 5_000;

/** One stream record's worth of an export: spans whose trace ids share their first byte. */
interface ExportPart {
  /** Two hex digits. */
  readonly firstByte: string;
  /** Keeps the deliveries of a trace on one shard; 256 keys, hashed so that they spread over all shards. */
  readonly partitionKey: string;
  /** OTLP/JSON text of a whole export, for `encodeStreamRecord`. */
  readonly body: Uint8Array;
}

export interface AcceptedExport {
  /** Empty for an export without a span: nothing to keep, and a success (evidence.md 5.2). */
  readonly records: readonly ExportPart[];
  readonly acceptedSpans: number;
  /** What the store has to do for it goes by traces, and so does what it costs of a rate limit. */
  readonly traces: number;
  /** Told to the sender as partial success; it must not send them again. */
  readonly rejected: readonly RejectedSpans[];
  readonly deviations: readonly TraceDeviation[];
}

/**
 * Accepts an OTLP/JSON export: cut by first byte of the trace id, so that a thousand small traces
 * are at most 256 records, while archive finds whole traces of the export in one record. No record
 * has more traces than archive can file.
 * @param rejectedBefore what the text shows nothing of any more, to be told with the rest
 * @throws JsonSyntaxError, InvalidEventError or TooLargeError; each final for the sender
 */
export function acceptExport(
  text: string,
  rejectedBefore: readonly RejectedSpans[] = [],
): AcceptedExport {
  const document = new JsonDocument(text);
  const { spans, deviations, ...read } = readExport(document);
  const rejected = [...read.rejected, ...rejectedBefore];
  if (spans.length === 0) refuseMalformed(rejected);
  refuseExplosion(document, spans);
  const recordOf = recordsByTrace(spans);
  const parts = splitExport(document, spans, ({ traceId }) => recordOf.get(traceId) as string);
  return {
    records: [...parts].map(([record, part]) => {
      const firstByte = record.slice(0, 2);
      return {
        firstByte,
        partitionKey: storeKey('trace-partition', firstByte),
        body: Buffer.from(part),
      };
    }),
    acceptedSpans: spans.length,
    traces: recordOf.size,
    rejected,
    deviations: findOddities(document).has('duplicate_keys')
      ? ['duplicate_keys', ...deviations]
      : deviations,
  };
}

/**
 * A partial success of which nothing is left would hide that the sender writes ids in a form that is
 * not OTLP's, such as base64, or no export at all: the collector refuses such ids too. Spans without an id are
 * counted only.
 */
function refuseMalformed(rejected: readonly RejectedSpans[]): void {
  const malformed = rejected.filter(({ rule }) => !rule.endsWith('_missing'));
  if (malformed.length === 0) return;
  throw new InvalidEventError(malformed.map(({ path, rule }) => ({ path, rule })));
}

/** The record of each trace: the first byte of its id, and a number for those that are too many for one. */
function recordsByTrace(spans: readonly OtlpSpan[]): ReadonlyMap<string, string> {
  const records = new Map<string, string>();
  const traces = new Map<string, number>();
  for (const span of spans) {
    if (records.has(span.traceId)) continue;
    const firstByte = firstByteOf(span);
    const before = traces.get(firstByte) ?? 0;
    traces.set(firstByte, before + 1);
    records.set(span.traceId, `${firstByte}-${Math.floor(before / MAX_TRACES_PER_RECORD)}`);
  }
  return records;
}
