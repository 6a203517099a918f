import { TooLargeError } from '../errors.ts';
import type { JsonDocument } from '../json/document.ts';
import { NONE, type Node } from '../json/scanner.ts';
import type { OtlpSpan } from './otlp.ts';
import { ExportShells, type Shell } from './shell.ts';

/**
 * Resource and scope are repeated for every trace, so 512 traces with a 20 KB resource become 10 MB,
 * which is fine (repeats compress to nothing), and 10,000 traces with a 1 MB resource would become
 * 10 GB. Ingest refuses an export that would grow beyond this with 413; nothing accepted is ever cut.
 */
const MAX_SPLIT_CHARACTERS = 32 * 1024 * 1024;

/** What a trace of an export costs beside its text: an envelope and its index rows. */
const CHARACTERS_PER_TRACE = 1_024;

export function traceOf({ traceId }: OtlpSpan): string {
  return traceId;
}

/** The first byte of the trace id, two hex digits: what the spans of one stream record share. */
export function firstByteOf({ traceId }: OtlpSpan): string {
  return traceId.slice(0, 2);
}

/**
 * Cuts an export into one export per key. Each holds its spans and everything around them to the
 * byte: resource, scope, schema URLs and members that OTLP does not know. Linear in what comes out.
 */
export function splitExport(
  document: JsonDocument,
  spans: readonly OtlpSpan[],
  keyOf: (span: OtlpSpan) => string,
): ReadonlyMap<string, string> {
  const shells = new ExportShells(document);
  const parts = new Map<string, PartWriter>();
  for (const span of spans) {
    const key = keyOf(span);
    let part = parts.get(key);
    if (!part) {
      part = new PartWriter(shells);
      parts.set(key, part);
    }
    part.add(span, document.raw(span.node));
  }
  return new Map([...parts].map(([key, part]) => [key, part.end()]));
}

/** @throws TooLargeError when the export would grow beyond {@link MAX_SPLIT_CHARACTERS} cut by trace */
export function refuseExplosion(document: JsonDocument, spans: readonly OtlpSpan[]): void {
  const shells = new ExportShells(document);
  const lengthOf = ({ head, tail }: Shell) => head.length + tail.length;
  const last = new Map<string, OtlpSpan>();
  let total = 0;
  for (const span of spans) {
    const before = last.get(span.traceId);
    if (!before) total += lengthOf(shells.root()) + CHARACTERS_PER_TRACE;
    if (before?.resourceSpans !== span.resourceSpans)
      total += lengthOf(shells.resourceSpans(span.resourceSpans));
    if (before?.scopeSpans !== span.scopeSpans)
      total += lengthOf(shells.scopeSpans(span.scopeSpans));
    total += document.end(span.node) - document.start(span.node);
    last.set(span.traceId, span);
    if (total > MAX_SPLIT_CHARACTERS)
      throw new TooLargeError('the export, cut by trace,', MAX_SPLIT_CHARACTERS);
  }
}

/** Writes one part; spans come in the order of the export, so a shell is opened once and never again. */
class PartWriter {
  readonly #shells: ExportShells;
  #text: string;
  #resourceSpans: Node = NONE;
  #scopeSpans: Node = NONE;

  constructor(shells: ExportShells) {
    this.#shells = shells;
    this.#text = shells.root().head;
  }

  add(span: OtlpSpan, raw: string): void {
    if (span.scopeSpans === this.#scopeSpans) {
      this.#text += `,${raw}`;
      return;
    }
    if (span.resourceSpans !== this.#resourceSpans) {
      const first = this.#resourceSpans === NONE;
      this.#text += `${this.#closeResource()}${first ? '' : ','}${this.#shells.resourceSpans(span.resourceSpans).head}`;
    } else {
      this.#text += `${this.#shells.scopeSpans(this.#scopeSpans).tail},`;
    }
    this.#text += this.#shells.scopeSpans(span.scopeSpans).head + raw;
    this.#resourceSpans = span.resourceSpans;
    this.#scopeSpans = span.scopeSpans;
  }

  end(): string {
    return this.#text + this.#closeResource() + this.#shells.root().tail;
  }

  #closeResource(): string {
    if (this.#resourceSpans === NONE) return '';
    return (
      this.#shells.scopeSpans(this.#scopeSpans).tail +
      this.#shells.resourceSpans(this.#resourceSpans).tail
    );
  }
}
