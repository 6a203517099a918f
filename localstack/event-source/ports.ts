import type { Discarded, LastAnswer } from './failure-message.ts';
import type { Mapping, StreamRecord } from './model.ts';
import type { Outcome } from './response.ts';
import type { Shard } from './shards.ts';

/** A place in a shard to read from. */
export type ReadPosition =
  | { readonly kind: 'TRIM_HORIZON' }
  | { readonly kind: 'AT_TIMESTAMP'; readonly timestamp: number }
  | { readonly kind: 'at' | 'after'; readonly sequenceNumber: string };

/** Reads a stream. Errors are those of the SDK; the caller tries again. */
export interface StreamReader {
  listShards(): Promise<readonly Shard[]>;
  /** At most `limit` records; `closed` when the shard ends with them or is no longer there. */
  read(
    shardId: string,
    from: ReadPosition,
    limit: number,
  ): Promise<{ readonly records: readonly StreamRecord[]; readonly closed: boolean }>;
}

/** Runs the function of a mapping with the records of one batch. Never throws. */
export type Invoke = (
  mapping: Mapping,
  shardId: string,
  records: readonly StreamRecord[],
) => Promise<{ readonly outcome: Outcome; readonly answer?: LastAnswer }>;

/** Sends what is known of a discarded batch to the on-failure destination, if the mapping has one. */
export type SendDiscarded = (discarded: Discarded) => Promise<void>;

/** Everything a mapping needs from outside. */
export interface Ports {
  readonly reader: StreamReader;
  readonly invoke: Invoke;
  readonly sendDiscarded: SendDiscarded;
  readonly now: () => number;
  readonly log: (line: string) => void;
}
