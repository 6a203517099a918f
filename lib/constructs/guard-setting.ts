import type { GuardSetting } from '../../lambdas/domain/audit/guard-policy.ts';
import type { EvidenceResources } from './evidence-resources.ts';

/** What a control compares the guards with that stand; for its variable `GUARDS`. */
export function guardSetting({ signing, vault }: EvidenceResources): GuardSetting {
  const keyArns = signing.keys.map(({ keyArn }) => keyArn);
  return { ...vault.guards, signing: { keyArns, sealerRoleArn: signing.role.roleArn } };
}
