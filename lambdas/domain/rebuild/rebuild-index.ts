import { fileReport } from '../audit/report.ts';
import { mapConcurrently } from '../concurrency.ts';
import { LineageError } from '../errors.ts';
import { WorkPrefix } from '../evidence/evidence-prefix.ts';
import type { ListedVersion, ObjectVersion } from '../evidence/ports.ts';
import {
  listPartitions,
  listSealedDays,
  type Partition,
  type RebuiltInterval,
  type SealedDay,
} from './partition.ts';
import type { WorkNotes } from './ports.ts';
import {
  addCounts,
  type PartitionCount,
  type RebuildDependencies,
  rebuildPartition,
} from './rebuild-partition.ts';
import { type RebuildPlan, type RebuildReport, rebuildReport } from './rebuild-report.ts';
import { compareSealed } from './sealed-objects.ts';

export interface RebuildIndexDependencies extends RebuildDependencies {
  readonly notes: WorkNotes;
}

/** A partition of a plan, as the workers of it are told. */
export type PlannedPartition = (Partition | SealedDay) & {
  readonly plan: string;
  /** Position in the plan, by which its result is found. */
  readonly at: number;
};

/** Notes of a plan read or written at once. */
const CONCURRENT_NOTES = 32;

const PLAN_NAME = /^[a-z0-9-]{1,64}$/;

/**
 * Lists what is to be rebuilt and notes it: `plans/rebuild-index/<plan>.json` for whoever resumes, and the items
 * alone for a Distributed Map, which reads a list.
 * @param plan name of the plan, such as {@link planName} makes
 */
export async function planRebuild(
  plan: string,
  interval: RebuiltInterval,
  dependencies: RebuildIndexDependencies,
): Promise<RebuildPlan> {
  const asOf = new Date(dependencies.clock()).toISOString();
  const partitions = [
    ...(await listPartitions(interval, dependencies)),
    ...(await listSealedDays(interval, dependencies)),
  ];
  const made = { plan, asOf, partitions };
  await dependencies.notes.put(itemsKey(plan), plannedPartitions(made));
  await dependencies.notes.put(planKey(plan), made);
  return made;
}

/** A plan by its name. @throws LineageError `plan_unknown` */
export async function findPlan(
  plan: string,
  { notes }: Pick<RebuildIndexDependencies, 'notes'>,
): Promise<RebuildPlan> {
  const found = PLAN_NAME.test(plan) ? await notes.find(planKey(plan)) : undefined;
  if (!found) throw new LineageError('plan_unknown', 'there is no plan of this name in staging');
  return found as RebuildPlan;
}

/** `20261130t091500z`: in order, and fit for a key. */
export function planName(nowMillis: number): string {
  return new Date(nowMillis)
    .toISOString()
    .replace(/[-:]|\.\d+/g, '')
    .toLowerCase();
}

/** The items of a plan. */
export function plannedPartitions({ plan, partitions }: RebuildPlan): PlannedPartition[] {
  return partitions.map((partition, at) => ({ plan, at, ...partition }));
}

/** Where the items of a plan are noted, as a JSON list. */
export function itemsKey(plan: string): string {
  return `${WorkPrefix.plans}rebuild-index/${plan}-items.json`;
}

/** Where an unfinished partition goes on, and what was done of it by then. */
export interface Continuation {
  readonly count: PartitionCount;
  readonly after: ListedVersion;
}

/**
 * Rebuilds a partition of a plan, or compares a day of digests, and notes the result, by which the partition is done for everybody: one that was noted
 * is not rebuilt again.
 * @param hasTime asked before each window of objects but the first
 * @returns where to go on, when there was no time to finish
 */
export async function rebuildPlanned(
  partition: PlannedPartition,
  dependencies: RebuildIndexDependencies,
  before?: Continuation,
  hasTime?: () => boolean,
): Promise<Continuation | undefined> {
  const { notes } = dependencies;
  if (await notes.find(partKey(partition.plan, partition.at))) return undefined;
  const { next, ...done } = await (partition.kind === 'digests'
    ? compareSealed(partition, dependencies, before?.after, hasTime)
    : rebuildPartition(partition, dependencies, before?.after, hasTime));
  const count = before ? addCounts(before.count, done) : done;
  if (next) return { count, after: next };
  await notes.put(partKey(partition.plan, partition.at), count);
  return undefined;
}

export interface FiledRebuild {
  readonly report: RebuildReport;
  readonly location: ObjectVersion;
}

/**
 * Adds up the results of a plan and locks the report of it.
 * @throws LineageError `rebuild_unfinished` while a partition has no result
 */
export async function reportRebuild(
  plan: RebuildPlan,
  dependencies: RebuildIndexDependencies,
): Promise<FiledRebuild> {
  const counts = await mapConcurrently(
    plan.partitions.map((_, at) => at),
    CONCURRENT_NOTES,
    (at) => dependencies.notes.find(partKey(plan.plan, at)),
  );
  if (counts.includes(undefined)) {
    throw new LineageError('rebuild_unfinished', 'a partition of the plan is not rebuilt yet');
  }
  const report = rebuildReport(plan, counts as PartitionCount[]);
  return { report, location: await fileReport(report, dependencies) };
}

/** What a rebuild answers, wherever it ran: how it went, and where its report is locked. */
export interface Rebuilt {
  readonly plan: string;
  readonly status: RebuildReport['status'];
  readonly rebuilt: RebuildReport['rebuilt'];
  /** Objects that were not what their keys say. */
  readonly unreadable: number;
  /** Objects that a digest lists and that are gone; some of them by name. */
  readonly missing: number;
  readonly missingNamed: readonly string[];
  readonly location: ObjectVersion;
}

/** The state machine hands it on, so it names no more than a reader takes in. */
const MAX_ANSWERED = 20;

export function rebuildAnswer({ report, location }: FiledRebuild): Rebuilt {
  const { plan, status, rebuilt, unreadable, sealed } = report;
  const { missing, missingNamed } = sealed;
  return {
    ...{ plan, status, rebuilt, unreadable: unreadable.objects },
    ...{ missing, missingNamed: missingNamed.slice(0, MAX_ANSWERED), location },
  };
}

function planKey(plan: string): string {
  return `${WorkPrefix.plans}rebuild-index/${plan}.json`;
}

function partKey(plan: string, at: number): string {
  return `${WorkPrefix.parts}rebuild-index/${plan}/${at}.json`;
}
