import { type Finding, openFinding } from '../audit/findings.ts';
import type { AuditInterval } from '../audit/population.ts';
import { identified, type Report } from '../audit/report.ts';
import { storeKey } from '../evidence/store-key.ts';
import { DigestSearch } from '../integrity/sealing-digests.ts';
import type { HoldIndex } from '../ports.ts';
import { type Hold, isActive } from './hold.ts';
import {
  type HoldOutcome,
  type ReconcileHoldDependencies,
  reconcileHold,
} from './reconcile-hold.ts';

/** What the daily look at all holds saw. */
export interface HoldReport extends Report {
  readonly kind: 'holds';
  /** `incomplete` when a version of a hold failed or was not got to. */
  readonly status: 'complete' | 'incomplete';
  readonly population: { readonly active: number; readonly releasedLately: number };
  readonly checked: { readonly held: number; readonly free: number; readonly missing: number };
}

/**
 * A release that met the archiving of an event in the same moment can leave a bit on, and one that failed in part
 * leaves some: for this long each is looked at again.
 */
const LATELY_MILLIS = 7 * 86_400_000;

/** Holds of one look at the index. */
const PAGE = 500;

/**
 * Makes the bits of all active holds, and of those released lately, say how they stand. What was sealed, promoted or
 * lifted by somebody else since is set here.
 * @param hasTime false when no further version may be begun
 */
export async function reconcileHolds(
  interval: AuditInterval,
  hasTime: () => boolean,
  dependencies: ReconcileHoldDependencies,
): Promise<HoldReport> {
  const digests = new DigestSearch(dependencies, dependencies.clock);
  const since = dependencies.clock() - LATELY_MILLIS;
  const population = { active: 0, releasedLately: 0 };
  const checked = { held: 0, free: 0, missing: 0 };
  const findings: Finding[] = [];
  for await (const hold of allHolds(storeKey('holds', interval.asOf), dependencies)) {
    if (!isActive(hold) && Date.parse(hold.at) < since) continue;
    population[isActive(hold) ? 'active' : 'releasedLately']++;
    const outcome = await reconcileHold(hold, digests, hasTime, dependencies);
    checked.held += outcome.held.length;
    checked.free += outcome.free.length;
    checked.missing += outcome.missing.length;
    if (outcome.status === 'partial') findings.push(incomplete(outcome, interval));
  }
  const status = findings.length > 0 ? ('incomplete' as const) : ('complete' as const);
  return identified({
    kind: 'holds' as const,
    ...interval,
    status,
    population,
    checked,
    findings: findings.toSorted((a, b) => (a.id < b.id ? -1 : 1)),
  });
}

/** Every hold once, those behind an id first: of each run another one, so that what there was no time for has its turn. */
async function* allHolds(
  first: string,
  { holds }: ReconcileHoldDependencies,
): AsyncGenerator<Hold> {
  yield* holdsFrom(first, holds);
  for await (const hold of holdsFrom(undefined, holds)) {
    if (hold.id > first) return;
    yield hold;
  }
}

async function* holdsFrom(start: string | undefined, holds: HoldIndex): AsyncGenerator<Hold> {
  let after = start;
  do {
    const { holds: page, next } = await holds.list(PAGE, after);
    yield* page;
    after = next;
  } while (after !== undefined);
}

function incomplete({ hold, failed, pending }: HoldOutcome, { asOf }: AuditInterval): Finding {
  return openFinding('hold_incomplete', {
    plane: 'store',
    subject: hold.id,
    at: asOf,
    runKeys: [hold.runKey],
    detail: { failed: failed.length, pending, ...(failed[0] && { code: failed[0].code }) },
  });
}
