import { uniqueBy } from '../domain/collections.ts';
import { findingFolder } from '../domain/evidence/finding-folder.ts';
import { hourOf, indexShardOf } from '../domain/evidence/hour-shard.ts';
import type {
  DeclarationEntry,
  DeliveryEntry,
  EventClaim,
  ReferenceEntry,
  RunDatasetEntry,
  RunEventEntry,
  TraceDeliveryEntry,
  TraceRunEntry,
} from '../domain/evidence/index-entries.ts';
import type { Location } from '../domain/evidence/ports.ts';
import type { Lock } from '../domain/evidence/retention.ts';
import type { RunIndex } from '../domain/evidence/run-index.ts';
import type { Finding } from '../domain/findings.ts';
import type { Identity } from '../domain/openlineage/identity.ts';
import { storeKey } from '../domain/store-key.ts';
import type { DynamoTable, Item, ItemKey } from './dynamo-table.ts';
import { TableAttribute } from './table-layout.ts';

/** Rows live a month longer than what they point at, so that an expired version can still be explained. */
const EXPIRY_SLACK_SECONDS = 30 * 86_400;

/** The first part of every partition key: one collection is one partition, read with one query. */
const Collection = {
  delivery: 'delivery',
  runEvents: 'run-events',
  eventClaims: 'event-claims',
  runDatasets: 'run-datasets',
  runTraces: 'run-traces',
  runFindings: 'run-findings',
  folderFindings: 'folder-findings',
  declarations: 'job-declarations',
  references: 'run-references',
  traceDeliveries: 'trace-deliveries',
  traceRuns: 'trace-runs',
  finding: 'finding',
} as const;

/** The run index on DynamoDB. Keys are hashes; the entry is kept whole beside them, with names as attributes. */
export class DynamoRunIndex implements RunIndex {
  readonly #table: DynamoTable;

  constructor(table: DynamoTable) {
    this.#table = table;
  }

  async putDelivery(entry: DeliveryEntry): Promise<void> {
    // A row of its own for quarantine: a record that is archived after all is found as archived.
    const key = deliveryKey(
      entry.receiptId,
      entry.kind === 'quarantine' ? 'quarantine' : entry.traceId,
    );
    const hourKey = hourKeyOf(hourOf(entry.acceptedAt), indexShardOf(entry.receiptId));
    await this.#table.putOnce(key, {
      entry,
      [TableAttribute.hour]: hourKey,
      ...(entry.governed !== undefined && { governed: entry.governed }),
      ...expiry(entry.lock),
    });
  }

  async putRunEvent(entry: RunEventEntry): Promise<void> {
    await this.#table.putOnce(runEventKey(entry), { entry, ...expiry(entry.lock) });
  }

  async putRunDataset(entry: RunDatasetEntry): Promise<void> {
    const { runKey, group, access, namespace, name } = entry;
    await this.#putFirstNamed(
      itemKey([Collection.runDatasets, runKey], group, access, namespace, name),
      entry,
    );
  }

  async putDeclaration(entry: DeclarationEntry): Promise<void> {
    const { namespace, name } = entry.job;
    await this.#table.putOnce(
      itemKey([Collection.declarations, namespace, name], entry.receiptId),
      { entry },
    );
  }

  async putReference(entry: ReferenceEntry): Promise<void> {
    const { runKey, by, from, group } = entry;
    await this.#putFirstNamed(itemKey([Collection.references, runKey], by, from, group), entry);
  }

  async putTraceDelivery(entry: TraceDeliveryEntry): Promise<void> {
    await this.#table.putOnce(traceDeliveryKey(entry), {
      entry,
      governed: entry.governed,
      ...expiry(entry.lock),
    });
  }

  async putTraceRun(entry: TraceRunEntry): Promise<void> {
    const sort = [
      entry.declaredBy,
      entry.runKey,
      entry.traceId,
      entry.spanId ?? '',
      entry.receiptId,
    ];
    await this.#table.putOnce(itemKey([Collection.traceRuns, entry.traceId], ...sort), { entry });
    await this.#table.putOnce(itemKey([Collection.runTraces, entry.runKey], ...sort), { entry });
  }

  async putFinding(finding: Finding): Promise<void> {
    await this.#table.putOnce(
      itemKey([Collection.finding, finding.id], finding.at, finding.status),
      { entry: finding },
    );
    const { id, at, status, runKeys } = finding;
    const folder = findingFolder(finding);
    const lists = [
      ...runKeys.map((runKey) => [Collection.runFindings, runKey]),
      ...(folder === undefined ? [] : [[Collection.folderFindings, folder]]),
    ];
    for (const list of lists) {
      await this.#table.putOnce(itemKey(list, id, at, status), { entry: finding });
    }
  }

  async claimEvent(claim: EventClaim): Promise<EventClaim> {
    const { group, runKey, eventType, eventTimeUtc } = claim;
    const key = itemKey([Collection.eventClaims, runKey, group], eventType, eventTimeUtc);
    if (await this.#table.putOnce(key, { entry: claim, ...expiry(claim.lock) })) return claim;
    const standing = await this.#table.get(key, true);
    return standing ? entryOf(standing) : claim;
  }

  async promoteTraceDelivery(
    entry: TraceDeliveryEntry,
    location: Location,
    lock: Lock,
  ): Promise<void> {
    // The trace row goes last: as long as it says "staged", a retry comes back here.
    const key = deliveryKey(entry.receiptId, entry.traceId);
    const delivery = await this.#table.get(key, true);
    if (delivery) {
      const promoted = { ...entryOf<DeliveryEntry>(delivery), location, lock, governed: true };
      await this.#table.replaceWhere(
        key,
        { ...delivery, entry: promoted, governed: true, ...expiry(lock) },
        'governed',
        false,
      );
    }
    await this.#table.replaceWhere(
      traceDeliveryKey(entry),
      { entry: { ...entry, location, lock, governed: true }, governed: true, ...expiry(lock) },
      'governed',
      false,
    );
  }

  async extendRow(entry: RunEventEntry | TraceDeliveryEntry, retainUntil: string): Promise<void> {
    // The row of the event goes last: as long as it has the old lock, a retry comes back here.
    const isTrace = 'traceId' in entry;
    const delivery = deliveryKey(entry.receiptId, isTrace ? entry.traceId : undefined);
    for (const key of [delivery, isTrace ? traceDeliveryKey(entry) : runEventKey(entry)]) {
      const values = { ':until': retainUntil, ':expiry': expirySeconds(retainUntil) };
      await this.#table.update(key, {
        set: '#entry.#lock.#until = :until, #expiry = :expiry',
        condition: '#expiry < :expiry',
        names: {
          '#entry': 'entry',
          '#lock': 'lock',
          '#until': 'retainUntil',
          '#expiry': TableAttribute.expiry,
        },
        values,
      });
    }
  }

  deliveries(receiptId: string): Promise<DeliveryEntry[]> {
    return this.#entries(Collection.delivery, receiptId);
  }

  async findDeliveries(
    records: ReadonlyArray<{ readonly receiptId: string; readonly traceId?: string }>,
  ): Promise<Array<DeliveryEntry | undefined>> {
    const nameOf = ({ pk, sk }: ItemKey) => `${pk}${sk}`;
    const keys = records.map((record) => deliveryKey(record.receiptId, record.traceId));
    const items = await this.#table.getMany(uniqueBy(keys, nameOf));
    const byName = new Map(
      items.map((item) => [nameOf(item as unknown as ItemKey), entryOf<DeliveryEntry>(item)]),
    );
    return keys.map((key) => byName.get(nameOf(key)));
  }

  async delivery(receiptId: string): Promise<DeliveryEntry | undefined> {
    const entries = await this.deliveries(receiptId);
    return entries.find(({ kind }) => kind !== 'quarantine') ?? entries[0];
  }

  runEvents(runKey: string): Promise<RunEventEntry[]> {
    return this.#entries(Collection.runEvents, runKey);
  }

  async *runEventsLockedBefore(runKey: string, time: string): AsyncGenerator<RunEventEntry> {
    const partition = storeKey(Collection.runEvents, runKey);
    for await (const item of this.#table.expiringBefore(partition, expirySeconds(time)))
      yield entryOf(item);
  }

  holdsRun(runKey: string): Promise<boolean> {
    return this.#table.holds(storeKey(Collection.runEvents, runKey));
  }

  runDatasets(runKey: string): Promise<RunDatasetEntry[]> {
    return this.#entries(Collection.runDatasets, runKey);
  }

  declarations({ namespace, name }: Identity): Promise<DeclarationEntry[]> {
    return this.#entries(Collection.declarations, namespace, name);
  }

  references(runKey: string): Promise<ReferenceEntry[]> {
    return this.#entries(Collection.references, runKey);
  }

  runTraces(runKey: string): Promise<TraceRunEntry[]> {
    return this.#entries(Collection.runTraces, runKey);
  }

  runFindings(runKey: string): Promise<Finding[]> {
    return this.#entries(Collection.runFindings, runKey);
  }

  folderFindings(folder: string): Promise<Finding[]> {
    return this.#entries(Collection.folderFindings, folder);
  }

  traceDeliveries(traceId: string): Promise<TraceDeliveryEntry[]> {
    return this.#entries(Collection.traceDeliveries, traceId);
  }

  traceRuns(traceId: string): Promise<TraceRunEntry[]> {
    return this.#entries(Collection.traceRuns, traceId);
  }

  isTraceLinked(traceId: string): Promise<boolean> {
    return this.#table.holds(storeKey(Collection.traceRuns, traceId));
  }

  async *acceptedInHour(hour: string, shard: number): AsyncGenerator<DeliveryEntry> {
    for await (const item of this.#table.byHour(hourKeyOf(hour, shard))) yield entryOf(item);
  }

  async #putFirstNamed(key: ItemKey, entry: RunDatasetEntry | ReferenceEntry): Promise<void> {
    const { receiptId } = entry;
    await this.#table.putLeast(key, { entry, receiptId }, 'receiptId');
  }

  async #entries<T>(collection: string, ...id: readonly string[]): Promise<T[]> {
    const items = await this.#table.collection(storeKey(collection, ...id));
    return items.map((item) => entryOf<T>(item));
  }
}

function itemKey(partition: readonly string[], ...sort: readonly string[]): ItemKey {
  return { pk: storeKey(...partition), sk: storeKey(...sort) };
}

/** What is filed once has an empty second part. */
function deliveryKey(receiptId: string, part = ''): ItemKey {
  return itemKey([Collection.delivery, receiptId], part);
}

function runEventKey({ runKey, receiptId }: RunEventEntry): ItemKey {
  return itemKey([Collection.runEvents, runKey], receiptId);
}

function traceDeliveryKey({ traceId, receiptId }: TraceDeliveryEntry): ItemKey {
  return itemKey([Collection.traceDeliveries, traceId], receiptId);
}

function hourKeyOf(hour: string, shard: number): string {
  return storeKey('accepted', hour, String(shard));
}

function expiry({ retainUntil }: Lock): Item {
  return { [TableAttribute.expiry]: expirySeconds(retainUntil) };
}

function expirySeconds(retainUntil: string): number {
  return Math.floor(Date.parse(retainUntil) / 1000) + EXPIRY_SLACK_SECONDS;
}

function entryOf<T>(item: Item): T {
  return item.entry as T;
}
