import { groupBy } from '../collections.ts';
import { mapConcurrently } from '../concurrency.ts';
import { errorCode } from '../errors.ts';
import type { DatedEnvelope } from '../evidence/archive-records.ts';
import type { Envelope } from '../evidence/envelope.ts';
import { type EvidenceObject, packObjects } from '../evidence/evidence-object.ts';
import type { TraceDeliveryEntry } from '../evidence/index-entries.ts';
import { putUnlessStored, type StoredPlace } from '../evidence/put-unless-stored.ts';
import { lockFor, periodDays } from '../evidence/retention.ts';
import { indexTraceLine } from './index-trace.ts';
import type { TraceStaging } from './ports.ts';
import { type PromoteDependencies, promoteDeliveries, waitingDeliveries } from './promote.ts';
import { readTraceLines, type TraceLine } from './trace-lines.ts';

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

  const byRecord = groupBy(dated, ({ envelope }) => envelope.stream.sequenceNumber);
  const byTrace = groupBy(
    [...byRecord.values()].flatMap((record) =>
      readTraceLines(record, dependencies.runIdAttributes),
    ),
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

  const left = new Set(staged.map(({ traceId }) => traceId));
  const waiting: TraceDeliveryEntry[] = [];
  await mapConcurrently([...byTrace], CONCURRENT_TRACES, ([traceId, lines]) =>
    failing(lines, async () => {
      if (!(await hasToLook(traceId, lines, left, dependencies))) return;
      for (const entry of await waitingDeliveries(traceId, dependencies)) waiting.push(entry);
    }),
  );
  await promoteDeliveries(waiting, dependencies, (deliveries, work) => {
    const traceIds = [...new Set(deliveries.map(({ traceId }) => traceId))];
    return failing(
      traceIds.flatMap((traceId) => byTrace.get(traceId) as TraceLine[]),
      work,
    );
  });
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
  return carriesRunId(lines) || (await index.isTraceLinked(traceId));
}

/** Only who wrote a link or a staged row has to look: anyone else found the trace governed and left nothing staged. */
async function hasToLook(
  traceId: string,
  lines: readonly TraceLine[],
  left: ReadonlySet<string>,
  { index }: StoreTracesDependencies,
): Promise<boolean> {
  return carriesRunId(lines) || (left.has(traceId) && (await index.isTraceLinked(traceId)));
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
      const places = await put(object, packed, governed, dependencies);
      await mapConcurrently([...packed.entries()], CONCURRENT_TRACES, ([at, line]) =>
        failing([line], () => {
          const leafHash = object.leafHashes[at] as string;
          const stored = { ...(places[at] as StoredPlace), leafHash, governed };
          return indexTraceLine({ ...line, ...stored }, dependencies.index);
        }),
      );
    });
  }
}

async function put(
  object: EvidenceObject,
  lines: readonly TraceLine[],
  governed: boolean,
  dependencies: StoreTracesDependencies,
): Promise<readonly StoredPlace[]> {
  const { staging, retention, clock } = dependencies;
  const latest = Math.max(...lines.map(({ countsFromMillis }) => countsFromMillis));
  // Objects are cut by class.
  const [{ retentionClass }] = object.envelopes as [Envelope];
  const lock = lockFor(retention, periodDays(retention, 'traces', retentionClass), latest, clock());
  if (governed) return putUnlessStored(object, lock, dependencies);
  const version = await staging.putObject(object);
  return lines.map((_, line) => ({ location: { ...version, line }, lock }));
}

function carriesRunId(lines: readonly TraceLine[]): boolean {
  return lines.some(({ links }) => links.length > 0);
}
