import type { JsonDocument } from '../json/document.ts';
import { Kind, NONE, type Node } from '../json/scanner.ts';
import { detect } from '../redaction/detectors.ts';
import { marker } from '../redaction/marker.ts';
import { isKeptAttribute } from '../redaction/span-policy.ts';
import { otlpMember } from './members.ts';
import { type OtlpSpan, readExport } from './otlp.ts';

/**
 * What is kept of the spans of a trace when the redactor could not finish: ids, parents, times, kind,
 * status code and the `lineage.*` attributes, each judged on its own; no name, no other text. Itself
 * OTLP/JSON, so that it is read like any other stored trace.
 */
export function skeletonOfSpans(document: JsonDocument): string {
  const spans = readExport(document).spans.map((span) => skeletonOf(document, span));
  return `{"resourceSpans":[{"scopeSpans":[{"spans":[${spans.join(',')}]}]}]}`;
}

function skeletonOf(document: JsonDocument, span: OtlpSpan): string {
  const { traceId, spanId, parentSpanId, startTimeUnixNano, endTimeUnixNano } = span;
  const { kind, statusCode } = span;
  return JSON.stringify({
    traceId,
    spanId,
    ...(parentSpanId !== undefined && { parentSpanId }),
    ...(span.parentIsRemote !== undefined && { flags: span.parentIsRemote ? 0x300 : 0x100 }),
    ...(kind !== undefined && { kind }),
    ...(startTimeUnixNano !== undefined && { startTimeUnixNano }),
    ...(endTimeUnixNano !== undefined && { endTimeUnixNano }),
    attributes: document
      .items(document.get(span.node, 'attributes'))
      .flatMap((attribute) => keptAttribute(document, attribute) ?? []),
    ...(statusCode !== undefined && { status: { code: statusCode } }),
  });
}

function keptAttribute(document: JsonDocument, attribute: Node): object | undefined {
  const key = document.string(document.get(attribute, 'key'));
  if (key === undefined || !isKeptAttribute(key)) return undefined;
  const value = document.get(attribute, 'value');
  const text = document.string(otlpMember(document, value, 'stringValue'));
  if (text !== undefined) return { key, value: { stringValue: safeText(text) } };
  const flag = otlpMember(document, value, 'boolValue');
  if (flag !== NONE && document.kind(flag) === Kind.literal) {
    return { key, value: { boolValue: document.raw(flag) === 'true' } };
  }
  const integer = otlpMember(document, value, 'intValue');
  const digits = integer === NONE ? undefined : (document.string(integer) ?? document.raw(integer));
  if (digits !== undefined && /^-?\d{1,20}$/.test(digits))
    return { key, value: { intValue: digits } };
  return { key };
}

function safeText(text: string): string {
  const rule = detect(text);
  return rule === undefined ? text : marker(rule);
}
