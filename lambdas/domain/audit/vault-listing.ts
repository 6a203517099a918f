import { AccessDeniedError, UnreadableRecordError } from '../errors.ts';
import { leafHash, readEnvelopes } from '../evidence/evidence-object.ts';
import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import { hourFolder, hoursBetween } from '../evidence/hour-shard.ts';
import type {
  ListedVersion,
  ObjectReader,
  ObjectVersion,
  VersionInspector,
} from '../evidence/ports.ts';
import type { RunIndex } from '../evidence/run-index.ts';
import type { AuditInterval } from './population.ts';

/** Hours that lie in an interval from begin to end: `YYYY-MM-DDTHH`. */
export function wholeHours({ from, to }: AuditInterval): string[] {
  return hoursBetween(Date.parse(from), Date.parse(to)).filter(
    (hour) =>
      Date.parse(`${hour}:00:00Z`) >= Date.parse(from) &&
      Date.parse(`${hour}:59:59.999Z`) < Date.parse(to),
  );
}

/** What the vault really holds in the whole hours of the interval: the edges belong to their neighbours. */
export async function listFolders(
  interval: AuditInterval,
  {
    inspector,
    vaultBucket,
  }: { readonly inspector: VersionInspector; readonly vaultBucket: string },
) {
  const hours = wholeHours(interval);
  const listed: ListedVersion[] = [];
  const folders: string[] = [];
  const denied: string[] = [];
  const looking = async (prefix: string, look: () => Promise<void>) => {
    try {
      await look();
    } catch (error) {
      if (!(error instanceof AccessDeniedError)) throw error;
      denied.push(`${vaultBucket}/${prefix}`);
    }
  };
  const list = async (prefix: string) => {
    for await (const version of inspector.list(vaultBucket, prefix)) listed.push(version);
  };
  for (const plane of [EvidencePrefix.lineage, EvidencePrefix.traces]) {
    await looking(plane, async () => {
      for (const classFolder of await inspector.folders(vaultBucket, plane)) {
        for (const hour of hours) {
          const prefix = `${classFolder}${hourFolder(hour)}`;
          folders.push(`${vaultBucket}/${prefix}`);
          await looking(prefix, () => list(prefix));
        }
      }
    });
  }
  return { listed, folders, denied };
}

/**
 * A replay that was cut into other batches puts its records into a second object, while the rows keep
 * pointing at the first: such a version holds nothing that the index does not know.
 */
export async function isReplay(
  version: ObjectVersion,
  { reader, index }: { readonly reader: ObjectReader; readonly index: RunIndex },
): Promise<boolean> {
  try {
    for (const envelope of readEnvelopes(await reader.read(version))) {
      const entries = await index.deliveries(envelope.receiptId);
      const leaf = leafHash(envelope);
      if (!entries.some((entry) => entry.leafHash === leaf)) return false;
    }
    return true;
  } catch (error) {
    if (error instanceof UnreadableRecordError) return false;
    throw error;
  }
}
