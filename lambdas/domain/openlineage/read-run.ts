import { mapConcurrently } from '../concurrency.ts';
import { LineageError } from '../errors.ts';
import type { RunEventEntry } from '../evidence/index-entries.ts';
import type { VersionInspector, VersionState } from '../evidence/ports.ts';
import type { RunIndex } from '../evidence/run-index.ts';
import { versionName } from '../evidence/version-name.ts';
import type { HoldIndex } from '../holds/ports.ts';
import type { ProofReaders } from '../integrity/proof-digests.ts';
import { integrityOf } from '../integrity/proof-status.ts';
import { linksOfRun } from '../traces/run-links.ts';
import { isUuid } from './identity.ts';
import { runKeyOf } from './run-key.ts';
import { viewRun } from './run-view.ts';

export interface ReadRunDependencies extends ProofReaders {
  readonly index: RunIndex;
  readonly holds: Pick<HoldIndex, 'ofRun'>;
}

/** The id is no UUID and names a run of its own in each of these groups: the caller has to say which. */
export class AmbiguousRunError extends LineageError {
  override readonly name = 'AmbiguousRunError';
  readonly groups: readonly string[];

  constructor(groups: readonly string[]) {
    super('ambiguous_run', 'the run id is used by several groups');
    this.groups = groups;
  }
}

/** Versions whose lock is asked of S3 for one answer; a run in more of them is shown as promised. */
const MAX_INSPECTED_VERSIONS = 25;
const CONCURRENT_READS = 8;

/**
 * Reads what the store has of a run and answers `GET /api/v1/runs/{runId}`. Undefined when neither an
 * event nor a span, another run, a finding nor a hold ever named it, or when the submitter asked for did not.
 * @param submitter a group or a producer id; all of them when absent
 * @throws AmbiguousRunError, UnavailableError
 */
export async function readRun(
  runId: string,
  submitter: string | undefined,
  { holds, index, inspector, reader }: ReadRunDependencies,
) {
  const runKey = runKeyOf(runId);
  const [held, datasets, references, traceRuns, findings, onRun] = await Promise.all([
    index.runEvents(runKey),
    index.runDatasets(runKey),
    index.references(runKey),
    index.runTraces(runKey),
    index.runFindings(runKey),
    holds.ofRun(runKey),
  ]);
  const events = ofSubmitter(runId, held, submitter);
  if (events.length < held.length && events.length === 0) return undefined;
  // what is found of a run, or on it, outlives all that it left
  const known = [events, references, traceRuns, findings, onRun];
  if (known.every(({ length }) => length === 0)) return undefined;

  const groups = new Set(events.map((event) => event.submitter.group));
  const [traces, declarations, heldReferences, versions] = await Promise.all([
    linksOfRun(traceRuns, groups, index),
    events[0] ? index.declarations(events[0].job) : [],
    heldAmong(events, index),
    inspect(events, inspector),
  ]);
  const integrity = await integrityOf(events, versions, { inspector, reader });
  return viewRun({
    ...{ runId, events, references, findings, traces, declarations, heldReferences, versions },
    integrity,
    datasets: datasets.filter(({ group }) => groups.has(group)),
    holds: onRun.filter(({ group }) => group === undefined || groups.has(group)),
  });
}

/** An id that is no UUID is unique only within its group. */
function ofSubmitter(
  runId: string,
  events: readonly RunEventEntry[],
  submitter: string | undefined,
): readonly RunEventEntry[] {
  if (submitter !== undefined) {
    return events.filter(
      (event) => event.submitter.group === submitter || event.submitter.producerId === submitter,
    );
  }
  const groups = [...new Set(events.map((event) => event.submitter.group))].sort();
  if (!isUuid(runId) && groups.length > 1) throw new AmbiguousRunError(groups);
  return events;
}

async function heldAmong(events: readonly RunEventEntry[], index: RunIndex): Promise<Set<string>> {
  const named = new Set(
    events.flatMap(({ parent, root }) => [parent, root]).map((run) => run?.runId),
  );
  const held = new Set<string>();
  await mapConcurrently([...named], CONCURRENT_READS, async (runId) => {
    if (runId !== undefined && (await index.holdsRun(runKeyOf(runId)))) held.add(runId);
  });
  return held;
}

async function inspect(
  events: readonly RunEventEntry[],
  inspector: VersionInspector,
): Promise<Map<string, VersionState>> {
  const versions = new Map(events.map(({ location }) => [versionName(location), location]));
  const states = new Map<string, VersionState>();
  if (versions.size > MAX_INSPECTED_VERSIONS) return states;
  await mapConcurrently([...versions], CONCURRENT_READS, async ([name, version]) => {
    states.set(name, await inspector.inspect(version));
  });
  return states;
}
