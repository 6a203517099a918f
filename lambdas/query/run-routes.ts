import { mapConcurrently } from '../domain/evidence/concurrency.ts';
import type { RunEventEntry } from '../domain/evidence/index-entries.ts';
import { isUuid } from '../domain/openlineage/event.ts';
import { runKeyOf } from '../domain/openlineage/run-key.ts';
import { viewRun } from '../domain/openlineage/run-view.ts';
import type { ObjectReader, RunIndex, VersionInspector, VersionState } from '../domain/ports.ts';
import { linksOfRun } from '../domain/traces/run-links.ts';
import { HttpProblem, jsonResponse, notFound } from '../shared/http/problem.ts';
import type { Route } from '../shared/http/router.ts';

export interface ReadDependencies {
  readonly index: RunIndex;
  readonly reader: ObjectReader;
  readonly inspector: VersionInspector;
}

/** Versions whose lock is asked of S3 for one answer; a run in more of them is shown as promised. */
const MAX_INSPECTED_VERSIONS = 25;
const CONCURRENT_READS = 8;

export function runRoutes({ index, inspector }: ReadDependencies): Route[] {
  const answer = async (runId: string, submitter: string | undefined) => {
    const runKey = runKeyOf(runId);
    const [held, datasets, references, traceRuns, findings] = await Promise.all([
      index.runEvents(runKey),
      index.runDatasets(runKey),
      index.references(runKey),
      index.runTraces(runKey),
      index.runFindings(runKey),
    ]);
    const events = chooseGroup(runId, held, submitter);
    if (submitter !== undefined && held.length > 0 && events.length === 0) {
      throw notFound(
        'no such submitter sent events of this run; leave out ?submitter= to see who did',
      );
    }
    if (events.length + references.length + traceRuns.length === 0) {
      throw notFound('no event, span or other run names this run');
    }
    const groups = new Set(events.map((event) => event.submitter.group));
    const view = viewRun({
      runId,
      events,
      datasets: datasets.filter(({ group }) => groups.has(group)),
      references,
      findings,
      traces: await linksOfRun(traceRuns, groups, index),
      declarations: events[0] ? await index.declarations(events[0].job) : [],
      heldReferences: await heldAmong(events, index),
      versions: await inspect(events, inspector),
    });
    return jsonResponse(200, view);
  };
  return [
    {
      path: '/runs/{runId}',
      handle: ({ parameters, query }) => answer(parameters.runId as string, query.submitter),
    },
    {
      path: '/run',
      handle: ({ query }) => {
        if (!query.runId) throw new HttpProblem(400, 'Bad Request', 'give the run id: ?runId=');
        return answer(query.runId, query.submitter);
      },
    },
  ];
}

/** An id that is no UUID names a run of its own in each group: the caller has to say which. */
function chooseGroup(
  runId: string,
  events: readonly RunEventEntry[],
  submitter: string | undefined,
) {
  if (submitter !== undefined) {
    return events.filter(
      (event) => event.submitter.group === submitter || event.submitter.producerId === submitter,
    );
  }
  const groups = [...new Set(events.map((event) => event.submitter.group))].sort();
  if (!isUuid(runId) && groups.length > 1) {
    throw new HttpProblem(
      409,
      'Conflict',
      `this id is no UUID and names a run in each of several groups; repeat with ?submitter= and one of: ${groups.join(', ')}`,
    );
  }
  return events;
}

async function heldAmong(events: readonly RunEventEntry[], index: RunIndex): Promise<Set<string>> {
  const named = new Set(
    events.flatMap(({ parent, root }) => [parent?.runId ?? [], root?.runId ?? []].flat()),
  );
  const held = new Set<string>();
  await mapConcurrently([...named], CONCURRENT_READS, async (runId) => {
    if ((await index.runEvents(runKeyOf(runId))).length > 0) held.add(runId);
  });
  return held;
}

async function inspect(events: readonly RunEventEntry[], inspector: VersionInspector) {
  const versions = new Map(events.map(({ location }) => [location.versionId, location]));
  const states = new Map<string, VersionState>();
  if (versions.size > MAX_INSPECTED_VERSIONS) return states;
  await mapConcurrently([...versions.values()], CONCURRENT_READS, async (location) => {
    states.set(location.versionId, await inspector.inspect(location));
  });
  return states;
}
