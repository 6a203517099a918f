/** Object key prefixes: where evidence lies, and what the rights of the functions are cut to. */
export const EvidencePrefix = {
  lineage: 'lineage/',
  traces: 'traces/',
  quarantine: 'quarantine/',
  findings: 'findings/',
  reports: 'reports/',
  producers: 'producers/',
  policies: 'policies/',
  keys: 'keys/',
  holds: 'holds/',
  erasures: 'erasures/',
  digests: 'digests/',
  publicKeys: 'public-keys/',
} as const;

/** Object key prefixes in staging beside traces: what a long task has to do, and what it has done. */
export const WorkPrefix = { plans: 'plans/', parts: 'parts/' } as const;
