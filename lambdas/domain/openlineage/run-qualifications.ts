import { uniqueBy } from '../collections.ts';
import type { VersionState } from '../evidence/ports.ts';
import type { Integrity } from '../integrity/proof-status.ts';
import { type Qualification, storeSays } from '../qualification.ts';
import type { RunTraceLink } from '../traces/run-links.ts';
import { type FoldedRun, latest } from './run-fold.ts';

const VERSION_MISSING = storeSays(
  'version_missing',
  'an object version that held events of this run is not there any more',
);

const NOT_SEALED = {
  pending: storeSays('not_sealed', 'no digest seals all of this run yet'),
  late: storeSays(
    'not_sealed',
    'some of this run is not in the digest of the interval it landed in: a later one has it, or will',
  ),
};

const CONTESTED = storeSays(
  'contested',
  'producers of more than one group sent events under this run id',
);

/**
 * What a reader of a run must know before concluding anything from it.
 * @param folds one for each group that sent events under the run id
 */
export function qualifyRun(
  folds: readonly FoldedRun[],
  {
    versions,
    integrity,
    traces,
  }: {
    readonly versions: ReadonlyMap<string, VersionState>;
    readonly integrity: Integrity;
    readonly traces: readonly RunTraceLink[];
  },
): Qualification[] {
  return [
    ...[...versions.values()].flatMap(({ status }) =>
      status === 'missing' ? [VERSION_MISSING] : [],
    ),
    ...(integrity.status === 'sealed' ? [] : [NOT_SEALED[integrity.status]]),
    ...(folds.length > 1 ? [CONTESTED] : []),
    ...uniqueBy(folds.flatMap(qualifyFold), ({ code, text }) => `${code} ${text}`),
    ...traces.flatMap(({ traceId, governed, held }) =>
      held && !governed
        ? [storeSays('trace_in_staging', `trace ${traceId} is not locked yet`)]
        : [],
    ),
  ];
}

/** Jobs for which no terminal event is expected (OpenLineage, JobTypeJobFacet). */
const ENDLESS: ReadonlySet<string> = new Set(['STREAMING', 'SERVICE']);

/** What the events of one group leave open. */
function qualifyFold(run: FoldedRun): Qualification[] {
  const found: Qualification[] = [];
  if (!run.events.some(({ entry }) => entry.eventType === 'START')) {
    found.push(storeSays('missing_start', 'no START event is held'));
  }
  const processingType = latest(run, (entry) => entry.processingType) ?? 'BATCH';
  if (run.terminals.length === 0 && ENDLESS.has(processingType)) {
    found.push(storeSays('no_terminal_expected', `a ${processingType} job does not end by itself`));
  } else if (run.terminals.length === 0) {
    found.push(
      storeSays('missing_terminal', 'no COMPLETE, FAIL or ABORT is held: the outcome is not known'),
    );
  }
  if (run.terminals.length > 1) {
    found.push(
      storeSays(
        'conflicting_terminals',
        `the run ended more than once: ${run.terminals.join(', ')}`,
      ),
    );
  }
  if (run.jobNames > 1)
    found.push(storeSays('job_name_changed', 'the events of this run name more than one job'));
  if (run.events.some(({ entry }) => entry.redaction.mode === 'skeleton')) {
    found.push(storeSays('stored_reduced', 'at least one event is held as a skeleton only'));
  }
  if (run.events.some(({ entry }) => entry.unreadStatements !== undefined)) {
    found.push(
      storeSays(
        'statement_not_read',
        'a statement could not be read in full: row limits in it are not known',
      ),
    );
  }
  const leftOut = run.events.reduce((sum, { entry }) => sum + (entry.datasetsNotIndexed ?? 0), 0);
  if (leftOut > 0) {
    found.push(
      storeSays(
        'datasets_not_listed',
        `${leftOut} datasets stand in the documents only, not in this list`,
      ),
    );
  }
  const completeness = latest(run, ({ tags }) => tags['lineage.completeness']);
  if (completeness !== undefined) {
    found.push({
      code: `completeness_${completeness.replaceAll('-', '_')}`,
      text: `the producer declares completeness "${completeness}"`,
      from: 'producer',
      path: '$.run.facets.tags',
    });
  }
  return found;
}
