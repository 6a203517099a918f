import type { IKey } from 'aws-cdk-lib/aws-kms';
import type { GuardSetting } from '../../lambdas/domain/audit/guard-policy.ts';
import type { EvidenceResources } from './evidence-resources.ts';

/** What a control compares the guards with that stand; for its variable `GUARDS`. */
export function guardSetting({ hmacKeys, signing, vault }: EvidenceResources): GuardSetting {
  const arnsOf = (keys: readonly IKey[]) => keys.map(({ keyArn }) => keyArn);
  return {
    ...vault.guards,
    hmacKeyArns: arnsOf(hmacKeys.all),
    signing: { keyArns: arnsOf(signing.keys), sealerRoleArn: signing.role.roleArn },
  };
}
