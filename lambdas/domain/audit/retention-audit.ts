import { mapConcurrently } from '../concurrency.ts';
import { versionName } from '../evidence/version-name.ts';
import type { ObjectReader, RunIndex, VersionInspector, VersionState } from '../ports.ts';
import { type Finding, type FindingKind, openFinding, type Plane } from './findings.ts';
import { Inspection } from './inspection.ts';
import {
  type AuditInterval,
  deliveriesIn,
  type IndexedVersion,
  indexedVersions,
  isEvidence,
  planeOf,
  runKeysOf,
  runsOf,
  strongestLock,
} from './population.ts';
import { compareTraces } from './trace-locks.ts';
import { isReplay, listFolders } from './vault-listing.ts';

export interface RetentionAuditDependencies {
  readonly index: RunIndex;
  readonly inspector: VersionInspector;
  readonly reader: ObjectReader;
  readonly vaultBucket: string;
}

/** What was to be looked at, what was, and what came of it. */
export interface RetentionAudit {
  readonly population: {
    readonly deliveries: number;
    readonly versions: number;
    readonly runs: number;
  };
  readonly checked: {
    readonly versions: number;
    readonly traces: number;
    readonly listedVersions: number;
  };
  readonly unreadable: readonly string[];
  readonly findings: readonly Finding[];
}

/** S3 calls in flight: the socket pool of the SDK holds 50, and each version takes up to three. */
const CONCURRENT_INSPECTIONS = 12;

/**
 * Compares, version by version, what the index promises with what S3 holds for the lineage and the
 * traces accepted in an interval, and every trace's lock with the lock of its run. Reads only.
 */
export async function auditRetention(
  interval: AuditInterval,
  dependencies: RetentionAuditDependencies,
): Promise<RetentionAudit> {
  const deliveries = await deliveriesIn(interval, dependencies.index);
  const versions = indexedVersions(deliveries.filter(isEvidence));
  const inspection = new Inspection(dependencies.inspector);
  const findings: Finding[] = [];
  const add = (
    kind: FindingKind,
    plane: Plane,
    subject: string,
    runKeys: readonly string[],
    detail = {},
  ) => findings.push(openFinding(kind, { plane, subject, at: interval.asOf, runKeys, detail }));

  await mapConcurrently(versions, CONCURRENT_INSPECTIONS, async (indexed) => {
    const state = await inspection.of(indexed.version);
    for (const { kind, detail } of compare(indexed, state)) {
      add(kind, planeOf(indexed), versionName(indexed.version), runKeysOf(indexed), detail);
    }
  });

  const runs = runsOf(deliveries);
  const traces = await mapConcurrently([...runs], CONCURRENT_INSPECTIONS, ([runKey, promised]) =>
    compareTraces(runKey, promised, dependencies.index, inspection),
  );
  for (const { runKey, traceId, detail } of traces.flatMap(({ short }) => short)) {
    add('trace_shorter_than_run', 'traces', `${runKey}/${traceId}`, [runKey], detail);
  }

  const known = new Set(versions.map(({ version }) => versionName(version)));
  const knownKeys = new Set(versions.map(({ version }) => version.key));
  const { listed, denied } = await listFolders(interval, dependencies);
  await mapConcurrently(listed, CONCURRENT_INSPECTIONS, async ({ deleteMarker, ...version }) => {
    const subject = versionName(version);
    if (deleteMarker) add('delete_marker_present', 'store', subject, []);
    else if (known.has(subject)) return;
    // A key is written once: a second version of it is never a replay.
    else if (knownKeys.has(version.key) || !(await isReplay(version, dependencies))) {
      add('version_not_indexed', 'store', subject, []);
    }
  });

  return {
    population: { deliveries: deliveries.length, versions: versions.length, runs: runs.size },
    checked: {
      versions: versions.filter(({ version }) => !inspection.denied.has(versionName(version)))
        .length,
      traces: traces.reduce((sum, { checked }) => sum + checked, 0),
      listedVersions: listed.length,
    },
    unreadable: [...inspection.denied, ...denied].sort(),
    findings,
  };
}

/** Rules for one version; a version that may not be looked at is counted apart, never as sound. */
function compare({ deliveries, version }: IndexedVersion, state: VersionState) {
  const found: Array<{ kind: FindingKind; detail: Finding['detail'] }> = [];
  if (state.status === 'missing') {
    found.push({ kind: 'version_missing', detail: { versionId: version.versionId } });
    return found;
  }
  if (state.status === 'denied') return found;
  const promised = strongestLock(deliveries);
  if (state.mode === undefined || state.retainUntil === undefined) {
    found.push({ kind: 'not_locked', detail: { promisedUntil: promised.retainUntil } });
    return found;
  }
  if (state.mode !== promised.mode) {
    found.push({
      kind: 'lock_mode_differs',
      detail: { promised: promised.mode, actual: state.mode },
    });
  }
  if (Date.parse(state.retainUntil) < Date.parse(promised.retainUntil)) {
    found.push({
      kind: 'retention_short',
      detail: { promisedUntil: promised.retainUntil, retainUntil: state.retainUntil },
    });
  }
  return found;
}
