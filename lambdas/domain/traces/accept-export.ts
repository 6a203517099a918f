import { storeKey } from '../evidence/store-key.ts';
import { JsonDocument } from '../json/document.ts';
import { type RejectedSpans, readExport } from './otlp.ts';
import { firstByteOf, refuseExplosion, splitExport } from './split.ts';

/** One stream record's worth of an export: the spans whose trace ids share their first byte. */
export interface ExportPart {
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
  /** Told to the sender as partial success; it must not send them again. */
  readonly rejected: readonly RejectedSpans[];
  readonly deviations: readonly string[];
}

/**
 * Accepts an OTLP/JSON export: cut by first byte of the trace id, so that a thousand small traces
 * are at most 256 records, while archive finds whole traces of the export in one record.
 * @throws JsonSyntaxError, InvalidEventError or TooLargeError; each final for the sender
 */
export function acceptExport(text: string): AcceptedExport {
  const document = new JsonDocument(text);
  const { spans, rejected, deviations } = readExport(document);
  refuseExplosion(document, spans);
  const parts = splitExport(document, spans, firstByteOf);
  return {
    records: [...parts].map(([firstByte, part]) => ({
      firstByte,
      partitionKey: storeKey('trace-partition', firstByte),
      body: Buffer.from(part),
    })),
    acceptedSpans: spans.length,
    rejected,
    deviations,
  };
}
