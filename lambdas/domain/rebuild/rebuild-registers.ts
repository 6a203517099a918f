import { groupBy } from '../collections.ts';
import { mapConcurrently } from '../concurrency.ts';
import { UnreadableRecordError } from '../errors.ts';
import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import type { ListedVersion, StoredObjects, VersionInspector } from '../evidence/ports.ts';
import { versionName } from '../evidence/version-name.ts';
import type { HoldIndex } from '../holds/ports.ts';
import type { ProducerDirectory } from '../producers/ports.ts';
import { restoreProducer } from './producers-register.ts';
import { type ReadDocument, readEpoch, readHolds, readProducer } from './register-documents.ts';
import { inStoredOrder } from './stored-order.ts';

export interface RegisterDependencies {
  readonly inspector: Pick<VersionInspector, 'list'>;
  readonly objects: StoredObjects;
  readonly vaultBucket: string;
  readonly directory: ProducerDirectory;
  /** Files the document of a wrapped HMAC key. */
  readonly fileEpoch: (document: unknown) => Promise<void>;
  readonly holds: Pick<HoldIndex, 'put'>;
}

export interface RegistersCount {
  readonly producers: number;
  readonly hmacEpochs: number;
  readonly holdDocuments: number;
  /** What lies in a register and is no document of it, as `<bucket>/<key>@<version id>`; it changed nothing. */
  readonly unreadable: readonly string[];
}

/** Documents read at once. */
const CONCURRENT_READS = 16;

/**
 * Writes what is registered and not stored by hours: HMAC key epochs, producers and holds. Safe to repeat; rows that
 * are newer than the vault says are left alone.
 * @throws AccessDeniedError, UnavailableError
 */
export async function rebuildRegisters(
  dependencies: RegisterDependencies,
): Promise<RegistersCount> {
  const unreadable: string[] = [];
  const read = async <T>(version: ListedVersion, readAs: ReadDocument<T>) => {
    try {
      const { body } = await dependencies.objects.readLocked(version);
      const document = readAs(version.key, JSON.parse(Buffer.from(body).toString()));
      if (document !== undefined) return document;
    } catch (error) {
      if (!(error instanceof UnreadableRecordError || error instanceof SyntaxError)) throw error;
    }
    unreadable.push(versionName(version));
    return undefined;
  };
  const readAll = async <T>(versions: readonly ListedVersion[], readAs: ReadDocument<T>) =>
    present(await mapConcurrently(versions, CONCURRENT_READS, (version) => read(version, readAs)));

  const epochs = await readAll(await listed(EvidencePrefix.keys, dependencies), readEpoch);
  for (const epoch of epochs) await dependencies.fileEpoch(epoch);

  const folders = byFolder(await listed(EvidencePrefix.producers, dependencies));
  const newest = await mapConcurrently(folders, CONCURRENT_READS, async (folder) => {
    for (const version of folder.toReversed()) {
      const record = await read(version, readProducer);
      if (record) return record;
    }
    return undefined;
  });
  const producers = present(newest);
  // Whoever had a role first keeps it.
  for (const record of producers.sort((a, b) => (a.at < b.at ? -1 : 1))) {
    await restoreProducer(record, dependencies.directory);
  }

  const holds = await readAll(await listed(EvidencePrefix.holds, dependencies), readHolds);
  for (const hold of holds.flat()) await dependencies.holds.put(hold);

  return {
    producers: producers.length,
    hmacEpochs: epochs.length,
    holdDocuments: holds.length,
    unreadable: unreadable.sort(),
  };
}

/** In the order of their keys, which end in numbers of fixed length. */
async function listed(
  prefix: string,
  { inspector, vaultBucket }: RegisterDependencies,
): Promise<ListedVersion[]> {
  const versions: ListedVersion[] = [];
  for await (const version of inspector.list(vaultBucket, prefix)) versions.push(version);
  return inStoredOrder(versions).sort((a, b) => (a.key < b.key ? -1 : 1));
}

function byFolder(versions: readonly ListedVersion[]): ListedVersion[][] {
  return [...groupBy(versions, ({ key }) => key.slice(0, key.lastIndexOf('/'))).values()];
}

function present<T>(values: ReadonlyArray<T | undefined>): T[] {
  return values.filter((value) => value !== undefined);
}
