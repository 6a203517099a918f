import type { DigestSearch } from '../integrity/sealing-digests.ts';
import { type Hold, isActive } from './hold.ts';
import {
  type HoldOutcome,
  type ReconcileHoldDependencies,
  reconcileHold,
} from './reconcile-hold.ts';

/** Holds of one look at the index. */
const PAGE = 500;

/**
 * Lifts the bits that a released hold leaves, once every active hold has said what it is on. One whose digest was
 * written after it was set, or whose rows a rebuild left out, has said nothing there yet, and what it keeps would go.
 * Where one cannot say, or there is no time to ask, all bits stay and the outcome is `partial`.
 */
export async function settleRelease(
  released: Hold,
  digests: DigestSearch,
  hasTime: () => boolean,
  dependencies: ReconcileHoldDependencies,
): Promise<HoldOutcome> {
  const areSaid = await haveSaid(digests, hasTime, dependencies);
  return reconcileHold(released, digests, areSaid ? hasTime : () => false, dependencies);
}

async function haveSaid(
  digests: DigestSearch,
  hasTime: () => boolean,
  dependencies: ReconcileHoldDependencies,
): Promise<boolean> {
  let after: string | undefined;
  do {
    const { holds, next } = await dependencies.holds.list(PAGE, after);
    for (const hold of holds.filter(isActive)) {
      const { status } = await reconcileHold(hold, digests, hasTime, dependencies);
      if (status === 'partial') return false;
    }
    after = next;
  } while (after !== undefined);
  return true;
}
