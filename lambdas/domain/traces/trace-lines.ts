import type { DatedEnvelope } from '../evidence/archive-records.ts';
import { JsonDocument } from '../json/document.ts';
import { shareLinks } from './link-budget.ts';
import { type OtlpSpan, readExport } from './otlp.ts';

/** A run id that a span carries. */
interface SpanRun {
  readonly spanId: string;
  readonly runId: string;
}

/** Envelope of one trace of one delivery, with what is filed of its spans. */
export interface TraceLine extends DatedEnvelope {
  readonly traceId: string;
  readonly spanCount: number;
  /** In span order, as many as the record may file. */
  readonly links: readonly SpanRun[];
  readonly linksNotIndexed: number;
}

/**
 * Reads the stored documents of one record, all its traces together: they share the bound of its links.
 * @param runIdAttributes names of span attributes that carry run ids
 */
export function readTraceLines(
  record: readonly DatedEnvelope[],
  runIdAttributes: readonly string[],
): TraceLine[] {
  const read = record.map((item) => {
    const { spans } = readExport(new JsonDocument(item.envelope.document), runIdAttributes);
    const { traceId } = spans[0] as OtlpSpan;
    const links = spans.flatMap(({ spanId, runIds }) => runIds.map((runId) => ({ spanId, runId })));
    return { ...item, traceId, spanCount: spans.length, links };
  });
  const shares = shareLinks(read.map(({ links }) => links.length));
  return read.map((line, at) => {
    const links = line.links.slice(0, shares[at]);
    return { ...line, links, linksNotIndexed: line.links.length - links.length };
  });
}
