import { mapConcurrently } from '../concurrency.ts';
import type { RunEventEntry, TraceDeliveryEntry } from '../evidence/index-entries.ts';
import type { ObjectVersion } from '../evidence/ports.ts';
import type { RunIndex } from '../evidence/run-index.ts';
import { versionName } from '../evidence/version-name.ts';
import type { Covered, LockExtension } from './lock-extension.ts';

/** S3 calls in flight: the socket pool of the SDK holds 50, and each version takes up to three. */
export const CONCURRENT_INSPECTIONS = 12;

/** An object version that some run needs for longer than the index promises, with the rows that promise it. */
interface ShortVersion {
  readonly version: ObjectVersion;
  neededMillis: number;
  readonly rows: Map<string, RunEventEntry | TraceDeliveryEntry>;
  readonly runKeys: Set<string>;
}

/** A delivery of a trace that goes before a run of the trace. */
interface ShortTrace {
  readonly runKey: string;
  readonly neededMillis: number;
  readonly delivery: TraceDeliveryEntry;
}

/** What runs need for longer than it is promised. */
export interface ShortEvidence {
  /** By the name of the version: a version is locked once, for all that it holds. */
  readonly versions: ReadonlyMap<string, ShortVersion>;
  readonly traces: readonly ShortTrace[];
  /** Traces of the runs. */
  readonly checkedTraces: number;
}

/**
 * Looks in the index for what runs need for longer than it is promised: the events of each run that came first, and
 * the traces of it. S3 is not asked: what is promised for long enough costs nothing.
 * @param needs until when (milliseconds) each run is to be held
 */
export async function findShortEvidence(
  needs: ReadonlyMap<string, number>,
  index: RunIndex,
): Promise<ShortEvidence> {
  const versions = new Map<string, ShortVersion>();
  const traces: ShortTrace[] = [];
  let checkedTraces = 0;
  const add = (entry: RunEventEntry | TraceDeliveryEntry, runKey: string, neededMillis: number) => {
    const { bucket, key, versionId } = entry.location;
    const name = versionName(entry.location);
    const known = versions.get(name) ?? {
      ...{ version: { bucket, key, versionId }, neededMillis },
      ...{
        rows: new Map<string, RunEventEntry | TraceDeliveryEntry>(),
        runKeys: new Set<string>(),
      },
    };
    known.neededMillis = Math.max(neededMillis, known.neededMillis);
    known.rows.set(
      'traceId' in entry ? `${entry.receiptId}/${entry.traceId}` : entry.receiptId,
      entry,
    );
    known.runKeys.add(runKey);
    versions.set(name, known);
  };

  await mapConcurrently([...needs], CONCURRENT_INSPECTIONS, async ([runKey, neededMillis]) => {
    const needed = new Date(neededMillis).toISOString();
    for await (const event of index.runEventsLockedBefore(runKey, needed))
      add(event, runKey, neededMillis);
    const traceIds = new Set((await index.runTraces(runKey)).map(({ traceId }) => traceId));
    checkedTraces += traceIds.size;
    for (const traceId of traceIds) {
      for (const delivery of await index.traceDeliveries(traceId)) {
        if (delivery.governed && Date.parse(delivery.lock.retainUntil) >= neededMillis) continue;
        traces.push({ runKey, neededMillis, delivery });
        if (delivery.governed) add(delivery, runKey, neededMillis);
      }
    }
  });
  return { versions, traces, checkedTraces };
}

/** Extends what is short. Answers, by the name of each version, how it is locked now. */
export async function extendVersions(
  short: Pick<ShortEvidence, 'versions'>,
  extension: LockExtension,
): Promise<Map<string, Covered>> {
  const covered = new Map<string, Covered>();
  await mapConcurrently(
    [...short.versions],
    CONCURRENT_INSPECTIONS,
    async ([name, { version, neededMillis }]) => {
      covered.set(name, await extension.cover(version, neededMillis));
    },
  );
  return covered;
}

/** Has the index promise what was extended; last, so that whatever fails before it is done again. */
export async function promiseExtended(
  { versions }: ShortEvidence,
  covered: ReadonlyMap<string, Covered>,
  index: RunIndex,
): Promise<void> {
  const rows = [...versions].flatMap(([name, { rows }]) => {
    const state = covered.get(name);
    return state && 'until' in state
      ? [...rows.values()].map((entry) => ({ entry, until: state.until }))
      : [];
  });
  await mapConcurrently(rows, CONCURRENT_INSPECTIONS, ({ entry, until }) =>
    index.extendRow(entry, until),
  );
}
