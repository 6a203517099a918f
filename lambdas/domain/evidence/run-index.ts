import type { Finding } from '../findings.ts';
import type { Identity } from '../openlineage/identity.ts';
import type {
  DeclarationEntry,
  DeliveryEntry,
  EventClaim,
  ReferenceEntry,
  RunDatasetEntry,
  RunEventEntry,
  TraceDeliveryEntry,
  TraceRunEntry,
} from './index-entries.ts';
import type { Location } from './ports.ts';
import type { Lock } from './retention.ts';

/**
 * The tables: a cache of the vault. Every write is idempotent. Of a delivery, a run event and a finding the first
 * stored location wins; of a dataset and a reference, which many events may name, the receipt that sorts first.
 */
export interface RunIndex {
  putDelivery(entry: DeliveryEntry): Promise<void>;
  putRunEvent(entry: RunEventEntry): Promise<void>;
  putRunDataset(entry: RunDatasetEntry): Promise<void>;
  putDeclaration(entry: DeclarationEntry): Promise<void>;
  putReference(entry: ReferenceEntry): Promise<void>;
  putTraceDelivery(entry: TraceDeliveryEntry): Promise<void>;
  putTraceRun(entry: TraceRunEntry): Promise<void>;
  putFinding(finding: Finding): Promise<void>;
  /** Answers which event stands for the group, run, type and time of a claim: its own, unless another came first. */
  claimEvent(claim: EventClaim): Promise<EventClaim>;
  /**
   * Points a staged trace delivery at its promoted copy, in the row of the delivery first and then in
   * the row by which promotion finds its work; a second promotion changes nothing.
   */
  promoteTraceDelivery(entry: TraceDeliveryEntry, location: Location, lock: Lock): Promise<void>;
  /** Moves the lock that the rows of a stored event or trace promise, never to an earlier time. */
  extendRow(entry: RunEventEntry | TraceDeliveryEntry, retainUntil: string): Promise<void>;

  /** All rows of a receipt: one for each trace of an export, and one for quarantine. */
  deliveries(receiptId: string): Promise<DeliveryEntry[]>;
  /**
   * The delivery of each record, in order, in few calls and consistently; undefined where there is none. What was
   * only quarantined is none.
   */
  findDeliveries(
    records: ReadonlyArray<{ readonly receiptId: string; readonly traceId?: string }>,
  ): Promise<Array<DeliveryEntry | undefined>>;
  /** Of a receipt that was quarantined first and archived later, the archived delivery. */
  delivery(receiptId: string): Promise<DeliveryEntry | undefined>;
  runEvents(runKey: string): Promise<RunEventEntry[]>;
  /** Events of the run whose lock is promised to end before a time (RFC 3339 UTC), page by page. */
  runEventsLockedBefore(runKey: string, time: string): AsyncIterable<RunEventEntry>;
  /** Whether any event of the run is held, without reading them. */
  holdsRun(runKey: string): Promise<boolean>;
  runDatasets(runKey: string): Promise<RunDatasetEntry[]>;
  declarations(job: Identity): Promise<DeclarationEntry[]>;
  references(runKey: string): Promise<ReferenceEntry[]>;
  runTraces(runKey: string): Promise<TraceRunEntry[]>;
  runFindings(runKey: string): Promise<Finding[]>;
  /** Findings that concern no run, by the folder of the vault that their subject lies in ({@link findingFolder}). */
  folderFindings(folder: string): Promise<Finding[]>;
  /** Strongly consistent, as are {@link traceRuns} and {@link isTraceLinked}: the two sides of a join write first, then read the other. */
  traceDeliveries(traceId: string): Promise<TraceDeliveryEntry[]>;
  traceRuns(traceId: string): Promise<TraceRunEntry[]>;
  /** Whether any link of the trace stands, without reading them. */
  isTraceLinked(traceId: string): Promise<boolean>;
  /** Everything accepted in one hour (`YYYY-MM-DDTHH`) on one index shard, page by page. */
  acceptedInHour(hour: string, shard: number): AsyncIterable<DeliveryEntry>;
}
