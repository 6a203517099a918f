import { divide, groupBy } from '../collections.ts';
import { mapConcurrently } from '../concurrency.ts';
import { UnreadableRecordError } from '../errors.ts';
import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import { type NumberedRecord, seriesOf } from '../evidence/numbered-records.ts';
import type { Clock, ListedVersion, StoredObjects, VersionInspector } from '../evidence/ports.ts';
import type { RetentionPolicy } from '../evidence/retention.ts';
import { versionName } from '../evidence/version-name.ts';
import { isActive, stepOfKey } from '../holds/hold.ts';
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
  readonly retention: Pick<RetentionPolicy, 'recordDays'>;
  readonly clock: Clock;
}

export interface RegistersCount {
  readonly producers: number;
  readonly hmacEpochs: number;
  readonly holdDocuments: number;
  /** What lies in a register and is no document of it, as `<bucket>/<key>@<version id>`; it changed nothing. */
  readonly unreadable: readonly string[];
  /** Later versions and delete markers of keys that are written once, and records out of their turn; they changed nothing. */
  readonly passedOver: readonly string[];
}

/** Of a producer, as `recordKey` makes it. */
const RECORD_KEY = /\/\d{8}\.json$/;
const numberOf = ({ key }: ListedVersion) =>
  Number(key.slice(-'00000000.json'.length, -'.json'.length));

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
  const passedOver: string[] = [];
  const listed = async (prefix: string) => {
    const { first, others } = await listRegister(prefix, dependencies);
    passedOver.push(...others.map(versionName));
    return first;
  };
  const believed = <T extends NumberedRecord>(
    records: readonly T[],
    mayLeap?: (record: T) => boolean,
  ): readonly T[] => {
    const now = dependencies.clock();
    const { inTurn, outOfTurn } = seriesOf(records, dependencies.retention, now, mayLeap);
    passedOver.push(...outOfTurn.map(({ version }) => versionName(version)));
    return inTurn;
  };
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

  const epochs = await readAll(await listed(EvidencePrefix.keys), readEpoch);
  for (const epoch of epochs) await dependencies.fileEpoch(epoch);

  const folders = byFolder(await listed(EvidencePrefix.producers));
  const newest = await mapConcurrently(folders, CONCURRENT_READS, async (folder) => {
    const [records, strange] = divide(folder, ({ key }) => RECORD_KEY.test(key));
    unreadable.push(...strange.map(versionName));
    const numbered = records.map((version) => ({ version, number: numberOf(version) }));
    for (const { version } of believed(numbered).toReversed()) {
      const record = await read(version, readProducer);
      if (record) return { record, storedAt: version.lastModified };
    }
    return undefined;
  });
  const producers = present(newest);
  // Whoever had a role first keeps it, by the clock of S3: a record may say any time.
  for (const { record } of producers.sort((a, b) => (a.storedAt < b.storedAt ? -1 : 1))) {
    await restoreProducer(record, dependencies.directory);
  }

  const documents = await listed(EvidencePrefix.holds);
  const [steps, others] = divide(documents, ({ key }) => stepOfKey(key) !== undefined);
  const believedSteps = byFolder(steps).flatMap((folder) =>
    believed(
      folder.map((version) => ({ ...(stepOfKey(version.key) as { number: number }), version })),
      isActive,
    ).map(({ version }) => version),
  );
  const holds = await readAll([...others, ...believedSteps], readHolds);
  for (const hold of holds.flat()) await dependencies.holds.put(hold);

  return {
    producers: producers.length,
    hmacEpochs: epochs.length,
    holdDocuments: holds.length,
    unreadable: unreadable.sort(),
    passedOver: passedOver.sort(),
  };
}

/** What was written first under each key, in the order of the keys, which end in numbers of fixed length; and what came after it. */
async function listRegister(
  prefix: string,
  { inspector, vaultBucket }: RegisterDependencies,
): Promise<{ readonly first: ListedVersion[]; readonly others: ListedVersion[] }> {
  const versions: ListedVersion[] = [];
  for await (const version of inspector.list(vaultBucket, prefix)) versions.push(version);
  const first = inStoredOrder(versions).sort((a, b) => (a.key < b.key ? -1 : 1));
  const names = new Set(first.map(versionName));
  return { first, others: versions.filter((version) => !names.has(versionName(version))) };
}

function byFolder(versions: readonly ListedVersion[]): ListedVersion[][] {
  return [...groupBy(versions, ({ key }) => key.slice(0, key.lastIndexOf('/'))).values()];
}

function present<T>(values: ReadonlyArray<T | undefined>): T[] {
  return values.filter((value) => value !== undefined);
}
