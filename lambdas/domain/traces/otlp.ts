import { InvalidEventError } from '../errors.ts';
import type { JsonDocument } from '../json/document.ts';
import { Kind, NONE, type Node } from '../json/scanner.ts';
import type { SpanRule, TraceDeviation } from './departures.ts';
import { type Span, SpanReader } from './span.ts';

/** A span and where it stands in its document. */
export interface OtlpSpan extends Span {
  readonly node: Node;
  /** The `resourceSpans` and `scopeSpans` items around it. */
  readonly resourceSpans: Node;
  readonly scopeSpans: Node;
}

/** Spans that could not be filed, by rule. */
export interface RejectedSpans {
  readonly rule: SpanRule;
  readonly count: number;
  /** Where the first of them stands. */
  readonly path: string;
}

export interface TraceExport {
  /** In the order sent. */
  readonly spans: readonly OtlpSpan[];
  readonly rejected: readonly RejectedSpans[];
  /** Named departures from the specification that were accepted, in alphabetical order. */
  readonly deviations: readonly TraceDeviation[];
}

/**
 * Finds the spans of an OTLP/JSON `ExportTraceServiceRequest`. A span whose ids cannot be read is
 * counted and left out; every other departure is accepted and named, unknown members included.
 * @param runIdAttributes names of span attributes that carry run ids; none is a standard yet
 * @throws InvalidEventError when the containers themselves have another shape
 */
export function readExport(
  document: JsonDocument,
  runIdAttributes: readonly string[] = [],
): TraceExport {
  if (!document.isObject(document.root)) {
    throw new InvalidEventError([{ path: '$', rule: 'export_is_not_an_object' }]);
  }
  const reader = new SpanReader(document, runIdAttributes);
  const spans: OtlpSpan[] = [];
  const rejected = new Map<SpanRule, RejectedSpans>();

  for (const [i, resourceSpans] of objects(
    document,
    reader,
    document.root,
    'resourceSpans',
    '$',
  ).entries()) {
    const path = `$.resourceSpans[${i}]`;
    for (const [j, scopeSpans] of objects(
      document,
      reader,
      resourceSpans,
      'scopeSpans',
      path,
    ).entries()) {
      const place = `${path}.scopeSpans[${j}]`;
      for (const [k, node] of array(document, reader, scopeSpans, 'spans', place).entries()) {
        const span = reader.read(node);
        if (typeof span !== 'string') spans.push({ ...span, node, resourceSpans, scopeSpans });
        else countRejected(rejected, span, `${place}.spans[${k}]`);
      }
    }
  }
  return {
    spans,
    rejected: [...rejected.values()],
    deviations: [...reader.deviations].sort(),
  };
}

function countRejected(rejected: Map<SpanRule, RejectedSpans>, rule: SpanRule, path: string): void {
  const before = rejected.get(rule);
  rejected.set(rule, before ? { ...before, count: before.count + 1 } : { rule, count: 1, path });
}

function objects(
  document: JsonDocument,
  reader: SpanReader,
  node: Node,
  name: string,
  path: string,
): Node[] {
  const items = array(document, reader, node, name, path);
  const odd = items.findIndex((item) => !document.isObject(item));
  if (odd !== -1) {
    throw new InvalidEventError([{ path: `${path}.${name}[${odd}]`, rule: 'required_object' }]);
  }
  return items;
}

function array(
  document: JsonDocument,
  reader: SpanReader,
  node: Node,
  name: string,
  path: string,
): Node[] {
  const found = reader.member(node, name);
  if (found === NONE) return [];
  if (document.kind(found) !== Kind.array) {
    throw new InvalidEventError([{ path: `${path}.${name}`, rule: 'required_array' }]);
  }
  return document.items(found);
}
