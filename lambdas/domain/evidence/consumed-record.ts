import type { Envelope, StreamPosition } from './envelope.ts';
import type { Quarantined } from './quarantine.ts';

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

/** A record that can only be named. */
export interface QuarantinedRecord extends Omit<ConsumedRecord, 'data'> {
  readonly quarantined: Quarantined;
}

/** What becomes of a record. */
export type Prepared = ReadableRecord | QuarantinedRecord;
