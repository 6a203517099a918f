import { groupBy } from '../collections.ts';
import { mapConcurrently } from '../concurrency.ts';
import { AccessDeniedError, UnreadableRecordError } from '../errors.ts';
import { leafHash, readEnvelopes } from '../evidence/evidence-object.ts';
import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import { hoursBetween, INDEX_SHARDS } from '../evidence/hour-shard.ts';
import type { DeliveryEntry } from '../evidence/index-entries.ts';
import { versionName } from '../evidence/version-name.ts';
import type {
  ListedVersion,
  ObjectReader,
  ObjectVersion,
  RunIndex,
  VersionInspector,
  VersionState,
} from '../ports.ts';
import { type Finding, type FindingKind, openFinding, type Plane } from './findings.ts';

/** Half-open interval of acceptance, and the instant the audit speaks for. RFC 3339 UTC. */
export interface AuditInterval {
  readonly from: string;
  readonly to: string;
  readonly asOf: string;
}

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

/** One object version with everything the index says it holds. */
interface IndexedVersion {
  readonly version: ObjectVersion;
  readonly deliveries: readonly DeliveryEntry[];
}

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

/**
 * A replay that was cut into other batches puts its records into a second object, while the rows keep
 * pointing at the first: such a version holds nothing that the index does not know.
 */
async function isReplay(
  version: ObjectVersion,
  { reader, index }: RetentionAuditDependencies,
): Promise<boolean> {
  try {
    for (const envelope of readEnvelopes(await reader.read(version))) {
      const entries = await index.deliveries(envelope.receiptId);
      const leaf = leafHash(envelope);
      if (!entries.some((entry) => entry.leafHash === leaf)) return false;
    }
    return true;
  } catch (error) {
    if (error instanceof UnreadableRecordError) return false;
    throw error;
  }
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

/** Every trace of a run must be locked at least as long as the run (a link into what expired first is none). */
async function compareTraces(
  runKey: string,
  promised: string,
  index: RunIndex,
  inspection: Inspection,
) {
  const short: Array<{ runKey: string; traceId: string; detail: Finding['detail'] }> = [];
  const traceIds = new Set((await index.runTraces(runKey)).map(({ traceId }) => traceId));
  for (const traceId of traceIds) {
    const shorter: Array<{ receiptId: string; traceUntil: string }> = [];
    for (const { location, governed, receiptId } of await index.traceDeliveries(traceId)) {
      const state = governed ? await inspection.of(location) : undefined;
      if (state?.status === 'denied') continue;
      const actual = state?.status === 'present' ? (state.retainUntil ?? '') : '';
      if (Date.parse(actual || '1970-01-01') < Date.parse(promised)) {
        shorter.push({ receiptId, traceUntil: actual });
      }
    }
    // One finding a trace, of the delivery that goes first.
    const [first] = shorter.sort((a, b) => (a.traceUntil < b.traceUntil ? -1 : 1));
    if (!first) continue;
    const { receiptId, traceUntil } = first;
    short.push({
      runKey,
      traceId,
      detail: {
        receiptId,
        runUntil: promised,
        traceUntil: traceUntil || 'not locked',
        deliveries: shorter.length,
      },
    });
  }
  return { short, checked: traceIds.size };
}

/** Asks S3 once per version, however many rows point at it. */
class Inspection {
  readonly denied = new Set<string>();
  readonly #inspector: VersionInspector;
  readonly #states = new Map<string, Promise<VersionState>>();

  constructor(inspector: VersionInspector) {
    this.#inspector = inspector;
  }

  of({ bucket, key, versionId }: ObjectVersion): Promise<VersionState> {
    const version = { bucket, key, versionId };
    const subject = versionName(version);
    const known = this.#states.get(subject);
    if (known) return known;
    const state = this.#inspector.inspect(version).then((answer) => {
      if (answer.status === 'denied') this.denied.add(subject);
      return answer;
    });
    this.#states.set(subject, state);
    return state;
  }
}

async function deliveriesIn(
  { from, to }: AuditInterval,
  index: RunIndex,
): Promise<DeliveryEntry[]> {
  const deliveries: DeliveryEntry[] = [];
  for (const hour of hoursBetween(Date.parse(from), Date.parse(to))) {
    for (let shard = 0; shard < INDEX_SHARDS; shard++) {
      for await (const entry of index.acceptedInHour(hour, shard)) {
        const at = Date.parse(entry.acceptedAt);
        if (at >= Date.parse(from) && at < Date.parse(to)) deliveries.push(entry);
      }
    }
  }
  return deliveries;
}

/** What the vault really holds in the whole hours of the interval: the edges belong to their neighbours. */
async function listFolders(
  { from, to }: AuditInterval,
  { inspector, vaultBucket }: RetentionAuditDependencies,
) {
  const hours = hoursBetween(Date.parse(from), Date.parse(to)).filter(
    (hour) =>
      Date.parse(`${hour}:00:00Z`) >= Date.parse(from) &&
      Date.parse(`${hour}:59:59.999Z`) < Date.parse(to),
  );
  const listed: ListedVersion[] = [];
  const denied: string[] = [];
  const looking = async (prefix: string, look: () => Promise<void>) => {
    try {
      await look();
    } catch (error) {
      if (!(error instanceof AccessDeniedError)) throw error;
      denied.push(`${vaultBucket}/${prefix}`);
    }
  };
  const list = async (prefix: string) => {
    for await (const version of inspector.list(vaultBucket, prefix)) listed.push(version);
  };
  for (const plane of [EvidencePrefix.lineage, EvidencePrefix.traces]) {
    await looking(plane, async () => {
      for (const classFolder of await inspector.folders(vaultBucket, plane)) {
        for (const hour of hours) {
          const prefix = `${classFolder}dt=${hour.slice(0, 10)}/hour=${hour.slice(11)}/`;
          await looking(prefix, () => list(prefix));
        }
      }
    });
  }
  return { listed, denied };
}

/** Staged traces are no evidence yet: unlocked, and emptied by lifecycle without asking. */
function isEvidence({ governed }: DeliveryEntry): boolean {
  return governed !== false;
}

function indexedVersions(deliveries: readonly DeliveryEntry[]): IndexedVersion[] {
  const groups = groupBy(deliveries, ({ location }) => versionName(location));
  return [...groups.values()].map((group) => {
    const { bucket, key, versionId } = (group[0] as DeliveryEntry).location;
    return { version: { bucket, key, versionId }, deliveries: group };
  });
}

/** Runs of the interval with the latest promise among their events. */
function runsOf(deliveries: readonly DeliveryEntry[]): Map<string, string> {
  const groups = groupBy(
    deliveries.filter(({ runKey }) => runKey !== undefined),
    ({ runKey }) => runKey as string,
  );
  return new Map([...groups].map(([runKey, group]) => [runKey, strongestLock(group).retainUntil]));
}

function strongestLock(deliveries: readonly DeliveryEntry[]) {
  const locks = deliveries.map(({ lock }) => lock);
  return locks.reduce((a, b) => (a.retainUntil >= b.retainUntil ? a : b));
}

function runKeysOf({ deliveries }: IndexedVersion): string[] {
  return [...new Set(deliveries.flatMap(({ runKey }) => runKey ?? []))].sort();
}

function planeOf({ deliveries }: IndexedVersion): Plane {
  return deliveries.some(({ kind }) => kind === 'trace') ? 'traces' : 'lineage';
}
