import { errorCode, UnreadableRecordError } from '../errors.ts';
import type { ConsumedRecord } from './consumed-record.ts';
import type { EpochKey } from './keyed-hash.ts';
import type { Clock, EpochKeys } from './ports.ts';
import { epochOf } from './stream-record.ts';

/** The key of a record; else why it cannot be stored now (`failed`), or why it never can (`refused`). */
export type RecordKey =
  | { readonly key: EpochKey }
  | { readonly failed: string }
  | { readonly refused: string };

/** A stranger with PutRecord may name as many epochs as there are records; a failed look-up takes seconds. */
const MAX_FAILED_LOOKUPS = 3;

/**
 * Gets the HMAC keys of the epochs that the heads of records name, each once.
 * @returns the key of any of the records; its `failed` and `refused` are our own codes
 */
export async function keysOfRecords(
  records: readonly ConsumedRecord[],
  { epochKeys, clock }: { readonly epochKeys: Pick<EpochKeys, 'byEpoch'>; readonly clock: Clock },
): Promise<(record: ConsumedRecord) => RecordKey> {
  // Whatever was accepted before now was hashed with a key that stood in the table before.
  const now = clock();
  const keys = new Map<number, RecordKey>();
  let failures = 0;
  let failure: RecordKey | undefined;
  for (const record of records) {
    const epoch = readEpoch(record);
    if (typeof epoch !== 'number' || keys.has(epoch)) continue;
    if (failure && failures >= MAX_FAILED_LOOKUPS) {
      keys.set(epoch, failure);
      continue;
    }
    try {
      const key = await epochKeys.byEpoch(epoch, now);
      keys.set(epoch, key ? { key } : UNKNOWN_EPOCH);
    } catch (error) {
      failures++;
      failure = { failed: errorCode(error) };
      keys.set(epoch, failure);
    }
  }
  return (record) => {
    const epoch = readEpoch(record);
    return typeof epoch === 'number' ? (keys.get(epoch) ?? UNKNOWN_EPOCH) : epoch;
  };
}

/** No epoch of this store: the head is forged. */
const UNKNOWN_EPOCH: RecordKey = { refused: 'unknown_hmac_epoch' };

function readEpoch({ data }: ConsumedRecord): number | { readonly refused: string } {
  try {
    return epochOf(data);
  } catch (error) {
    if (error instanceof UnreadableRecordError) return { refused: error.code };
    throw error;
  }
}
