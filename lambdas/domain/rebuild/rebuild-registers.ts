import { groupBy } from '../collections.ts';
import { mapConcurrently } from '../concurrency.ts';
import { UnreadableRecordError } from '../errors.ts';
import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import { versionName } from '../evidence/version-name.ts';
import { holdRowsOf } from '../holds/hold.ts';
import type {
  HoldIndex,
  ListedVersion,
  ProducerDirectory,
  StoredObjects,
  VersionInspector,
} from '../ports.ts';
import type { ProducerRecord } from '../producers/producer.ts';
import { restoreProducer } from './producers-register.ts';
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
  const read = async (versions: readonly ListedVersion[]) => {
    const documents = await mapConcurrently(versions, CONCURRENT_READS, async (version) => {
      try {
        const { body } = await dependencies.objects.open(version);
        const document: unknown = JSON.parse(Buffer.from(body).toString());
        return { document };
      } catch (error) {
        if (!(error instanceof UnreadableRecordError || error instanceof SyntaxError)) throw error;
        unreadable.push(versionName(version));
        return undefined;
      }
    });
    return documents.flatMap((document) => document ?? []);
  };

  const epochs = await read(await listed(EvidencePrefix.keys, dependencies));
  for (const { document } of epochs) await dependencies.fileEpoch(document);

  const records = await read(newestOfEach(await listed(EvidencePrefix.producers, dependencies)));
  const producers = records.map(({ document }) => document as ProducerRecord);
  // Whoever had a role first keeps it.
  for (const record of producers.sort((a, b) => (a.at < b.at ? -1 : 1))) {
    await restoreProducer(record, dependencies.directory);
  }

  const holds = await read(await listed(EvidencePrefix.holds, dependencies));
  for (const { document } of holds) {
    for (const hold of holdRowsOf(document)) await dependencies.holds.put(hold);
  }

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

/** The last document of each folder. */
function newestOfEach(versions: readonly ListedVersion[]): ListedVersion[] {
  const byFolder = groupBy(versions, ({ key }) => key.slice(0, key.lastIndexOf('/')));
  return [...byFolder.values()].map((folder) => folder.at(-1) as ListedVersion);
}
