import type { Span } from './span.ts';

export interface TraceCompleteness {
  /** True when every parent that the spans name is held or lies outside, and there is a span at all. */
  readonly complete: boolean;
  readonly spanCount: number;
  /** Spans that name no parent. */
  readonly rootSpanIds: readonly string[];
  /** Named as a parent by spans that are held, and not held. */
  readonly missingParentSpanIds: readonly string[];
  /** The caller outside, where the whole trace hangs below one span that is not ours: named, not missing. */
  readonly remoteParentSpanIds: readonly string[];
}

/**
 * Judges a trace by the closure of `parentSpanId`, never by a count. A single absent parent of a
 * trace without a root is the caller from outside, unless a span says that it was of its own process.
 */
export function judgeCompleteness(spans: readonly Span[]): TraceCompleteness {
  const held = new Set(spans.map(({ spanId }) => spanId));
  const roots = new Set<string>();
  const absent = new Set<string>();
  const local = new Set<string>();
  for (const { spanId, parentSpanId, parentIsRemote } of spans) {
    if (parentSpanId === undefined) roots.add(spanId);
    else if (!held.has(parentSpanId)) {
      absent.add(parentSpanId);
      if (parentIsRemote === false) local.add(parentSpanId);
    }
  }
  const outside = roots.size === 0 && absent.size === 1 && local.size === 0;
  const names = [...absent].sort();
  const missingParentSpanIds = outside ? [] : names;
  return {
    complete: held.size > 0 && missingParentSpanIds.length === 0,
    spanCount: held.size,
    rootSpanIds: [...roots].sort(),
    missingParentSpanIds,
    remoteParentSpanIds: outside ? names : [],
  };
}
