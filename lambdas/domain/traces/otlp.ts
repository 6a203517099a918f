import { InvalidEventError } from '../errors.ts';
import type { JsonDocument } from '../json/document.ts';
import { Kind, NONE, type Node } from '../json/scanner.ts';
import type { SpanRule, TraceDeviation, TraceRefusal } from './departures.ts';
import { hasOtherMembers, isWrittenTwice, otlpMember } from './members.ts';
import { type Span, SpanReader } from './span.ts';

/** A span and where it stands in its document. */
export interface OtlpSpan extends Span {
  readonly node: Node;
  /** The `resourceSpans` and `scopeSpans` items around it. */
  readonly resourceSpans: Node;
  readonly scopeSpans: Node;
}

/** Spans, and containers counted as one each, that could not be filed, by rule. */
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

/** A level of an export: the member with the items, and the others that OTLP 1.9.0 knows. */
interface Level {
  readonly items: string;
  readonly others: readonly string[];
}

const EXPORT: Level = { items: 'resourceSpans', others: [] };
const RESOURCE_SPANS: Level = { items: 'scopeSpans', others: ['resource', 'schemaUrl'] };
const SCOPE_SPANS: Level = { items: 'spans', others: ['scope', 'schemaUrl'] };

/** What `scopeSpans` was until OTLP 0.15. */
const OLD_SCOPE_SPANS = 'instrumentationLibrarySpans';

/**
 * Finds the spans of an OTLP/JSON `ExportTraceServiceRequest`. A span whose ids cannot be read, and a
 * container that has another shape or nothing that OTLP knows, is counted and left out; every other
 * departure is accepted and named, unknown members included.
 * @param runIdAttributes names of span attributes that carry run ids; none is a standard yet
 * @throws InvalidEventError when it is no object, when containers are there twice, or under the name of
 *   before 0.15: whatever is read of it, spans would be lost
 */
export function readExport(
  document: JsonDocument,
  runIdAttributes: readonly string[] = [],
): TraceExport {
  if (!document.isObject(document.root)) throw refusal('$', 'export_is_not_an_object');
  return new ExportReader(document, new SpanReader(document, runIdAttributes)).read();
}

class ExportReader {
  readonly #document: JsonDocument;
  readonly #reader: SpanReader;
  readonly #spans: OtlpSpan[] = [];
  readonly #rejected = new Map<SpanRule, RejectedSpans>();
  /** Spans filed or rejected, and containers rejected. */
  #counted = 0;

  constructor(document: JsonDocument, reader: SpanReader) {
    this.#document = document;
    this.#reader = reader;
  }

  read(): TraceExport {
    this.#objects(this.#document.root, '$', EXPORT, (resourceSpans, path) => {
      this.#refuseOldScopeSpans(resourceSpans, path);
      this.#objects(resourceSpans, path, RESOURCE_SPANS, (scopeSpans, place) => {
        this.#items(scopeSpans, place, SCOPE_SPANS, (node, index) => {
          const span = this.#reader.read(node);
          if (typeof span === 'string') return this.#reject(span, `${place}.spans[${index}]`);
          this.#counted++;
          this.#spans.push({ ...span, node, resourceSpans, scopeSpans });
        });
      });
    });
    return {
      spans: this.#spans,
      rejected: [...this.#rejected.values()],
      deviations: [...this.#reader.deviations].sort(),
    };
  }

  #objects(node: Node, path: string, level: Level, read: (item: Node, path: string) => void): void {
    this.#items(node, path, level, (item, index) => {
      const place = `${path}.${level.items}[${index}]`;
      if (this.#document.isObject(item)) read(item, place);
      else this.#reject('required_object', place);
    });
  }

  /** Reads the items of a container, which has been counted for something when it may hold anything. */
  #items(
    node: Node,
    path: string,
    { items, others }: Level,
    read: (item: Node, index: number) => void,
  ): void {
    const document = this.#document;
    const before = this.#counted;
    const place = `${path}.${items}`;
    if (isWrittenTwice(document, node, items)) throw refusal(place, 'duplicate_member');
    const list = this.#reader.member(node, items);
    if (list !== NONE && document.kind(list) !== Kind.array) this.#reject('required_array', place);
    document.items(list).forEach(read);
    if (!hasOtherMembers(document, node, [items, ...others])) return;
    if (this.#counted === before) this.#reject('no_known_container', path);
    else this.#reader.deviations.add('unknown_container_members');
  }

  #refuseOldScopeSpans(node: Node, path: string): void {
    const document = this.#document;
    const list = otlpMember(document, node, OLD_SCOPE_SPANS);
    // Of two, the one that is not read may hold spans.
    const isTwice = isWrittenTwice(document, node, OLD_SCOPE_SPANS);
    if (!isTwice && (list === NONE || isEmpty(document, list))) return;
    throw refusal(`${path}.${OLD_SCOPE_SPANS}`, 'instrumentation_library_spans');
  }

  #reject(rule: SpanRule, path: string): void {
    this.#counted++;
    const before = this.#rejected.get(rule);
    const count = (before?.count ?? 0) + 1;
    this.#rejected.set(rule, { path, ...before, rule, count });
  }
}

/** Whether a list is `null`, which counts as absent, or has no item. */
function isEmpty(document: JsonDocument, list: Node): boolean {
  if (document.kind(list) === Kind.array) return document.next(list) === list + 1;
  return document.raw(list) === 'null';
}

function refusal(path: string, rule: TraceRefusal): InvalidEventError {
  return new InvalidEventError([{ path, rule }]);
}
