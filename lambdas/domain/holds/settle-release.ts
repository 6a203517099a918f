import type { DigestSearch } from '../integrity/sealing-digests.ts';
import { type Hold, isActive } from './hold.ts';
import {
  type HoldOutcome,
  type ReconcileHoldDependencies,
  reconcileHold,
} from './reconcile-hold.ts';
import { settleReleasedLast } from './released-last.ts';

/** Holds of one look at the index. */
const PAGE = 500;

/**
 * Lifts the bits that a released hold leaves, once every active hold has said what it is on. Where one cannot say, or
 * there is no time to ask, all bits stay and the outcome is `partial`.
 */
export async function settleRelease(
  released: Hold,
  digests: DigestSearch,
  hasTime: () => boolean,
  dependencies: ReconcileHoldDependencies,
): Promise<HoldOutcome> {
  let outcome: HoldOutcome | undefined;
  const active = await activeHolds(dependencies);
  await settleReleasedLast([...active, released], async (hold, haveSaid) => {
    // One that could not say decides: the others are not asked any more.
    if (isActive(hold) && !haveSaid) return false;
    const may = haveSaid ? hasTime : () => false;
    outcome = await reconcileHold(hold, digests, may, dependencies);
    return outcome.status === 'complete';
  });
  return outcome as unknown as HoldOutcome; // of the last one, which is the released one
}

async function activeHolds({ holds }: ReconcileHoldDependencies): Promise<Hold[]> {
  const active: Hold[] = [];
  let after: string | undefined;
  do {
    const page = await holds.list(PAGE, after);
    active.push(...page.holds.filter(isActive));
    after = page.next;
  } while (after !== undefined);
  return active;
}
