import type { Envelope, StreamPosition } from './envelope.ts';
import { EvidencePrefix } from './evidence-object.ts';
import { decodeHead, type RecordHead } from './stream-record.ts';

/** A record as the stream hands it over. */
export interface ConsumedRecord {
  readonly position: StreamPosition;
  /** When the stream took it, by the stream's own clock. */
  readonly arrivedAtMillis: number;
  readonly data: Uint8Array;
}

/** What becomes of a record: stored lines, or a place in quarantine with the reason. */
export type Prepared =
  | {
      readonly position: StreamPosition;
      readonly arrivedAtMillis: number;
      readonly envelopes: readonly Envelope[];
    }
  | {
      readonly position: StreamPosition;
      readonly arrivedAtMillis: number;
      readonly quarantined: Quarantined;
    };

/** Names an accepted record that could not be stored, without a byte of its payload. */
export interface Quarantined {
  readonly quarantine: 1;
  readonly reason: string;
  readonly stream: StreamPosition;
  /** RFC 3339 UTC: acceptance where the head is readable, else the arrival in the stream. */
  readonly acceptedAt: string;
  readonly head?: Pick<
    RecordHead,
    'receiptId' | 'acceptedAt' | 'submitter' | 'retentionClass' | 'received'
  >;
}

/** Clocks of ingest and stream may differ by this much before it is a finding. */
export const MAX_ACCEPTANCE_SKEW_MILLIS = 60_000;

/** Quarantines a record: its head if that can be read, never its body. */
export function quarantine(
  { position, arrivedAtMillis, data }: ConsumedRecord,
  reason: string,
): Prepared {
  const head = decodeHead(data);
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

/** `quarantine/dt=…/hour=…/<shard>-<sequence>-<reason>.json`: the same for every replay, another for another reason. */
export function quarantineKey({ acceptedAt, stream, reason }: Quarantined): string {
  const at = new Date(acceptedAt).toISOString();
  return `${EvidencePrefix.quarantine}dt=${at.slice(0, 10)}/hour=${at.slice(11, 13)}/${stream.shardId}-${stream.sequenceNumber}-${reason}.json`;
}
