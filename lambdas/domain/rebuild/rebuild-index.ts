import { fileReport } from '../audit/report.ts';
import { mapConcurrently } from '../concurrency.ts';
import { LineageError } from '../errors.ts';
import { WorkPrefix } from '../evidence/evidence-prefix.ts';
import type { ListedVersion, ObjectVersion } from '../evidence/ports.ts';
import { listPartitions, type Partition, type RebuiltInterval } from './partition.ts';
import type { WorkNotes } from './ports.ts';
import {
  addCounts,
  type PartitionCount,
  type RebuildDependencies,
  rebuildPartition,
} from './rebuild-partition.ts';
import { type RebuildPlan, type RebuildReport, rebuildReport } from './rebuild-report.ts';

export interface RebuildIndexDependencies extends RebuildDependencies {
  readonly notes: WorkNotes;
}

/** A partition of a plan, as the workers of it are told. */
export interface PlannedPartition extends Partition {
  readonly plan: string;
  /** Position in the plan, by which its result is found. */
  readonly at: number;
}

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
  const partitions = await listPartitions(interval, dependencies);
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
 * Rebuilds a partition of a plan and notes its result, by which the partition is done for everybody: one that was noted
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
  const { next, ...done } = await rebuildPartition(partition, dependencies, before?.after, hasTime);
  const count = before ? addCounts(before.count, done) : done;
  if (next) return { count, after: next };
  await notes.put(partKey(partition.plan, partition.at), count);
  return undefined;
}

/**
 * Adds up the results of a plan and locks the report of it.
 * @throws LineageError `rebuild_unfinished` while a partition has no result
 */
export async function reportRebuild(
  plan: RebuildPlan,
  dependencies: RebuildIndexDependencies,
): Promise<{ readonly report: RebuildReport; readonly location: ObjectVersion }> {
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

function planKey(plan: string): string {
  return `${WorkPrefix.plans}rebuild-index/${plan}.json`;
}

function partKey(plan: string, at: number): string {
  return `${WorkPrefix.parts}rebuild-index/${plan}/${at}.json`;
}
