import { JsonDocument } from '../json/document.ts';
import { readExport } from './otlp.ts';
import { ExportShells, type Shell } from './shell.ts';
import type { Span } from './span.ts';

/** A stored export of one trace and the delivery it came with. */
export interface StoredExport {
  readonly receiptId: string;
  /** OTLP/JSON text. */
  readonly document: string;
}

/** A span as it was delivered: each content of a span id once. */
export interface MergedSpan extends Span {
  readonly receiptIds: string[];
}

export interface MergedExports {
  /**
   * OTLP/JSON of all deliveries as one export; numbers and spans to the byte as stored, but for
   * `NaN` and the infinities: JSON does not know them, so they are the strings of OTLP/JSON.
   */
  readonly json: string;
  readonly spans: readonly MergedSpan[];
  /** Spans that `json` leaves out, because it would be longer than the bound. */
  readonly leftOut: number;
}

/** Lambda answers at most 6 MB; four million characters leave room for what is not ASCII and for the rest of the answer. */
const MAX_MERGED_CHARACTERS = 4_000_000;

/** Spans below the same scope below the same resource, equal to the byte. */
interface Group {
  readonly shell: Shell;
  readonly children: Map<string, Group>;
  readonly spans: string[];
}

/** Merges the deliveries of one trace. A span delivered twice is one span of two deliveries. */
export function mergeExports(
  exports: readonly StoredExport[],
  maxCharacters = MAX_MERGED_CHARACTERS,
): MergedExports {
  const root: Group = {
    shell: { head: '{"resourceSpans":[', tail: ']}' },
    children: new Map(),
    spans: [],
  };
  const merged = new Map<string, MergedSpan>();
  let characters = 0;
  let leftOut = 0;

  for (const { receiptId, document: text } of exports) {
    const document = new JsonDocument(text);
    const shells = new ExportShells(document);
    for (const { node, resourceSpans, scopeSpans, ...span } of readExport(document).spans) {
      const raw = document.raw(node);
      const key = JSON.stringify([span.spanId, raw]);
      const known = merged.get(key);
      if (known) {
        if (known.receiptIds.at(-1) !== receiptId) known.receiptIds.push(receiptId);
        continue;
      }
      merged.set(key, { ...span, receiptIds: [receiptId] });
      const path = [shells.resourceSpans(resourceSpans), shells.scopeSpans(scopeSpans)];
      const length =
        raw.length + path.reduce((sum, { head, tail }) => sum + head.length + tail.length, 0);
      characters += length;
      if (characters > maxCharacters) leftOut++;
      else path.reduce(childOf, root).spans.push(raw);
    }
  }
  return { json: quoteNonFinite(print(root)), spans: [...merged.values()], leftOut };
}

/** A string, to step over it, or a word that is a number to the Python client and no JSON. */
const STRING_OR_NON_FINITE = /"(?:[^"\\]|\\.)*"|NaN|-?Infinity/g;

function quoteNonFinite(json: string): string {
  return json.replace(STRING_OR_NON_FINITE, (found) =>
    found.startsWith('"') ? found : `"${found}"`,
  );
}

function childOf(parent: Group, shell: Shell): Group {
  const key = JSON.stringify([shell.head, shell.tail]);
  let child = parent.children.get(key);
  if (!child) {
    child = { shell, children: new Map(), spans: [] };
    parent.children.set(key, child);
  }
  return child;
}

function print({ shell, children, spans }: Group): string {
  return shell.head + [...[...children.values()].map(print), ...spans].join(',') + shell.tail;
}
