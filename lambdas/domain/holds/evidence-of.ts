import { uniqueBy } from '../collections.ts';
import { mapConcurrently } from '../concurrency.ts';
import type { ObjectVersion } from '../evidence/ports.ts';
import type { RunIndex } from '../evidence/run-index.ts';
import { versionName } from '../evidence/version-name.ts';
import { concerns, coverOf, type Hold } from './hold.ts';
import type { HoldIndex } from './ports.ts';

/** Traces looked up at once. */
const CONCURRENT_TRACES = 8;

/** The subject under which covers of a trace are kept: who stores a delivery of it finds its holds there. */
export function traceSubject(traceId: string): string {
  return `trace/${traceId}`;
}

/**
 * The object versions that hold events of a run, or spans of its traces. Each trace is marked before its deliveries
 * are read: a delivery is stored first and then looks for marks, so that one side sees the other. Staged deliveries
 * have no lock to hold; they get their bit when they are promoted.
 */
export async function evidenceOf(
  hold: Hold,
  { holds, index }: { readonly holds: HoldIndex; readonly index: RunIndex },
): Promise<ObjectVersion[]> {
  const [events, links] = await Promise.all([
    index.runEvents(hold.runKey),
    index.runTraces(hold.runKey),
  ]);
  const traceIds = links
    .filter(({ declaredBy, submitter }) => declaredBy === 'span' || concerns(hold, submitter.group))
    .map(({ traceId }) => traceId);
  const deliveries = await mapConcurrently(
    [...new Set(traceIds)],
    CONCURRENT_TRACES,
    async (traceId) => {
      await holds.putCover(traceSubject(traceId), coverOf(hold));
      return governedVersions(traceId, index);
    },
  );
  const own = events.filter(({ submitter }) => concerns(hold, submitter.group));
  return uniqueBy(
    [...own.map(({ location }) => location), ...deliveries.flat()].map(versionOf),
    versionName,
  );
}

/** The versions in the vault that hold spans of a trace. */
export async function governedVersions(
  traceId: string,
  index: Pick<RunIndex, 'traceDeliveries'>,
): Promise<ObjectVersion[]> {
  const deliveries = await index.traceDeliveries(traceId);
  return deliveries.filter(({ governed }) => governed).map(({ location }) => versionOf(location));
}

function versionOf({ bucket, key, versionId }: ObjectVersion): ObjectVersion {
  return { bucket, key, versionId };
}
