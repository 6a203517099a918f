import type { StreamPlane } from '../findings.ts';
import type { ConsumedRecord } from './consumed-record.ts';
import { quarantine, quarantineFinding, storeQuarantined } from './quarantine.ts';
import { type RecordDependencies, recordFinding } from './record-finding.ts';

/**
 * Gives an accepted record up: names it in quarantine, without its payload, and in a finding.
 * @throws UnavailableError, RefusedByStoreError: it is not given up before both stand
 */
export async function nameNotStored(
  record: ConsumedRecord,
  reason: 'archive_crashed' | 's3_refused',
  plane: StreamPlane,
  dependencies: RecordDependencies,
): Promise<void> {
  const prepared = quarantine(record, reason);
  await storeQuarantined(prepared, plane, dependencies);
  await recordFinding(
    quarantineFinding('accepted_not_stored', prepared.quarantined, plane),
    dependencies,
  );
}
