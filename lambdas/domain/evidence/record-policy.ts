import { policyDocument, type RedactionPolicy } from '../redaction/policy.ts';
import { EvidencePrefix } from './evidence-prefix.ts';
import type { RecordDependencies } from './record-finding.ts';
import { lockFor } from './retention.ts';

/** `policies/strict-1-<hash>.json`: what an id holds beside letters and digits is no name of a file everywhere. */
export function policyKey(id: string): string {
  return `${EvidencePrefix.policies}${id.replace(/[^a-z0-9]/g, '-')}.json`;
}

/**
 * Puts the document of a policy into the vault, once: to be called before a line that names the policy is
 * stored. Whoever comes second finds the same document there.
 * @returns what throws an UnavailableError while the vault does not take it
 */
export function policyRecorder(
  policy: RedactionPolicy,
  { vault, retention, clock }: Omit<RecordDependencies, 'index'>,
): () => Promise<void> {
  let isRecorded = false;
  return async () => {
    if (isRecorded) return;
    const now = clock();
    const lock = lockFor(retention, retention.recordDays, now, now);
    await vault.putDocument(policyKey(policy.id), policyDocument(policy), lock);
    isRecorded = true;
  };
}
