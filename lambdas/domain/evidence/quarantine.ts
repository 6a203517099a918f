import { type Finding, type FindingKind, openFinding, type StreamPlane } from '../findings.ts';
import type { ConsumedRecord, Quarantined, QuarantinedRecord } from './consumed-record.ts';
import type { StreamPosition } from './envelope.ts';
import { EvidencePrefix } from './evidence-prefix.ts';
import { hourFolder, hourOf } from './hour-shard.ts';
import type { ObjectVersion } from './ports.ts';
import type { RecordDependencies } from './record-finding.ts';
import { type Lock, lockFor, periodDays } from './retention.ts';
import type { RunIndex } from './run-index.ts';
import { decodeHead, type RecordHead } from './stream-record.ts';

/** Accepted later than it arrived by more than a clock can be wrong: such a time must steer no folder and no lock. */
export function acceptedAfterArrival(acceptedAt: string, arrivedAtMillis: number): boolean {
  return Date.parse(acceptedAt) - arrivedAtMillis > MAX_CLOCK_LEAD_MILLIS;
}

const MAX_CLOCK_LEAD_MILLIS = 86_400_000;

function plausibleHead(data: Uint8Array, arrivedAtMillis: number): RecordHead | undefined {
  const head = decodeHead(data);
  return head && acceptedAfterArrival(head.acceptedAt, arrivedAtMillis) ? undefined : head;
}

/** The acceptance by which a record is filed, whatever becomes of it. RFC 3339 UTC. */
export function filedAt({ data, arrivedAtMillis }: Omit<ConsumedRecord, 'position'>): string {
  const head = plausibleHead(data, arrivedAtMillis);
  return head?.acceptedAt ?? new Date(arrivedAtMillis).toISOString();
}

/** Quarantines a record: its head if that can be read, never its body. */
export function quarantine(
  { position, arrivedAtMillis, data }: ConsumedRecord,
  reason: string,
): QuarantinedRecord {
  const head = plausibleHead(data, arrivedAtMillis);
  return {
    position,
    arrivedAtMillis,
    quarantined: {
      quarantine: 1,
      reason,
      stream: position,
      acceptedAt: head?.acceptedAt ?? new Date(arrivedAtMillis).toISOString(),
      ...(head && {
        head: {
          receiptId: head.receiptId,
          acceptedAt: head.acceptedAt,
          submitter: head.submitter,
          retentionClass: head.retentionClass,
          received: head.received,
        },
      }),
    },
  };
}

/** What is said of a quarantined record: named by its receipt, else by where it stood. */
export function quarantineFinding(
  kind: FindingKind,
  { head, stream, acceptedAt, reason }: Quarantined,
  plane: StreamPlane,
): Finding {
  return openFinding(kind, {
    plane,
    subject: head?.receiptId ?? positionText(stream),
    at: acceptedAt,
    runKeys: [],
    detail: { reason },
  });
}

/** `<shard>/<sequence number>` */
export function positionText({ shardId, sequenceNumber }: StreamPosition): string {
  return `${shardId}/${sequenceNumber}`;
}

/** `quarantine/dt=…/hour=…/<shard>-<sequence>-<reason>.json`: the same for every replay, another for another reason. */
function quarantineKey({ acceptedAt, stream, reason }: Quarantined): string {
  return `${EvidencePrefix.quarantine}${hourFolder(hourOf(acceptedAt))}${stream.shardId}-${stream.sequenceNumber}-${reason}.json`;
}

/** Puts the payload-free document of a quarantined record and files its receipt, if it has one. */
export async function storeQuarantined(
  { arrivedAtMillis, quarantined }: QuarantinedRecord,
  plane: StreamPlane,
  { vault, index, retention, clock }: RecordDependencies,
): Promise<void> {
  const countsFrom = Math.max(Date.parse(quarantined.acceptedAt), arrivedAtMillis);
  // Without a readable head nobody knows the class: no name, and so the longest.
  const days = periodDays(retention, plane, quarantined.head?.retentionClass ?? '');
  const lock = lockFor(retention, days, countsFrom, clock());
  const version = await vault.putDocument(quarantineKey(quarantined), quarantined, lock);
  await indexQuarantined(quarantined, version, lock, index);
}

/** Files the receipt of a quarantined record whose document stands, if it has one. */
export async function indexQuarantined(
  { head }: Quarantined,
  version: ObjectVersion,
  lock: Lock,
  index: Pick<RunIndex, 'putDelivery'>,
): Promise<void> {
  if (!head) return;
  await index.putDelivery({
    receiptId: head.receiptId,
    acceptedAt: head.acceptedAt,
    submitter: head.submitter,
    kind: 'quarantine',
    retentionClass: head.retentionClass,
    receivedHmac: head.received.hmac,
    location: { ...version, line: 0 },
    lock,
  });
}
