import type { Finding } from '../audit/findings.ts';
import { groupBy, uniqueBy } from '../collections.ts';
import type {
  DeclarationEntry,
  ReferenceEntry,
  RunDatasetEntry,
  RunEventEntry,
  RunReference,
} from '../evidence/index-entries.ts';
import { versionName } from '../evidence/version-name.ts';
import type { VersionState } from '../ports.ts';
import { type Qualification, storeSays } from '../qualification.ts';
import type { RunTraceLink } from '../traces/run-links.ts';
import type { Identity } from './event.ts';
import { type FoldedRun, foldRun, type LogicalEvent, latest, type RunState } from './run-fold.ts';

/** What no event can establish, said in every answer about a run (design.md, Lineage). */
export const NOT_ESTABLISHED = [
  'actorIdentity',
  'authority',
  'objectsActuallyAccessed',
  'truthOfTheDeclaration',
  'eventsNeverSent',
] as const;

/** Everything the view of one run is made of, already read. */
export interface RunMaterial {
  readonly runId: string;
  readonly events: readonly RunEventEntry[];
  readonly datasets: readonly RunDatasetEntry[];
  readonly references: readonly ReferenceEntry[];
  readonly traces: readonly RunTraceLink[];
  readonly findings: readonly Finding[];
  readonly declarations: readonly DeclarationEntry[];
  /** Run keys of parent and root that the store holds events of. */
  readonly heldReferences: ReadonlySet<string>;
  /** State of the object versions that hold the events, by name, where it was looked at. */
  readonly versions: ReadonlyMap<string, VersionState>;
}

type RunViewState = RunState | 'contested' | 'NOT_HELD';

/**
 * The answer about a run (contract.md, Reading). Events of several groups are never mixed: each
 * group's fold is shown and the state is `contested`.
 */
export function viewRun(material: RunMaterial) {
  const byGroup = groupBy(material.events, ({ submitter }) => submitter.group);
  const folds = [...byGroup].map(([group, events]) => ({ group, fold: foldRun(events) }));
  const [only] = folds;
  if (!only) return viewUnheldRun(material);

  const state: RunViewState = folds.length === 1 ? only.fold.state : 'contested';
  const events = folds.flatMap(({ fold }) => fold.events);
  const statements = folds.map(({ group, fold }) => viewStatement(group, fold, material));
  const [agreed = NOTHING_AGREED] = statements.length === 1 ? statements : [];
  return {
    runId: latest(only.fold, (entry) => entry.runId) as string,
    state,
    ...agreed,
    declared: declaredInAdvance(material),
    submitter: uniqueBy(
      events.map(({ entry }) => entry.submitter),
      (submitter) => submitter.producerId,
    ),
    ...(folds.length > 1 && {
      groups: folds.map(({ group, fold }, i) => ({
        group,
        state: fold.state,
        ...(statements[i] as Statement),
      })),
    }),
    events: events.map(viewEvent),
    referredToBy: material.references.map(viewReferrer),
    traces: material.traces,
    findings: material.findings,
    retention: viewRetention(events, material.versions),
    integrity: { status: 'pending', digestKey: null },
    limits: [],
    qualifications: [
      ...[...material.versions.values()].flatMap(({ status }) =>
        status === 'missing' ? [VERSION_MISSING] : [],
      ),
      ...(state === 'contested' ? [CONTESTED] : []),
      ...uniqueBy(
        folds.flatMap(({ fold }) => qualify(fold)),
        ({ code, text }) => `${code} ${text}`,
      ),
      ...material.traces.flatMap(({ traceId, governed, held }) =>
        held && !governed
          ? [storeSays('trace_in_staging', `trace ${traceId} is not locked yet`)]
          : [],
      ),
    ],
    notEstablished: NOT_ESTABLISHED,
  };
}

/** What the events of one group say of the run. */
export interface Statement {
  readonly startedAt: string | null;
  readonly endedAt: string | null;
  readonly job: Identity | null;
  readonly parent: ReturnType<typeof viewReference>;
  readonly root: ReturnType<typeof viewReference>;
  readonly inputs: readonly Identity[];
  readonly outputs: readonly Identity[];
  readonly basis: ReturnType<typeof viewBasis> | null;
}

/** The statement of a contested run: each group's own stands below `groups`, and nobody wins by being first. */
const NOTHING_AGREED: Statement = {
  startedAt: null,
  endedAt: null,
  job: null,
  parent: null,
  root: null,
  inputs: [],
  outputs: [],
  basis: null,
};

const VERSION_MISSING = storeSays(
  'version_missing',
  'an object version that held events of this run is not there any more',
);

const CONTESTED = storeSays(
  'contested',
  'producers of more than one group sent events under this run id',
);

function viewStatement(group: string, fold: FoldedRun, material: RunMaterial): Statement {
  const datasets = material.datasets.filter((dataset) => dataset.group === group);
  return {
    startedAt: fold.startedAt ?? null,
    endedAt: fold.endedAt ?? null,
    job: fold.job,
    parent: viewReference(
      material,
      latest(fold, (entry) => entry.parent),
    ),
    root: viewReference(
      material,
      latest(fold, (entry) => entry.root),
    ),
    inputs: namesOf(datasets, 'read'),
    outputs: namesOf(datasets, 'write'),
    basis: viewBasis(fold),
  };
}

/** An id that is known only because something refers to it. */
function viewUnheldRun({ runId, references, traces, findings }: RunMaterial) {
  return {
    runId,
    state: 'NOT_HELD' as const,
    events: [],
    referredToBy: references.map(viewReferrer),
    traces,
    findings,
    qualifications: [
      storeSays(
        'run_not_held',
        'no event of this run was received; it is known because others refer to it',
      ),
    ],
    notEstablished: NOT_ESTABLISHED,
  };
}

function viewEvent({ entry, receiptIds }: LogicalEvent) {
  const {
    eventType,
    eventTime,
    eventTimeUtc,
    receiptId,
    acceptedAt,
    digest,
    location,
    deviations,
    redaction,
  } = entry;
  return {
    receiptId,
    eventType: eventType ?? null,
    eventTime: eventTime ?? null,
    eventTimeUtc: eventTimeUtc ?? null,
    acceptedAt,
    submitter: entry.submitter,
    deliveries: receiptIds.length,
    receiptIds,
    digest,
    location,
    deviations,
    redaction,
  };
}

function viewReference({ heldReferences }: RunMaterial, reference: RunReference | undefined) {
  if (!reference) return null;
  const { runId, job } = reference;
  return {
    runId,
    job: job ?? null,
    held: heldReferences.has(runId),
    assertedBy: 'caller' as const,
  };
}

function viewReferrer({ by, from, receiptId }: ReferenceEntry) {
  return { by, from, receiptId };
}

/** What the producer says of how the record came about. Undeclared is an answer; nothing is inferred. */
function viewBasis(run: FoldedRun) {
  const tag = (name: string) => latest(run, ({ tags }) => tags[name]);
  const parent = latest(run, (entry) => entry.parent);
  const malformed = run.events.some(({ entry }) => entry.parentMalformed);
  const actor = tag('lineage.actor');
  return {
    derivation: tag('lineage.derivation') ?? 'undeclared',
    completeness: tag('lineage.completeness') ?? 'undeclared',
    parentage: actor ?? (parent ? 'supplied' : malformed ? 'malformed' : 'undeclared'),
    assertedBy: 'producer' as const,
  };
}

/** Whether a JobEvent declared the job before its first run event was accepted. */
function declaredInAdvance({ declarations, events }: RunMaterial) {
  const first = events.map(({ acceptedAt }) => acceptedAt).sort()[0] as string;
  const earliest = declarations.toSorted((a, b) => (a.acceptedAt < b.acceptedAt ? -1 : 1))[0];
  if (!earliest) return null;
  return {
    inAdvance: earliest.acceptedAt < first,
    receiptId: earliest.receiptId,
    at: earliest.acceptedAt,
  };
}

/** The weakest lock among the versions that hold the run: what the bucket says, else what was promised. */
function viewRetention(
  events: readonly LogicalEvent[],
  versions: ReadonlyMap<string, VersionState>,
) {
  const locks = events.map(({ entry }) => lockOf(entry, versions.get(versionName(entry.location))));
  const [weakest] = locks.toSorted((a, b) =>
    (a.retainUntil ?? '') < (b.retainUntil ?? '') ? -1 : 1,
  );
  return { class: events[0]?.entry.retentionClass ?? null, ...weakest };
}

/** What the bucket says of the version; what was promised where it was not asked or may not be. */
function lockOf({ lock }: RunEventEntry, state: VersionState | undefined) {
  switch (state?.status) {
    case 'present':
      return {
        mode: state.mode ?? null,
        retainUntil: state.retainUntil ?? null,
        legalHold: state.legalHold,
        from: 'bucket',
      };
    case 'missing':
      return { mode: null, retainUntil: null, legalHold: false, from: 'bucket' };
    default:
      return { mode: lock.mode, retainUntil: lock.retainUntil, legalHold: false, from: 'index' };
  }
}

/** Jobs for which no terminal event is expected (OpenLineage, JobTypeJobFacet). */
const ENDLESS: ReadonlySet<string> = new Set(['STREAMING', 'SERVICE']);

function qualify(run: FoldedRun): Qualification[] {
  const found: Qualification[] = [
    storeSays('not_sealed', 'no digest seals this run yet'),
    storeSays(
      'whole_value_redaction',
      'sensitive values are replaced whole; row limits inside SQL are not shown',
    ),
  ];
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

function namesOf(
  datasets: readonly RunDatasetEntry[],
  access: RunDatasetEntry['access'],
): Identity[] {
  return datasets
    .filter((dataset) => dataset.access === access)
    .map(({ namespace, name }) => ({ namespace, name }))
    .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}
