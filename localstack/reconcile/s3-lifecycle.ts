import type { LifecycleRule, TransitionStorageClass } from '@aws-sdk/client-s3';

/** A lifecycle rule in CloudFormation's words; only those that lib/ uses. */
export interface TemplateRule {
  readonly Id?: string;
  readonly Status: 'Enabled' | 'Disabled';
  readonly Prefix?: string;
  readonly ExpirationInDays?: number;
  readonly ExpiredObjectDeleteMarker?: boolean;
  readonly NoncurrentVersionExpiration?: {
    readonly NoncurrentDays: number;
    readonly NewerNoncurrentVersions?: number;
  };
  readonly AbortIncompleteMultipartUpload?: { readonly DaysAfterInitiation: number };
  readonly Transitions?: readonly {
    readonly TransitionInDays?: number;
    readonly StorageClass: string;
  }[];
}

const KNOWN = new Set([
  'Id',
  'Status',
  'Prefix',
  'ExpirationInDays',
  'ExpiredObjectDeleteMarker',
  'NoncurrentVersionExpiration',
  'AbortIncompleteMultipartUpload',
  'Transitions',
]);

/** Translates rules into the S3 API's words. Throws for a rule it would translate only in part. */
export function lifecycleRules(rules: readonly TemplateRule[]): LifecycleRule[] {
  return rules.map((rule, index) => {
    const unknown = Object.keys(rule).find((name) => !KNOWN.has(name));
    if (unknown !== undefined) throw new Error(`reconcile does not know the lifecycle ${unknown}`);
    const expiration = expirationOf(rule);
    return {
      ID: rule.Id ?? `rule-${index}`,
      Status: rule.Status,
      Filter: { Prefix: rule.Prefix ?? '' },
      ...(expiration && { Expiration: expiration }),
      ...(rule.NoncurrentVersionExpiration && {
        NoncurrentVersionExpiration: rule.NoncurrentVersionExpiration,
      }),
      ...(rule.AbortIncompleteMultipartUpload && {
        AbortIncompleteMultipartUpload: rule.AbortIncompleteMultipartUpload,
      }),
      ...(rule.Transitions && {
        Transitions: rule.Transitions.map(({ TransitionInDays, StorageClass }) => ({
          Days: TransitionInDays ?? 0,
          StorageClass: StorageClass as TransitionStorageClass,
        })),
      }),
    };
  });
}

function expirationOf(rule: TemplateRule): LifecycleRule['Expiration'] {
  if (rule.ExpirationInDays !== undefined) return { Days: rule.ExpirationInDays };
  if (rule.ExpiredObjectDeleteMarker) return { ExpiredObjectDeleteMarker: true };
  return undefined;
}
