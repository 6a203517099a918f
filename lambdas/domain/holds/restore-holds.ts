import { groupBy } from '../collections.ts';
import { mapConcurrently } from '../concurrency.ts';
import { errorCode } from '../errors.ts';
import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import { seriesOf } from '../evidence/numbered-records.ts';
import type { Clock, ListedVersion, ObjectReader, VersionInspector } from '../evidence/ports.ts';
import type { RetentionPolicy } from '../evidence/retention.ts';
import { type Hold, isActive, isHold, readStep, stepOfKey } from './hold.ts';
import type { HoldIndex } from './ports.ts';

export interface RestoreDependencies {
  readonly holds: HoldIndex;
  readonly inspector: Pick<VersionInspector, 'list'>;
  readonly reader: ObjectReader;
  readonly vaultBucket: string;
  readonly retention: Pick<RetentionPolicy, 'recordDays'>;
  readonly clock: Clock;
}

/** What was not as it should be with one hold. */
export interface HoldTrouble {
  readonly runKeys: readonly string[];
  readonly detail: Readonly<Record<string, string | number | boolean>>;
}

/** Holds as they stand, and what was found on the way; both by id. */
export interface StandingHolds {
  readonly standing: ReadonlyMap<string, Hold>;
  readonly troubles: ReadonlyMap<string, HoldTrouble>;
}

/** A step of a hold as it is listed. */
interface ListedStep {
  readonly id: string;
  readonly number: number;
  readonly version: ListedVersion;
}

/** Rows of one look at the index. */
const PAGE = 500;

/** Holds looked at at once: each takes a query, and a read where a row is missing. */
const CONCURRENT_HOLDS = 16;

/** Where a row that names no hold is reported. */
const NAMELESS = 'unreadable-hold-row';
const HOLD_ID = /^[0-9a-f]{64}$/;

/**
 * Puts the rows of holds anew where the vault has a later step than they, or they are missing: without its row a hold
 * would end without a word. The vault is listed first, so that a step is in one of the two.
 * @throws LineageError when vault or index cannot be listed
 */
export async function restoreHolds(dependencies: RestoreDependencies): Promise<StandingHolds> {
  const { steps, outOfTurn } = await listedSteps(dependencies);
  const { rows: standing, unreadable } = await listedRows(dependencies.holds);
  const ofRun = rowsOfRuns(dependencies.holds);
  const troubles = new Map<string, HoldTrouble>(
    unreadable.map((id) => [id, { runKeys: [], detail: { unreadableRow: true } }]),
  );
  await mapConcurrently([...steps], CONCURRENT_HOLDS, async ([id, ofHold]) => {
    const row = standing.get(id);
    const strange = outOfTurn.get(id) ?? 0;
    const detail: Record<string, string | number | boolean> =
      strange > 0 ? { outOfTurn: strange } : {};
    try {
      const known = row && Math.min(row.number, (await ofRun(row.runKey)).get(id) ?? 0);
      const step = await lastStep(ofHold, known ?? 0, dependencies.reader, detail);
      if (step) {
        await dependencies.holds.put(step);
        detail.restored = true;
        if (step.number > (row?.number ?? 0)) standing.set(id, step);
      }
    } catch (error) {
      detail.code = errorCode(error);
    }
    if (Object.keys(detail).length === 0) return;
    const runKey = standing.get(id)?.runKey;
    const before = troubles.get(id)?.detail;
    troubles.set(id, { runKeys: runKey ? [runKey] : [], detail: { ...before, ...detail } });
  });
  return { standing, troubles };
}

/** The last readable step behind a number; undefined when there is none. Counts what is no step. */
async function lastStep(
  steps: readonly ListedStep[],
  known: number,
  reader: ObjectReader,
  detail: Record<string, string | number | boolean>,
): Promise<Hold | undefined> {
  let unreadable = 0;
  for (const { version } of steps.filter(({ number }) => number > known)) {
    const step = readStep(await reader.read(version), version.key);
    if (step) return step;
    detail.unreadable = ++unreadable;
  }
  return undefined;
}

/**
 * The steps of each hold in the vault, the last one first. Keys are written once: of several versions the first is
 * ours. A set that leaps over steps is believed, since what it holds too much a release puts right.
 */
async function listedSteps({ clock, inspector, retention, vaultBucket }: RestoreDependencies) {
  const byKey = new Map<string, ListedStep>();
  for await (const version of inspector.list(vaultBucket, EvidencePrefix.holds)) {
    const step = version.deleteMarker ? undefined : stepOfKey(version.key);
    // S3 lists the first version of a key last.
    if (step) byKey.set(version.key, { ...step, version });
  }
  const steps = new Map<string, readonly ListedStep[]>();
  const outOfTurn = new Map<string, number>();
  for (const [id, ofHold] of groupBy(byKey.values(), (step) => step.id)) {
    const series = seriesOf(ofHold, retention, clock(), isActive);
    steps.set(id, series.inTurn.toReversed());
    outOfTurn.set(id, series.outOfTurn.length);
  }
  return { steps, outOfTurn };
}

async function listedRows(holds: HoldIndex) {
  const rows = new Map<string, Hold>();
  const unreadable: string[] = [];
  let after: string | undefined;
  do {
    const page = await holds.list(PAGE, after);
    for (const row of page.holds as readonly unknown[]) {
      if (isHold(row)) rows.set(row.id, row);
      else unreadable.push(idOf(row));
    }
    after = page.next;
  } while (after !== undefined);
  return { rows, unreadable };
}

function idOf(row: unknown): string {
  const id = (row as Partial<Hold> | null | undefined)?.id;
  return typeof id === 'string' && HOLD_ID.test(id) ? id : NAMELESS;
}

/** Numbers of the holds of a run, by id, by the other of the two rows; each run is asked for once. */
function rowsOfRuns(holds: HoldIndex) {
  const runs = new Map<string, Promise<ReadonlyMap<string, number>>>();
  const ask = async (runKey: string) => {
    const rows = (await holds.ofRun(runKey)).filter(isHold);
    return new Map(rows.map(({ id, number }) => [id, number]));
  };
  return (runKey: string) => {
    const asked = runs.get(runKey) ?? ask(runKey);
    runs.set(runKey, asked);
    return asked;
  };
}
