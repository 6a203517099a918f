import { uniqueBy } from '../collections.ts';
import { mapConcurrently } from '../concurrency.ts';
import type { EvidenceVault, Location, RunIndex } from '../ports.ts';
import type { EvidenceObject } from './evidence-object.ts';
import type { DeliveryEntry } from './index-entries.ts';
import type { Lock } from './retention.ts';
import { versionName } from './version-name.ts';

/** Where a line stands, and how it is locked. */
export interface StoredPlace {
  readonly location: Location;
  readonly lock: Lock;
}

/** Objects looked at for one: a replay meets the few that its lines were cut into before. */
const CONCURRENT_LOOKS = 8;

/**
 * Puts an object into the vault, unless each of its lines stands there already: a replay that is cut into other
 * batches, of seven days after an event source mapping was made anew, must not lock everything once more. The index
 * is a cache, so the vault is asked whether it has what the rows name.
 * @returns the place of each line, in order
 */
export async function putUnlessStored(
  object: EvidenceObject,
  lock: Lock,
  { vault, index }: { readonly vault: EvidenceVault; readonly index: RunIndex },
): Promise<readonly StoredPlace[]> {
  const rows = await index.findDeliveries(object.envelopes);
  const stored = rows.filter((row, line) => isLine(row, object.leafHashes[line]));
  if (stored.length === object.envelopes.length) {
    const versions = uniqueBy(stored, ({ location }) => versionName(location));
    const held = await mapConcurrently(versions, CONCURRENT_LOOKS, ({ location }) =>
      vault.holds(location),
    );
    if (held.every(Boolean)) return stored;
  }
  const { lock: standing, ...version } = await vault.putObject(object, lock);
  return object.envelopes.map((_, line) => ({ location: { ...version, line }, lock: standing }));
}

/** Whether a row says that this very line is in the vault; one of a staged line does not. */
function isLine(
  row: DeliveryEntry | undefined,
  leafHash: string | undefined,
): row is DeliveryEntry {
  return row !== undefined && row.governed !== false && row.leafHash === leafHash;
}
