import type { Finding } from '../findings.ts';
import { sha256Hex } from '../store-key.ts';
import { EvidencePrefix } from './evidence-prefix.ts';
import { hourFolder, hourOf } from './hour-shard.ts';
import type { Clock, EvidenceVault } from './ports.ts';
import { type Lock, lockFor, type RetentionPolicy } from './retention.ts';
import type { RunIndex } from './run-index.ts';

/** Where something is locked and listed. */
export interface RecordDependencies {
  readonly vault: EvidenceVault;
  readonly index: RunIndex;
  readonly retention: RetentionPolicy;
  readonly clock: Clock;
}

/**
 * The lock of a finding or a report that speaks for an instant (RFC 3339). A replay may speak for
 * another day than today; no lock counts from one that has not come.
 */
export function recordLock(
  at: string,
  { retention, clock }: Pick<RecordDependencies, 'retention' | 'clock'>,
): Lock {
  const now = clock();
  return lockFor(retention, retention.recordDays, Math.min(Date.parse(at), now), now);
}

/** A finding is evidence: the locked document first, then the row that lists it. */
export async function recordFinding(
  finding: Finding,
  dependencies: RecordDependencies,
): Promise<void> {
  const { vault, index } = dependencies;
  const lock = recordLock(finding.at, dependencies);
  await vault.putDocument(findingKey(finding), finding, lock);
  await index.putFinding(finding);
}

/** The same. @returns whether nobody had recorded it yet: of two that do so at once, both may think so */
export async function recordNewFinding(
  finding: Finding,
  dependencies: RecordDependencies,
): Promise<boolean> {
  const isKnown = await dependencies.vault.findDocument(findingKey(finding), finding);
  await recordFinding(finding, dependencies);
  return !isKnown;
}

/** Where a finding stands in the vault. */
export function findingKey(finding: Finding): string {
  // A rerun may see more than the run before it: other content is another step, equal content the same object.
  const content = sha256Hex(JSON.stringify(finding)).slice(0, 16);
  const step = `${finding.id}-${finding.at.replaceAll(':', '')}-${finding.status}-${content}`;
  const folder = `${EvidencePrefix.findings}${hourFolder(hourOf(finding.at))}`;
  return `${folder}${step}.json`;
}
