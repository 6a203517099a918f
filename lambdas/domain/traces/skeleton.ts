import type { JsonDocument } from '../json/document.ts';
import { Kind, NONE, type Node } from '../json/scanner.ts';
import { attributeTreatment, isControlAttribute } from '../redaction/attribute-map.ts';
import type { ValueRedactor } from '../redaction/redact-value.ts';
import { otlpMember } from './members.ts';
import { type OtlpSpan, readExport } from './otlp.ts';

/**
 * What is kept of the spans of a trace when the redactor could not finish: ids, parents, times, kind,
 * status code and the `lineage.*` attributes, each judged on its own; no name, no other text. Itself
 * OTLP/JSON, so that it is read like any other stored trace.
 */
export function skeletonOfSpans(document: JsonDocument, redactor: ValueRedactor): string {
  const spans = readExport(document).spans.map((span) => skeletonOf(document, redactor, span));
  return `{"resourceSpans":[{"scopeSpans":[{"spans":[${spans.join(',')}]}]}]}`;
}

function skeletonOf(document: JsonDocument, redactor: ValueRedactor, span: OtlpSpan): string {
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
      .flatMap((attribute) => keptAttribute(document, redactor, attribute) ?? []),
    ...(statusCode !== undefined && { status: { code: statusCode } }),
  });
}

function keptAttribute(
  document: JsonDocument,
  redactor: ValueRedactor,
  attribute: Node,
): object | undefined {
  const key = document.string(document.get(attribute, 'key'));
  if (key === undefined || !isControlAttribute(key)) return undefined;
  const value = document.get(attribute, 'value');
  const text = document.string(otlpMember(document, value, 'stringValue'));
  if (text !== undefined) return { key, value: { stringValue: safeText(redactor, key, text) } };
  const flag = otlpMember(document, value, 'boolValue');
  if (flag !== NONE && document.kind(flag) === Kind.literal) {
    return { key, value: { boolValue: document.raw(flag) === 'true' } };
  }
  const integer = otlpMember(document, value, 'intValue');
  const digits = integer === NONE ? undefined : (document.string(integer) ?? document.raw(integer));
  const isSafe = digits !== undefined && /^-?\d{1,20}$/.test(digits);
  return isSafe && !redactor.redact(digits, 'scan')
    ? { key, value: { intValue: digits } }
    : { key };
}

function safeText(redactor: ValueRedactor, key: string, text: string): string {
  const treatment = attributeTreatment(key) === 'identity' ? 'identity' : 'scan';
  return redactor.redact(text, treatment)?.text ?? text;
}
