import type { Envelope, StreamPosition } from './envelope.ts';
import type { RecordHead } from './stream-record.ts';

/** A record as the stream hands it over. */
export interface ConsumedRecord {
  readonly position: StreamPosition;
  /** When the stream took it, by the stream's own clock. */
  readonly arrivedAtMillis: number;
  readonly data: Uint8Array;
}

/** A record that becomes stored lines. */
interface ReadableRecord extends Omit<ConsumedRecord, 'data'> {
  readonly envelopes: readonly Envelope[];
  /** Traces, links and datasets that storing it files in the index, each a few writes: what its time goes by. */
  readonly filed: number;
}

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

/** A record that can only be named. */
export interface QuarantinedRecord extends Omit<ConsumedRecord, 'data'> {
  readonly quarantined: Quarantined;
}

/** What becomes of a record. */
export type Prepared = ReadableRecord | QuarantinedRecord;
