import type { AuditInterval } from '../audit/population.ts';
import { identified, type Report } from '../audit/report.ts';
import { errorCode } from '../errors.ts';
import { type Finding, openFinding } from '../findings.ts';
import { DigestSearch } from '../integrity/sealing-digests.ts';
import { storeKey } from '../store-key.ts';
import { type Hold, isActive } from './hold.ts';
import {
  type HoldOutcome,
  type ReconcileHoldDependencies,
  reconcileHold,
} from './reconcile-hold.ts';
import { settleReleasedLast } from './released-last.ts';
import { type HoldTrouble, type RestoreDependencies, restoreHolds } from './restore-holds.ts';

/** What the daily look at all holds saw. */
export interface HoldReport extends Report {
  readonly kind: 'holds';
  /** `incomplete` when a version of a hold failed or was not got to, or a row or a document of one was not as it should be. */
  readonly status: 'complete' | 'incomplete';
  readonly population: { readonly active: number; readonly releasedLately: number };
  readonly checked: { readonly held: number; readonly free: number; readonly missing: number };
}

/**
 * A release that met the archiving of an event in the same moment can leave a bit on, and one that failed in part
 * leaves some: for this long each is looked at again.
 */
const LATELY_MILLIS = 7 * 86_400_000;

/**
 * Puts rows anew that the index lost, then makes the bits of all active holds, and of those released lately, say how they stand. What was sealed, promoted or
 * lifted by somebody else since is set here.
 * @param hasTime false when no further version may be begun
 */
export async function reconcileHolds(
  interval: AuditInterval,
  hasTime: () => boolean,
  dependencies: ReconcileHoldDependencies & RestoreDependencies,
): Promise<HoldReport> {
  const digests = new DigestSearch(dependencies, dependencies.clock);
  const since = dependencies.clock() - LATELY_MILLIS;
  const population = { active: 0, releasedLately: 0 };
  const checked = { held: 0, free: 0, missing: 0 };
  const { standing, troubles: found } = await restoreHolds(dependencies);
  const troubles = new Map(found);
  const trouble = (id: string, { runKeys, detail }: HoldTrouble) =>
    troubles.set(id, { runKeys, detail: { ...troubles.get(id)?.detail, ...detail } });
  const turned = inTurn(standing.values(), storeKey('holds', interval.asOf));
  await settleReleasedLast(turned, async (hold, haveSaid) => {
    if (!isActive(hold) && Date.parse(hold.at) < since) return true;
    population[isActive(hold) ? 'active' : 'releasedLately']++;
    try {
      const may = isActive(hold) || haveSaid ? hasTime : () => false;
      const outcome = await reconcileHold(hold, digests, may, dependencies);
      checked.held += outcome.held.length;
      checked.free += outcome.free.length;
      checked.missing += outcome.missing.length;
      if (outcome.status === 'complete') return true;
      trouble(hold.id, troubleOf(outcome));
    } catch (error) {
      // Of one hold: the others are looked at all the same.
      trouble(hold.id, { runKeys: [hold.runKey], detail: { code: errorCode(error) } });
    }
    return false;
  });
  const findings = [...troubles].map(([id, found]) => incomplete(id, found, interval));
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
function inTurn(holds: Iterable<Hold>, first: string): Hold[] {
  const sorted = [...holds].sort((a, b) => (a.id < b.id ? -1 : 1));
  const behind = sorted.filter(({ id }) => id > first);
  return [...behind, ...sorted.slice(0, sorted.length - behind.length)];
}

function troubleOf({ hold, failed, pending }: HoldOutcome): HoldTrouble {
  const code = failed[0] && { code: failed[0].code };
  return { runKeys: [hold.runKey], detail: { failed: failed.length, pending, ...code } };
}

function incomplete(
  subject: string,
  { runKeys, detail }: HoldTrouble,
  { asOf }: AuditInterval,
): Finding {
  return openFinding('hold_incomplete', { plane: 'store', subject, at: asOf, runKeys, detail });
}
