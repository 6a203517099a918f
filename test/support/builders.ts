import type { Acceptance } from '../../lambdas/domain/evidence/accept.ts';
import type { ConsumedRecord } from '../../lambdas/domain/evidence/consumed-record.ts';
import type {
  DeliveryEntry,
  RunEventEntry,
  TraceDeliveryEntry,
} from '../../lambdas/domain/evidence/index-entries.ts';
import type { RetentionPolicy } from '../../lambdas/domain/evidence/retention.ts';
import {
  encodeStreamRecord,
  type RecordHead,
} from '../../lambdas/domain/evidence/stream-record.ts';
import type { Registration } from '../../lambdas/domain/producers/registration.ts';
import { STRICT } from '../../lambdas/domain/redaction/policy.ts';
import type { RedactionSettings } from '../../lambdas/domain/redaction/redact-or-reduce.ts';
import { runEvent } from './events.ts';

/** The instant at which everything in a unit test happens. */
export const NOW = Date.parse('2026-03-04T05:06:07.890Z');
export const NOW_TEXT = new Date(NOW).toISOString();

export const RETENTION: RetentionPolicy = {
  mode: 'GOVERNANCE',
  lineageDays: 10,
  traceDays: 5,
  recordDays: 20,
  floorDays: 1,
  slackDays: 35,
};

export const EPOCH_KEY = { epoch: 0, secret: Buffer.alloc(32, 7) };
/** The built-in policy under the key of the tests. */
export const REDACTION: RedactionSettings = { policy: STRICT, key: EPOCH_KEY };
export const RUN_ID = '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b';

export function registration(overrides: Partial<Registration> = {}): Registration {
  return {
    producerId: 'producer-1',
    group: 'group-1',
    scopes: ['ingest:lineage', 'ingest:traces', 'read'],
    retentionClass: 'standard',
    disabled: false,
    ...overrides,
  };
}

export function acceptance(overrides: Partial<Acceptance> = {}): Acceptance {
  let n = 0;
  return {
    registration: registration(),
    epochKey: EPOCH_KEY,
    acceptedAtMillis: NOW,
    newDeliveryId: () => deliveryId(NOW, ++n),
    maxRecordBytes: 1_000_000,
    ...overrides,
  };
}

/** A UUIDv7 whose time is given and whose randomness is a counter. */
export function deliveryId(epochMillis: number, n: number): string {
  const hex = epochMillis.toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7000-8000-${n.toString(16).padStart(12, '0')}`;
}

export function head(overrides: Partial<RecordHead> = {}): RecordHead {
  return {
    receiptId: 'receipt-1',
    acceptedAt: NOW_TEXT,
    submitter: { producerId: 'producer-1', group: 'group-1' },
    retentionClass: 'standard',
    received: { epoch: 0, hmac: 'ab'.repeat(32) },
    deviations: [],
    ...overrides,
  };
}

/** A record as the stream hands it over; `n` is its sequence number and part of its receipt. */
export function consumed(
  n: number,
  body: string | Uint8Array,
  headOverrides: Partial<RecordHead> = {},
): ConsumedRecord {
  return {
    position: { shardId: 'shardId-000000000000', sequenceNumber: String(n) },
    arrivedAtMillis: NOW,
    data: encodeStreamRecord({
      head: head({ receiptId: `receipt-${n}`, ...headOverrides }),
      body: Buffer.from(body),
    }),
  };
}

/** The text of a {@link runEvent} of {@link RUN_ID} that touches no data. */
export function runEventText(overrides: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify(
    runEvent({
      eventTime: '2026-03-04T05:06:00Z',
      run: { runId: RUN_ID },
      job: { namespace: 'ns', name: 'job' },
      inputs: [],
      outputs: [],
      ...overrides,
    }),
  );
}

const LOCATION = { bucket: 'vault', key: 'lineage/x.ndjson.gz', versionId: 'v1', line: 0 };
const LOCK = {
  mode: 'GOVERNANCE',
  retainUntil: '2026-04-19T00:00:00.000Z',
  clamped: false,
} as const;
const STORED = {
  receiptId: 'receipt-1',
  acceptedAt: NOW_TEXT,
  submitter: { producerId: 'producer-1', group: 'group-1' },
  location: LOCATION,
  lock: LOCK,
  retentionClass: 'standard',
  receivedHmac: 'hmac-1',
};

export function deliveryEntry(overrides: Partial<DeliveryEntry> = {}): DeliveryEntry {
  return { ...STORED, kind: 'run', runKey: RUN_ID, ...overrides };
}

export function runEventEntry(overrides: Partial<RunEventEntry> = {}): RunEventEntry {
  return {
    ...STORED,
    runId: RUN_ID,
    runKey: RUN_ID,
    digest: 'digest-1',
    deviations: [],
    redaction: { policy: 'p/1', mode: 'full', fields: [], fieldCount: 0 },
    eventType: 'START',
    eventTime: '2026-03-04T05:06:00Z',
    eventTimeUtc: '2026-03-04T05:06:00.000000000Z',
    job: { namespace: 'ns', name: 'job' },
    traceContexts: [],
    tags: {},
    ...overrides,
  };
}

export function traceDeliveryEntry(
  overrides: Partial<TraceDeliveryEntry> = {},
): TraceDeliveryEntry {
  return {
    ...STORED,
    traceId: '0af7651916cd43dd8448eb211c80319c',
    digest: 'digest-1',
    governed: true,
    deviations: [],
    redaction: { policy: 'p/1', mode: 'full', fields: [], fieldCount: 0 },
    spanCount: 1,
    ...overrides,
  };
}

/** What an archive function has left when it begins, in milliseconds. */
export const wholeMinute = () => 60_000;
