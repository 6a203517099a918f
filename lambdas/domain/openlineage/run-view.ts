import { groupBy, uniqueBy } from '../collections.ts';
import type {
  DeclarationEntry,
  ReferenceEntry,
  RunDatasetEntry,
  RunEventEntry,
  RunReference,
} from '../evidence/index-entries.ts';
import type { VersionState } from '../evidence/ports.ts';
import type { Finding } from '../findings.ts';
import type { Hold } from '../holds/hold.ts';
import type { Integrity } from '../integrity/proof-status.ts';
import { storeSays } from '../qualification.ts';
import type { RunTraceLink } from '../traces/run-links.ts';
import type { Identity } from './identity.ts';
import { type FoldedRun, foldRun, type LogicalEvent, latest, type RunState } from './run-fold.ts';
import { qualifyRun } from './run-qualifications.ts';
import { viewRetention } from './run-retention.ts';

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
  /** Legal holds on the run, released ones included. */
  readonly holds: readonly Hold[];
  readonly declarations: readonly DeclarationEntry[];
  /** Run keys of parent and root that the store holds events of. */
  readonly heldReferences: ReadonlySet<string>;
  /** State of the object versions that hold the events, by name, where it was looked at. */
  readonly versions: ReadonlyMap<string, VersionState>;
  readonly integrity: Integrity;
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
    holds: material.holds.map(viewHold),
    retention: viewRetention(events, material.versions),
    integrity: material.integrity,
    limits: uniqueBy(
      events.flatMap(({ entry }) => entry.limits ?? []),
      (limit) => JSON.stringify(limit),
    ),
    qualifications: qualifyRun(
      folds.map(({ fold }) => fold),
      material,
    ),
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
function viewUnheldRun({ runId, references, traces, findings, holds }: RunMaterial) {
  return {
    runId,
    state: 'NOT_HELD' as const,
    events: [],
    referredToBy: references.map(viewReferrer),
    traces,
    findings,
    holds: holds.map(viewHold),
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

/** Why it is held is for who administers holds. */
function viewHold({ reference, at, status }: Hold) {
  return { reference, at, status };
}

function viewReferrer({ by, from, receiptId }: ReferenceEntry) {
  return { by, from, receiptId };
}

/**
 * What is said of how the record came about: by the producer, or, where it says nothing of it, by its
 * registration. Undeclared is an answer; nothing is inferred.
 */
function viewBasis(run: FoldedRun) {
  const tag = (name: string) => latest(run, ({ tags }) => tags[name]);
  const derivation = tag('lineage.derivation');
  const completeness = tag('lineage.completeness');
  const isSilent = derivation === undefined && completeness === undefined;
  const registered = isSilent ? latest(run, (entry) => entry.registeredBasis) : undefined;
  const parent = latest(run, (entry) => entry.parent);
  const malformed = run.events.some(({ entry }) => entry.parentMalformed);
  const actor = tag('lineage.actor');
  return {
    derivation: derivation ?? registered?.derivation ?? 'undeclared',
    completeness: completeness ?? registered?.completeness ?? 'undeclared',
    parentage: actor ?? (parent ? 'supplied' : malformed ? 'malformed' : 'undeclared'),
    assertedBy: registered ? ('registration' as const) : ('producer' as const),
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

function namesOf(
  datasets: readonly RunDatasetEntry[],
  access: RunDatasetEntry['access'],
): Identity[] {
  return datasets
    .filter((dataset) => dataset.access === access)
    .map(({ namespace, name }) => ({ namespace, name }))
    .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}
