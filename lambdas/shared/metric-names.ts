/** CloudWatch namespace of what the functions of a stage emit (EMF): two stages of one account never mix. */
export function metricNamespace(stage: string): string {
  return `LineageEvidence/${stage}`;
}

/** Metric names, shared with the alarms of the monitoring stack. Producer, rule and ids are never dimensions. */
export const Metric = {
  storedRecords: 'StoredRecords',
  skeletonRecords: 'SkeletonRecords',
  quarantinedRecords: 'QuarantinedRecords',
  auditedVersions: 'AuditedVersions',
  auditIncomplete: 'AuditIncomplete',
  parityViolations: 'ParityViolations',
  replicationFailures: 'ReplicationFailures',
  digestsSealed: 'DigestsSealed',
  digestAge: 'DigestAgeSeconds',
  sealedRecords: 'SealedRecords',
  lateObjects: 'LateObjects',
  unsentHeads: 'UnsentHeads',
  sealViolations: 'SealViolations',
  verifiedBytes: 'VerifiedBytes',
  integrityViolations: 'IntegrityViolations',
  holdsIncomplete: 'HoldsIncomplete',
  refusals: 'Refusals',
  uncountedRefusals: 'UncountedRefusals',
  unauthenticatedRequests: 'UnauthenticatedRequests',
  rateLimitedRequests: 'RateLimitedRequests',
} as const;
