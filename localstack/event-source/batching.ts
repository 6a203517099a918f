import type { MappingSettings, StreamRecord } from './model.ts';

/** Lambda's limit of a synchronous payload; a batch is cut before it. */
const MAX_PAYLOAD_BYTES = 6 * 1024 * 1024;
/** What a record takes in the event beside its data and key; generous. */
const RECORD_OVERHEAD_BYTES = 600;

/** How many of the first records fit into one invocation; at least one. */
export function countFitting(records: readonly StreamRecord[], batchSize: number): number {
  let bytes = 0;
  let count = 0;
  for (const record of records) {
    bytes += record.data.length + record.partitionKey.length + RECORD_OVERHEAD_BYTES;
    if (count === batchSize || (count > 0 && bytes > MAX_PAYLOAD_BYTES)) break;
    count += 1;
  }
  return count;
}

/** How many of the first records are too old. Records of a shard arrive in order, so the too old ones stand first. */
export function countExpired(
  records: readonly StreamRecord[],
  settings: MappingSettings,
  now: number,
): number {
  if (settings.maximumRecordAgeSeconds < 0) return 0;
  const oldest = now - settings.maximumRecordAgeSeconds * 1_000;
  const fresh = records.findIndex((record) => record.arrivedAt >= oldest);
  return fresh === -1 ? records.length : fresh;
}
