import { groupBy } from '../collections.ts';
import { mapConcurrently } from '../concurrency.ts';
import { UnreadableRecordError } from '../errors.ts';
import { type EvidenceObject, leafOf, readLines } from './evidence-object.ts';
import type { DeliveryEntry } from './index-entries.ts';
import type { EvidenceVault, Location } from './ports.ts';
import type { Lock } from './retention.ts';
import type { RunIndex } from './run-index.ts';
import { versionName } from './version-name.ts';

/** Where a line stands, and how it is locked. */
export interface StoredPlace {
  readonly location: Location;
  readonly lock: Lock;
}

/** Objects looked at at once: a replay meets the few that its lines were cut into before, and each is inflated. */
const CONCURRENT_LOOKS = 2;

/**
 * Puts an object into the vault, unless each of its lines stands there already: a replay that is cut into other
 * batches, of seven days after an event source mapping was made anew, must not lock everything once more. The index
 * is a cache that may have been edited, so each line is read in the vault where its row says that it stands.
 * @returns the place of each line, in order
 */
export async function putUnlessStored(
  object: EvidenceObject,
  lock: Lock,
  { vault, index }: { readonly vault: EvidenceVault; readonly index: RunIndex },
): Promise<readonly StoredPlace[]> {
  const rows = await index.findDeliveries(object.envelopes);
  const stored = rows.filter((row, line) => isLine(row, object, line));
  if (stored.length === object.envelopes.length) {
    const versions = groupBy(stored, ({ location }) => versionName(location));
    const held = await mapConcurrently([...versions.values()], CONCURRENT_LOOKS, (ofVersion) =>
      holdsLines(ofVersion, vault),
    );
    if (held.every(Boolean)) return stored;
  }
  const { lock: standing, ...version } = await vault.putObject(object, lock);
  return object.envelopes.map((_, line) => ({ location: { ...version, line }, lock: standing }));
}

/**
 * Whether a row says that this very line is in an object that the archive may have made of it: of the same plane,
 * class and hour, and of its shard. One of a staged line does not say that it is in the vault.
 */
function isLine(
  row: DeliveryEntry | undefined,
  { key, envelopes, leafHashes }: EvidenceObject,
  line: number,
): row is DeliveryEntry {
  const folder = key.slice(0, key.lastIndexOf('/') + 1);
  const start = `${folder}${envelopes[line]?.stream.shardId}-`;
  return (
    row !== undefined &&
    row.governed !== false &&
    row.leafHash === leafHashes[line] &&
    row.location.key.startsWith(start)
  );
}

/** Whether a version of the vault holds the lines that these rows say it does. */
async function holdsLines(rows: readonly DeliveryEntry[], vault: EvidenceVault): Promise<boolean> {
  const [{ location }] = rows as [DeliveryEntry];
  if (!(await vault.holds(location))) return false;
  const body = await vault.find(location.key);
  if (!body) return false;
  try {
    const leaves = [...readLines(body)].map((line) => leafOf(line).toString('hex'));
    return rows.every(({ leafHash, location }) => leaves[location.line] === leafHash);
  } catch (error) {
    if (error instanceof UnreadableRecordError) return false;
    throw error;
  }
}
