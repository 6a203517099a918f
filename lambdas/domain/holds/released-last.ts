import { divide } from '../collections.ts';
import { type Hold, isActive } from './hold.ts';

/**
 * Settles holds, released ones last: they lift bits, which they may once every active hold has said what it is on. One
 * whose digest was written after it was set, or whose rows a rebuild left out, has said nothing there yet, and what it
 * keeps would go.
 * @param settle answers whether it got through; told whether every active hold before it did
 */
export async function settleReleasedLast(
  holds: Iterable<Hold>,
  settle: (hold: Hold, haveSaid: boolean) => Promise<boolean>,
): Promise<void> {
  const [active, released] = divide(holds, isActive);
  let haveSaid = true;
  for (const hold of active) {
    if (!(await settle(hold, haveSaid))) haveSaid = false;
  }
  for (const hold of released) await settle(hold, haveSaid);
}
