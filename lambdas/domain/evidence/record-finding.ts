import type { Finding } from '../audit/findings.ts';
import type { Clock, EvidenceVault, RunIndex } from '../ports.ts';
import { EvidencePrefix } from './evidence-prefix.ts';
import { lockFor, type RetentionPolicy } from './retention.ts';
import { sha256Hex } from './store-key.ts';

/** Where something is locked and listed. */
export interface RecordDependencies {
  readonly vault: EvidenceVault;
  readonly index: RunIndex;
  readonly retention: RetentionPolicy;
  readonly clock: Clock;
}

/** A finding is evidence: the locked document first, then the row that lists it. */
export async function recordFinding(
  finding: Finding,
  { vault, index, retention, clock }: RecordDependencies,
): Promise<void> {
  // A replay may speak for another day than today; no lock counts from one that has not come.
  const now = clock();
  const countsFrom = Math.min(Date.parse(finding.at), now);
  const lock = lockFor(retention, retention.recordDays, countsFrom, now);
  // A rerun may see more than the run before it: other content is another step, equal content the same object.
  const content = sha256Hex(JSON.stringify(finding)).slice(0, 16);
  const step = `${finding.at.replaceAll(':', '')}-${finding.status}-${content}`;
  await vault.putDocument(`${EvidencePrefix.findings}${finding.id}/${step}.json`, finding, lock);
  await index.putFinding(finding);
}
