import { printable, table } from './table.ts';

/** The parts of the trace answer that are shown; the contract has them all. */
interface TraceView {
  readonly traceId: string;
  readonly runs: ReadonlyArray<{
    readonly runId: string;
    readonly held: boolean;
    readonly basis: string;
  }>;
  readonly completeness: {
    readonly complete: boolean;
    readonly missingParentSpanIds: readonly string[];
  };
  readonly deliveries: ReadonlyArray<{
    readonly acceptedAt: string;
    readonly location: {
      readonly bucket: string;
      readonly key: string;
      readonly versionId: string;
    };
    /** Absent while the delivery is staged. */
    readonly retention?: { readonly mode: string; readonly retainUntil: string };
  }>;
  readonly spans: {
    readonly resourceSpans: ReadonlyArray<{
      readonly scopeSpans: ReadonlyArray<{ readonly spans: readonly Span[] }>;
    }>;
  };
  readonly qualifications: ReadonlyArray<{ readonly text: string }>;
}

interface Span {
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name?: string;
}

/** A trace for people: its spans, the runs they belong to, where they lie and until when. */
export function renderTrace(trace: TraceView): string {
  const { complete, missingParentSpanIds } = trace.completeness;
  const spans = trace.spans.resourceSpans.flatMap(({ scopeSpans }) =>
    scopeSpans.flatMap((scope) => scope.spans),
  );
  return [
    `Trace ${trace.traceId}: ${complete ? 'every parent span is held' : `parents missing: ${missingParentSpanIds.join(', ')}`}`,
    table(
      ['span', 'parent', 'name'],
      spans.map(({ spanId, parentSpanId, name }) => [spanId, parentSpanId || '-', name ?? '-']),
    ),
    ...trace.runs.map(
      ({ runId, held, basis }) =>
        `run ${printable(runId)}: ${held ? 'held' : 'not held'}, link ${basis}`,
    ),
    ...new Set(trace.deliveries.map(renderDelivery)),
    ...trace.qualifications.map(({ text }) => printable(text)),
  ].join('\n');
}

function renderDelivery({ location, retention }: TraceView['deliveries'][number]): string {
  const lock = retention
    ? `${retention.mode} until ${retention.retainUntil}`
    : 'in staging, not locked';
  return `s3://${location.bucket}/${location.key}\n  version ${location.versionId}: ${lock}`;
}
