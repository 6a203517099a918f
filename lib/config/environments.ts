import type { EnvironmentConfig } from './environment-config.ts';

const MIB = 1024 * 1024;

const join = {
  runIdAttributes: ['lineage.run_id'],
  traceContextFacets: ['bearingnode_traceContext'],
};

/** Emulators only: shortest periods, no limits that they enforce differently. */
const local: EnvironmentConfig = {
  name: 'local',
  kind: 'emulator',
  retention: { mode: 'GOVERNANCE', lineageDays: 1, traceDays: 1, floorDays: 1 },
  stagingDays: 14,
  streams: {
    retentionHours: 24,
    capacity: { mode: 'provisioned', shards: 2 },
    maxRecordBytes: MIB, // the emulators refuse larger records
  },
  archive: { windowSeconds: 1, retryAttempts: 5, batchSize: 100 },
  sealing: { intervalMinutes: 1, closeAfterSeconds: 5, graceMinutes: 1 },
  verification: { periodDays: 1 },
  throttling: { rateLimit: 1000, burstLimit: 2000 },
  keyCacheSeconds: 2,
  endpoint: { kind: 'public', auth: 'bearer' },
  gatewayAccountRole: 'none',
  logRetentionDays: 1,
  schedules: {
    auditRetention: 'rate(1 day)',
    reportRejections: 'rate(1 hour)',
    reconcileHolds: 'rate(1 day)',
    verify: 'rate(1 day)',
  },
  alarms: {},
  join,
  guards: {},
  deletionProtection: false,
};

/** A throw-away deployment in a real account. */
const dev: EnvironmentConfig = {
  ...local,
  name: 'dev',
  kind: 'trial',
  streams: {
    retentionHours: 24,
    capacity: { mode: 'provisioned', shards: 1 },
    maxRecordBytes: 4 * MIB,
  },
  archive: { windowSeconds: 5, retryAttempts: 50, batchSize: 100 },
  sealing: { intervalMinutes: 1, closeAfterSeconds: 300, graceMinutes: 60 },
  throttling: { rateLimit: 50, burstLimit: 100 },
  keyCacheSeconds: 60,
  logRetentionDays: 30,
  deletionProtection: true,
};

/** A week of locked evidence, to try the product with real producers. */
const trial: EnvironmentConfig = {
  ...dev,
  name: 'trial',
  retention: { mode: 'GOVERNANCE', lineageDays: 7, traceDays: 7, floorDays: 7 },
  streams: { ...dev.streams, retentionHours: 168 },
  archive: { windowSeconds: 10, retryAttempts: 50, batchSize: 100 },
  sealing: { intervalMinutes: 15, closeAfterSeconds: 300, graceMinutes: 60 },
  verification: { periodDays: 7 },
  throttling: { rateLimit: 200, burstLimit: 400 },
  logRetentionDays: 90,
};

/** Seven years with the two leap days that they can hold. */
const SEVEN_YEARS_DAYS = 7 * 365 + 2;

/**
 * 111122223333, 192.0.2.0/24 and the region are placeholders of the AWS and IETF documentation. Replace them: the
 * account stands twice on purpose, because nothing can undo a COMPLIANCE lock.
 */
const prod: EnvironmentConfig = {
  ...trial,
  name: 'prod',
  kind: 'production',
  account: '111122223333',
  region: 'eu-central-1',
  retention: {
    mode: 'COMPLIANCE',
    lineageDays: SEVEN_YEARS_DAYS,
    traceDays: SEVEN_YEARS_DAYS,
    floorDays: 190,
  },
  acknowledgeCompliance: '111122223333',
  verification: { periodDays: 30 },
  streams: { ...trial.streams, capacity: { mode: 'provisioned', shards: 4 } },
  reservedConcurrency: { ingest: 100, archive: 20, query: 50, producers: 10, holds: 5 },
  throttling: { rateLimit: 1000, burstLimit: 2000 },
  endpoint: { kind: 'public', auth: 'bearer', allowedCidrs: ['192.0.2.0/24'] },
  gatewayAccountRole: 'existing',
  logRetentionDays: 365,
};

/** Every environment; all of them are synthesised every time, so that none rots. */
export const environments = { local, dev, trial, prod } as const satisfies Record<
  string,
  EnvironmentConfig
>;
