import { identified, type Report } from '../audit/report.ts';
import { sum } from '../collections.ts';
import { type Partition, type SealedDay, spanOf } from './partition.ts';
import type { PartitionCount } from './rebuild-partition.ts';

/** What a rebuild read, and what it could not. */
export interface RebuildReport extends Report {
  readonly kind: 'rebuild';
  readonly plan: string;
  /** `incomplete` when an object is gone or could not be read: what it held is missing in the index. */
  readonly status: 'complete' | 'incomplete';
  readonly rebuilt: {
    readonly partitions: number;
    readonly objects: number;
    readonly records: number;
  };
  readonly unreadable: {
    readonly objects: number;
    /** Some of them, at most {@link MAX_NAMED}, as `<bucket>/<key>@<version id>`. */
    readonly named: readonly string[];
  };
  /** What the digests list of it, without which nobody could tell that something is gone. */
  readonly sealed: {
    readonly objects: number;
    /** Gone though locked for longer; some of them by name, as above. */
    readonly missing: number;
    readonly missingNamed: readonly string[];
    /** Gone, and their lock as it was sealed is over: whoever may delete may have deleted them. */
    readonly expired: number;
  };
}

/** A vault whose key is disabled would be named object by object. */
const MAX_NAMED = 1_000;

/** Composes the report of a rebuild that is over; a pure function of what was done. */
export function rebuildReport(
  { plan, asOf, partitions }: RebuildPlan,
  counts: readonly PartitionCount[],
): RebuildReport {
  const spans = partitions.flatMap(({ kind, prefix }) =>
    kind === 'digests' ? [] : (spanOf(prefix) ?? []),
  );
  const asOfMillis = Date.parse(asOf);
  const edge = (millis: number) => new Date(millis).toISOString();
  const unreadable = sum(counts.map((count) => count.unreadable));
  const missing = sum(counts.map((count) => count.missing));
  return identified({
    kind: 'rebuild',
    plan,
    from: edge(spans.reduce((first, { fromMillis }) => Math.min(first, fromMillis), asOfMillis)),
    to: asOf,
    asOf,
    status: unreadable + missing > 0 ? 'incomplete' : 'complete',
    rebuilt: {
      partitions: partitions.filter(({ kind }) => kind !== 'digests').length,
      objects: sum(counts.map(({ objects }) => objects)),
      records: sum(counts.map(({ records }) => records)),
    },
    unreadable: {
      objects: unreadable,
      named: counts.flatMap(({ named }) => named).slice(0, MAX_NAMED),
    },
    sealed: {
      objects: sum(counts.map(({ sealed }) => sealed)),
      missing,
      missingNamed: counts.flatMap(({ missingNamed }) => missingNamed).slice(0, MAX_NAMED),
      expired: sum(counts.map(({ expired }) => expired)),
    },
    findings: [],
  });
}

/** Everything that one rebuild has to do. */
export interface RebuildPlan {
  readonly plan: string;
  /** RFC 3339 UTC: when it was made. What is stored later, archive files. */
  readonly asOf: string;
  readonly partitions: ReadonlyArray<Partition | SealedDay>;
}
