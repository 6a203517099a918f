import type { Identity } from '../openlineage/identity.ts';
import type { RowLimit } from '../openlineage/row-limits.ts';
import type { RegisteredBasis } from '../producers/registration.ts';
import type { RecordKind, RedactedField, Redaction } from './envelope.ts';
import type { Location } from './ports.ts';
import type { Lock } from './retention.ts';
import type { Submitter } from './stream-record.ts';

/** What every index row says of the stored line it points at. */
interface StoredLine {
  readonly receiptId: string;
  readonly acceptedAt: string;
  readonly submitter: Submitter;
  readonly location: Location;
  /** Of a staged trace delivery (`governed: false`): the lock that promotion gives it; staging has none. */
  readonly lock: Lock;
}

/** A redaction as an index row holds it: the first fields and how many there are; the envelope has them all. */
export interface RedactionSummary extends Omit<Redaction, 'fields'> {
  readonly fields: readonly RedactedField[];
  readonly fieldCount: number;
}

const MAX_SUMMARISED_FIELDS = 50;
const MAX_SUMMARISED_PATH_CHARACTERS = 512;

export function summariseRedaction({ policy, mode, fields }: Redaction): RedactionSummary {
  const summarised = fields
    .filter(({ path }) => path.length <= MAX_SUMMARISED_PATH_CHARACTERS)
    .slice(0, MAX_SUMMARISED_FIELDS);
  return { policy, mode, fields: summarised, fieldCount: fields.length };
}

/** One delivery of any kind: how a receipt is answered, and what the audits walk hour by hour. */
export interface DeliveryEntry extends StoredLine {
  readonly kind: RecordKind | 'quarantine';
  readonly retentionClass: string;
  readonly receivedHmac: string;
  /** Of the stored line, so that a row cannot be made to vouch for another one; quarantine has no line. */
  readonly leafHash?: string;
  /** Of run events: the run it is filed under. */
  readonly runKey?: string;
  /** Of trace deliveries: one export is filed once per trace. */
  readonly traceId?: string;
  readonly governed?: boolean;
}

/** Reference to another run inside an event: its parent or its root. */
export interface RunReference {
  readonly runId: string;
  readonly job?: Identity;
}

/** Link from a run event to a span, as the producer declared it. */
export interface TraceContext {
  readonly traceId: string;
  readonly spanId?: string;
}

/** Everything the fold of a run needs of one event; read from the stored, redacted document. */
export interface RunEventEntry extends StoredLine {
  readonly runId: string;
  readonly runKey: string;
  readonly retentionClass: string;
  readonly registeredBasis?: RegisteredBasis;
  readonly receivedHmac: string;
  readonly digest: string;
  readonly deviations: readonly string[];
  readonly redaction: RedactionSummary;
  readonly eventType?: string;
  readonly eventTime?: string;
  readonly eventTimeUtc?: string;
  readonly producer?: string;
  readonly job: Identity;
  readonly parent?: RunReference;
  readonly root?: RunReference;
  /** A parent facet that names no run. */
  readonly parentMalformed?: boolean;
  readonly traceContexts: readonly TraceContext[];
  /** `lineage.*` run tags, by key. */
  readonly tags: Readonly<Record<string, string>>;
  /** Datasets that the event names beyond the bound of its index rows. */
  readonly datasetsNotIndexed?: number;
  /** Row limits of its statements. */
  readonly limits?: readonly RowLimit[];
  /** Statements that were not read in full. */
  readonly unreadStatements?: number;
  /** `jobType.processingType`: BATCH, STREAMING or SERVICE. */
  readonly processingType?: string;
}

/** The first event of a group and run with a type and time: another with other bytes conflicts with it. */
export interface EventClaim {
  readonly group: string;
  readonly runKey: string;
  readonly eventType: string;
  readonly eventTimeUtc: string;
  readonly receiptId: string;
  readonly acceptedAt: string;
  /** Of the key of `receivedHmac`. */
  readonly epoch: number;
  readonly receivedHmac: string;
  readonly lock: Lock;
}

/** A JobEvent: the job as its owner declared it. */
export interface DeclarationEntry {
  readonly job: Identity;
  readonly receiptId: string;
  readonly acceptedAt: string;
  readonly group: string;
}

export type Access = 'read' | 'write';

/** A dataset that an event of a run names as input or output. */
export interface RunDatasetEntry extends Identity {
  readonly runKey: string;
  readonly group: string;
  readonly access: Access;
  /** Of the receipts that named it the one that sorts first: receipts of one HMAC epoch sort by acceptance. */
  readonly receiptId: string;
}

/** A run that is named by something else, held or not. */
export interface ReferenceEntry {
  readonly runKey: string;
  readonly runId: string;
  readonly by: 'parent' | 'root' | 'span';
  /** The run (parent, root) or the trace (span) that names it. */
  readonly from: string;
  readonly group: string;
  /** Of the receipts that named it the one that sorts first. */
  readonly receiptId: string;
}

/** What one delivery holds of one trace. */
export interface TraceDeliveryEntry extends StoredLine {
  readonly traceId: string;
  readonly retentionClass: string;
  readonly receivedHmac: string;
  readonly digest: string;
  readonly governed: boolean;
  readonly deviations: readonly string[];
  readonly redaction: RedactionSummary;
  readonly spanCount: number;
  /** Run ids on spans beyond the bound of the link rows of a record. */
  readonly linksNotIndexed?: number;
}

/** A declared link between a run and a trace, and which side declared it. */
export interface TraceRunEntry {
  readonly traceId: string;
  readonly spanId?: string;
  readonly runId: string;
  readonly runKey: string;
  readonly declaredBy: 'run' | 'span';
  readonly submitter: Submitter;
  readonly receiptId: string;
}
