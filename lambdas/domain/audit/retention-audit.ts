import { uniqueBy } from '../collections.ts';
import { mapConcurrently } from '../concurrency.ts';
import { folderOf } from '../evidence/finding-folder.ts';
import type { VersionState } from '../evidence/ports.ts';
import { versionName } from '../evidence/version-name.ts';
import { type Finding, type FindingKind, openFinding, type Plane } from '../findings.ts';
import { CONCURRENT_INSPECTIONS } from './extend-runs.ts';
import { type Extension, type ExtensionDependencies, extendLocks } from './extension.ts';
import { Inspection } from './inspection.ts';
import {
  type AuditInterval,
  deliveriesIn,
  type IndexedVersion,
  indexedVersions,
  isEvidence,
  planeOf,
  runKeysOf,
  runNeeds,
  strongestLock,
} from './population.ts';
import { Copies, lookAtRecords } from './replication.ts';
import { settleFindings } from './settle-findings.ts';
import { isReplay, listFolders } from './vault-listing.ts';

export interface RetentionAuditDependencies extends ExtensionDependencies {
  /** Whether the vault has a replica, so that every version is to be copied. */
  readonly isReplicated: boolean;
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
  readonly extended: Extension;
  /** Versions of the interval, of records as well, that the replica lacks, and those that may still be under way; absent without one. */
  readonly replication?: { readonly failed: number; readonly pending: number };
  readonly unreadable: readonly string[];
  readonly findings: readonly Finding[];
}

/**
 * Compares, version by version, what the index promises with what S3 holds for the lineage and the
 * traces accepted in an interval, and extends what its runs need for longer.
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

  const copies = dependencies.isReplicated ? new Copies(interval) : undefined;
  await mapConcurrently(versions, CONCURRENT_INSPECTIONS, async (indexed) => {
    const state = await inspection.of(indexed.version);
    const found = [...compare(indexed, state)];
    const lacking = copies?.count(state);
    if (lacking) found.push({ kind: 'replication_failed', detail: { status: lacking } });
    for (const { kind, detail } of found) {
      add(kind, planeOf(indexed), versionName(indexed.version), runKeysOf(indexed), detail);
    }
  });

  const records = copies && (await lookAtRecords(copies, interval, inspection, dependencies));
  findings.push(...(records?.findings ?? []));

  const needs = runNeeds(deliveries, dependencies.retention);
  const extension = await extendLocks(needs, interval, inspection, dependencies);

  const known = new Set(versions.map(({ version }) => versionName(version)));
  const knownKeys = new Set(versions.map(({ version }) => version.key));
  const { listed, folders, denied } = await listFolders(interval, dependencies);
  const indexed = new Set<string>();
  await mapConcurrently(listed, CONCURRENT_INSPECTIONS, async ({ deleteMarker, ...version }) => {
    const subject = versionName(version);
    if (deleteMarker) {
      add('delete_marker_present', 'store', subject, []);
      return;
    }
    // A key is written once: a second version of it is never a replay.
    const isIndexed =
      known.has(subject) ||
      (!knownKeys.has(version.key) && (await isReplay(version, dependencies)));
    if (isIndexed) indexed.add(subject);
    else add('version_not_indexed', 'store', subject, []);
  });

  const found = uniqueBy([...findings, ...extension.findings], ({ id }) => id);
  const isJudged = ({ kind, plane, subject }: Finding) => {
    if (kind === 'trace_shorter_than_run') return inspection.denied.size === 0;
    if (kind === 'version_not_indexed') return indexed.has(subject);
    if (records?.sound.has(subject)) return true;
    const isLookedAt = plane === 'store' || kind === 'extension_failed' || known.has(subject);
    return isLookedAt && inspection.saw(subject);
  };
  const subjects = [...known, ...extension.records, ...found.map(({ subject }) => subject)];
  const { standing, resolved } = await settleFindings(
    found,
    {
      runKeys: needs.keys(),
      folders: new Set([...folders, ...(records?.sound ?? []), ...subjects.map(folderOf)]),
    },
    interval.asOf,
    isJudged,
    dependencies.index,
  );

  return {
    population: { deliveries: deliveries.length, versions: versions.length, runs: needs.size },
    checked: {
      versions: versions.filter(({ version }) => !inspection.denied.has(versionName(version)))
        .length,
      traces: extension.checkedTraces,
      listedVersions: listed.length,
    },
    extended: extension.extension,
    ...(copies && { replication: { failed: copies.failed, pending: copies.pending } }),
    unreadable: uniqueBy(
      [...inspection.denied, ...extension.denied, ...denied, ...(records?.denied ?? [])],
      (name) => name,
    ).sort(),
    findings: [...standing, ...resolved],
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
