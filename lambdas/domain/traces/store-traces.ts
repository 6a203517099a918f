import { groupBy } from '../collections.ts';
import { mapConcurrently } from '../concurrency.ts';
import { errorCode } from '../errors.ts';
import type { DatedEnvelope } from '../evidence/archive-records.ts';
import { type EvidenceObject, packObjects } from '../evidence/evidence-object.ts';
import { type Lock, lockFor } from '../evidence/retention.ts';
import { JsonDocument } from '../json/document.ts';
import type { ObjectVersion, TraceStaging } from '../ports.ts';
import { indexTraceLine, type TraceLine } from './index-trace.ts';
import { type OtlpSpan, readExport } from './otlp.ts';
import { type PromoteDependencies, promoteTrace } from './promote.ts';

export interface StoreTracesDependencies extends PromoteDependencies {
  readonly staging: TraceStaging;
  /** Names of span attributes that carry run ids; none is a standard yet. */
  readonly runIdAttributes: readonly string[];
}

/** Traces and rows in flight: DynamoDB answers in milliseconds, the socket pool holds 50. */
const CONCURRENT_TRACES = 16;

/**
 * Stores trace envelopes: governed ones in the vault, the others in staging; objects first, then
 * rows, then a consistent look at the other side. A run that names a trace writes its link and then
 * reads the deliveries; a delivery is written and then reads the links. Whoever comes second sees
 * the first and promotes, so no interleaving leaves a governed trace in staging.
 * Answers what failed, by sequence number.
 */
export async function storeTraces(
  dated: readonly DatedEnvelope[],
  dependencies: StoreTracesDependencies,
): Promise<ReadonlyMap<string, string>> {
  const failures = new Map<string, string>();
  const failing = async (lines: readonly DatedEnvelope[], work: () => Promise<void>) => {
    try {
      await work();
    } catch (error) {
      for (const { envelope } of lines)
        failures.set(envelope.stream.sequenceNumber, errorCode(error));
    }
  };

  const byTrace = groupBy(
    dated.map((item) => toLine(item, dependencies.runIdAttributes)),
    ({ traceId }) => traceId,
  );
  const governed: TraceLine[] = [];
  const staged: TraceLine[] = [];
  await mapConcurrently([...byTrace], CONCURRENT_TRACES, ([traceId, lines]) =>
    failing(lines, async () => {
      const target = (await isGoverned(traceId, lines, dependencies)) ? governed : staged;
      target.push(...lines);
    }),
  );
  // In the order of the stream again: a replay of the batch must pack the same objects.
  const order = new Map(dated.map(({ envelope }, at) => [envelope, at] as const));
  for (const lines of [governed, staged]) {
    lines.sort((a, b) => (order.get(a.envelope) as number) - (order.get(b.envelope) as number));
    await putAndIndex(lines, lines === governed, failing, dependencies);
  }

  await mapConcurrently([...byTrace], CONCURRENT_TRACES, ([traceId, lines]) =>
    failing(lines, () => lookAtOtherSide(traceId, lines, staged, dependencies)),
  );
  return failures;
}

/**
 * A span of the delivery carries a run id, or a link already stands. That a governed delivery exists
 * needs no look of its own: links are written before the row of the delivery that brought them.
 */
async function isGoverned(
  traceId: string,
  lines: readonly TraceLine[],
  { index }: StoreTracesDependencies,
): Promise<boolean> {
  return carriesRunId(lines) || (await index.traceRuns(traceId)).length > 0;
}

/** Only who wrote a link or a staged row has to look: anyone else found the trace governed and left nothing staged. */
async function lookAtOtherSide(
  traceId: string,
  lines: readonly TraceLine[],
  staged: readonly TraceLine[],
  dependencies: StoreTracesDependencies,
): Promise<void> {
  const left = staged.some((line) => line.traceId === traceId);
  if (!carriesRunId(lines) && !(left && (await dependencies.index.traceRuns(traceId)).length > 0))
    return;
  await promoteTrace(traceId, dependencies);
}

async function putAndIndex(
  lines: readonly TraceLine[],
  governed: boolean,
  failing: (lines: readonly DatedEnvelope[], work: () => Promise<void>) => Promise<void>,
  dependencies: StoreTracesDependencies,
): Promise<void> {
  const lineOf = new Map(lines.map((line) => [line.envelope, line] as const));
  for (const object of packObjects(
    'traces',
    lines.map(({ envelope }) => envelope),
  )) {
    const packed = object.envelopes.map((envelope) => lineOf.get(envelope) as TraceLine);
    await failing(packed, async () => {
      const { version, lock } = await put(object, packed, governed, dependencies);
      await mapConcurrently([...packed.entries()], CONCURRENT_TRACES, ([at, line]) =>
        failing([line], () =>
          indexTraceLine(
            { ...line, location: { ...version, line: at }, lock, governed },
            dependencies.index,
          ),
        ),
      );
    });
  }
}

async function put(
  object: EvidenceObject,
  lines: readonly TraceLine[],
  governed: boolean,
  { vault, staging, retention, clock }: StoreTracesDependencies,
): Promise<{ version: ObjectVersion; lock: Lock }> {
  const latest = Math.max(...lines.map(({ countsFromMillis }) => countsFromMillis));
  const lock = lockFor(retention, retention.traceDays, latest, clock());
  if (!governed) return { version: await staging.putObject(object), lock };
  const { lock: stored, ...version } = await vault.putObject(object, lock);
  return { version, lock: stored };
}

function carriesRunId(lines: readonly TraceLine[]): boolean {
  return lines.some(({ spans }) => spans.some(({ runIds }) => runIds.length > 0));
}

function toLine(
  { envelope, countsFromMillis }: DatedEnvelope,
  runIdAttributes: readonly string[],
): TraceLine {
  const { spans } = readExport(new JsonDocument(envelope.document), runIdAttributes);
  return { envelope, countsFromMillis, spans, traceId: (spans[0] as OtlpSpan).traceId };
}
