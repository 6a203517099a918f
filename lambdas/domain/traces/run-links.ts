import { groupBy } from '../collections.ts';
import { mapConcurrently } from '../concurrency.ts';
import type { TraceDeliveryEntry, TraceRunEntry } from '../evidence/index-entries.ts';
import type { Lock } from '../evidence/retention.ts';
import type { RunIndex } from '../evidence/run-index.ts';
import { type LinkBasis, linkRunsAndSpans, type TraceRunLink } from './link-basis.ts';

/** A trace of a run, as the view of the run shows it. */
export interface RunTraceLink {
  readonly traceId: string;
  /** The best that any span of the trace is worth. */
  readonly basis: LinkBasis;
  readonly spanIds: readonly string[];
  /** Who declared each side of that best link. */
  readonly submitters: TraceRunLink['submitters'];
  /** True when the store has any delivery of the trace. */
  readonly held: boolean;
  /** True when every delivery held of it is locked in the vault. */
  readonly governed: boolean;
  /** The lock that ends first, as promised; null while any delivery is staged. */
  readonly retention: Lock | null;
}

const BEST_FIRST: readonly LinkBasis[] = [
  'mutual',
  'contradictory',
  'unpaired',
  'ambiguous',
  'one-way',
];

/** Traces looked up at once for one answer. */
const CONCURRENT_READS = 8;

/**
 * The traces of a run, in the order their links were made.
 * @param entries all entries of the run (`RunIndex.runTraces`)
 * @param groups whose run it is: what run events of other groups say is not this run's word. Empty for a run that is not held
 * @param deliveries what the store has of each trace, by trace id
 */
export function runTraceLinks(
  entries: readonly TraceRunEntry[],
  groups: ReadonlySet<string>,
  deliveries: ReadonlyMap<string, readonly TraceDeliveryEntry[]>,
): RunTraceLink[] {
  const own = entries.filter(
    ({ declaredBy, submitter }) =>
      declaredBy === 'span' || groups.size === 0 || groups.has(submitter.group),
  );
  return [...groupBy(linkRunsAndSpans(own), ({ traceId }) => traceId)].map(([traceId, links]) => {
    const best = BEST_FIRST.flatMap(
      (basis) => links.find((link) => link.basis === basis) ?? [],
    )[0] as TraceRunLink;
    const held = deliveries.get(traceId) ?? [];
    return {
      traceId,
      basis: best.basis,
      spanIds: [...new Set(links.flatMap(({ spanId }) => spanId ?? []))].sort(),
      submitters: best.submitters,
      held: held.length > 0,
      ...retentionOf(held),
    };
  });
}

/** The same, with the deliveries read from the index. */
export async function linksOfRun(
  entries: readonly TraceRunEntry[],
  groups: ReadonlySet<string>,
  index: Pick<RunIndex, 'traceDeliveries'>,
): Promise<RunTraceLink[]> {
  const traceIds = [...new Set(entries.map(({ traceId }) => traceId))];
  const found = await mapConcurrently(
    traceIds,
    CONCURRENT_READS,
    async (traceId) => [traceId, await index.traceDeliveries(traceId)] as const,
  );
  return runTraceLinks(entries, groups, new Map(found));
}

function retentionOf(
  held: readonly TraceDeliveryEntry[],
): Pick<RunTraceLink, 'governed' | 'retention'> {
  const governed = held.length > 0 && held.every((delivery) => delivery.governed);
  const [first] = held
    .map(({ lock }) => lock)
    .sort((a, b) => (a.retainUntil < b.retainUntil ? -1 : 1));
  return { governed, retention: governed && first ? first : null };
}
