import { findingFolder } from '../../../lambdas/domain/evidence/finding-folder.ts';
import type {
  DeclarationEntry,
  DeliveryEntry,
  EventClaim,
  ReferenceEntry,
  RunDatasetEntry,
  RunEventEntry,
  TraceDeliveryEntry,
  TraceRunEntry,
} from '../../../lambdas/domain/evidence/index-entries.ts';
import type { Location } from '../../../lambdas/domain/evidence/ports.ts';
import type { Lock } from '../../../lambdas/domain/evidence/retention.ts';
import type { RunIndex } from '../../../lambdas/domain/evidence/run-index.ts';
import type { Finding } from '../../../lambdas/domain/findings.ts';
import type { Identity } from '../../../lambdas/domain/openlineage/identity.ts';
import { Faults } from './bucket.ts';

/** The tables as maps. Every call yields once first, so that callers which run at once do interleave. */
export class InMemoryRunIndex implements RunIndex {
  readonly faults = new Faults();
  readonly deliveryRows = new Map<string, DeliveryEntry>();
  readonly runEventRows = new Map<string, RunEventEntry>();
  readonly claimRows = new Map<string, EventClaim>();
  readonly runDatasetRows = new Map<string, RunDatasetEntry>();
  readonly declarationRows = new Map<string, DeclarationEntry>();
  readonly referenceRows = new Map<string, ReferenceEntry>();
  readonly traceDeliveryRows = new Map<string, TraceDeliveryEntry>();
  readonly traceRunRows = new Map<string, TraceRunEntry>();
  readonly findingRows = new Map<string, Finding>();

  putDelivery = (entry: DeliveryEntry) =>
    this.#putFirst(
      'putDelivery',
      this.deliveryRows,
      // Quarantine has a row of its own beside what is archived after all.
      [entry.receiptId, entry.kind === 'quarantine' ? entry.kind : entry.traceId],
      entry,
    );

  putRunEvent = (entry: RunEventEntry) =>
    this.#putFirst('putRunEvent', this.runEventRows, [entry.runKey, entry.receiptId], entry);

  putRunDataset = (entry: RunDatasetEntry) =>
    this.#putLeast(
      'putRunDataset',
      this.runDatasetRows,
      [entry.runKey, entry.group, entry.access, entry.namespace, entry.name],
      entry,
    );

  putDeclaration = (entry: DeclarationEntry) =>
    this.#putFirst(
      'putDeclaration',
      this.declarationRows,
      [entry.job.namespace, entry.job.name, entry.receiptId],
      entry,
    );

  putReference = (entry: ReferenceEntry) =>
    this.#putLeast(
      'putReference',
      this.referenceRows,
      [entry.runKey, entry.by, entry.from, entry.group],
      entry,
    );

  putTraceDelivery = (entry: TraceDeliveryEntry) =>
    this.#putFirst(
      'putTraceDelivery',
      this.traceDeliveryRows,
      [entry.traceId, entry.receiptId],
      entry,
    );

  putTraceRun = (entry: TraceRunEntry) =>
    this.#putFirst(
      'putTraceRun',
      this.traceRunRows,
      [entry.traceId, entry.spanId, entry.runKey, entry.declaredBy, entry.receiptId],
      entry,
    );

  putFinding = (finding: Finding) =>
    this.#putFirst(
      'putFinding',
      this.findingRows,
      [finding.id, finding.at, finding.status],
      finding,
    );

  async claimEvent(claim: EventClaim): Promise<EventClaim> {
    const { group, runKey, eventType, eventTimeUtc } = claim;
    const key = [group, runKey, eventType, eventTimeUtc];
    await this.#putFirst('claimEvent', this.claimRows, key, claim);
    return this.claimRows.get(keyOf(key)) as EventClaim;
  }

  async promoteTraceDelivery(
    entry: TraceDeliveryEntry,
    location: Location,
    lock: Lock,
  ): Promise<void> {
    await this.#enter('promoteTraceDelivery');
    // The delivery first: promotion finds its work by the other row.
    const deliveryRow = keyOf([entry.receiptId, entry.traceId]);
    const delivery = this.deliveryRows.get(deliveryRow);
    if (delivery?.governed === false) {
      this.deliveryRows.set(deliveryRow, { ...delivery, governed: true, location, lock });
    }
    const traceRow = keyOf([entry.traceId, entry.receiptId]);
    const held = this.traceDeliveryRows.get(traceRow);
    if (held?.governed === false) {
      this.traceDeliveryRows.set(traceRow, { ...held, governed: true, location, lock });
    }
  }

  async extendRow(entry: RunEventEntry | TraceDeliveryEntry, retainUntil: string): Promise<void> {
    await this.#enter('extendRow');
    const extend = <T extends { readonly lock: Lock }>(rows: Map<string, T>, key: string) => {
      const row = rows.get(key);
      if (row && row.lock.retainUntil < retainUntil)
        rows.set(key, { ...row, lock: { ...row.lock, retainUntil } });
    };
    const { receiptId } = entry;
    const traceId = 'traceId' in entry ? entry.traceId : undefined;
    extend(this.deliveryRows, keyOf([receiptId, traceId]));
    if ('traceId' in entry) extend(this.traceDeliveryRows, keyOf([entry.traceId, receiptId]));
    else extend(this.runEventRows, keyOf([entry.runKey, receiptId]));
  }

  async *runEventsLockedBefore(runKey: string, time: string): AsyncIterable<RunEventEntry> {
    for (const row of await this.runEvents(runKey)) if (row.lock.retainUntil < time) yield row;
  }

  deliveries = (receiptId: string) =>
    this.#select('delivery', this.deliveryRows, (row) => row.receiptId === receiptId);

  async findDeliveries(
    records: ReadonlyArray<{ readonly receiptId: string; readonly traceId?: string }>,
  ): Promise<Array<DeliveryEntry | undefined>> {
    await this.#enter('findDeliveries');
    return records.map(({ receiptId, traceId }) =>
      this.deliveryRows.get(keyOf([receiptId, traceId])),
    );
  }

  async delivery(receiptId: string): Promise<DeliveryEntry | undefined> {
    const rows = await this.deliveries(receiptId);
    return rows.find(({ kind }) => kind !== 'quarantine') ?? rows[0];
  }

  runEvents = (runKey: string) =>
    this.#select('runEvents', this.runEventRows, (row) => row.runKey === runKey);

  holdsRun = async (runKey: string) => (await this.runEvents(runKey)).length > 0;

  runDatasets = (runKey: string) =>
    this.#select('runDatasets', this.runDatasetRows, (row) => row.runKey === runKey);

  declarations = ({ namespace, name }: Identity) =>
    this.#select(
      'declarations',
      this.declarationRows,
      ({ job }) => job.namespace === namespace && job.name === name,
    );

  references = (runKey: string) =>
    this.#select('references', this.referenceRows, (row) => row.runKey === runKey);

  runTraces = (runKey: string) =>
    this.#select('runTraces', this.traceRunRows, (row) => row.runKey === runKey);

  runFindings = (runKey: string) =>
    this.#select('runFindings', this.findingRows, (row) => row.runKeys.includes(runKey));

  folderFindings = (folder: string) =>
    this.#select('folderFindings', this.findingRows, (row) => findingFolder(row) === folder);

  traceDeliveries = (traceId: string) =>
    this.#select('traceDeliveries', this.traceDeliveryRows, (row) => row.traceId === traceId);

  traceRuns = (traceId: string) =>
    this.#select('traceRuns', this.traceRunRows, (row) => row.traceId === traceId);

  async isTraceLinked(traceId: string): Promise<boolean> {
    await this.#enter('isTraceLinked');
    return [...this.traceRunRows.values()].some((row) => row.traceId === traceId);
  }

  /** Everything is on shard 0. */
  async *acceptedInHour(hour: string, shard: number): AsyncIterable<DeliveryEntry> {
    await this.#enter('acceptedInHour');
    if (shard !== 0) return;
    for (const row of this.deliveryRows.values()) {
      if (new Date(row.acceptedAt).toISOString().startsWith(hour)) yield row;
    }
  }

  async #putFirst<T>(
    method: string,
    rows: Map<string, T>,
    key: Array<string | undefined>,
    row: T,
  ): Promise<void> {
    await this.#enter(method);
    if (!rows.has(keyOf(key))) rows.set(keyOf(key), row);
  }

  async #putLeast<T extends { readonly receiptId: string }>(
    method: string,
    rows: Map<string, T>,
    key: Array<string | undefined>,
    row: T,
  ): Promise<void> {
    await this.#enter(method);
    const held = rows.get(keyOf(key));
    if (!held || held.receiptId > row.receiptId) rows.set(keyOf(key), row);
  }

  async #select<T>(
    method: string,
    rows: Map<string, T>,
    wanted: (row: T) => boolean,
  ): Promise<T[]> {
    await this.#enter(method);
    return [...rows.values()].filter(wanted);
  }

  async #enter(method: string): Promise<void> {
    await Promise.resolve();
    this.faults.enter(method);
  }
}

export const keyOf = (parts: Array<string | undefined>): string => JSON.stringify(parts);
