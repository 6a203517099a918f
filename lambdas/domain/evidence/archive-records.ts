import {
  type Finding,
  type FindingKind,
  openFinding,
  type Plane,
  type StreamPlane,
} from '../audit/findings.ts';
import { mapConcurrently } from '../concurrency.ts';
import { errorCode } from '../errors.ts';
import { runKeysOf } from '../openlineage/run-key.ts';
import type { ConsumedRecord, Prepared, QuarantinedRecord } from './consumed-record.ts';
import type { Envelope } from './envelope.ts';
import {
  acceptedAfterArrival,
  quarantine,
  quarantineFinding,
  storeQuarantined,
} from './quarantine.ts';
import { type RecordDependencies, recordFinding } from './record-finding.ts';

/** An envelope with the later of acceptance and arrival, from which its retention counts. */
export interface DatedEnvelope {
  readonly envelope: Envelope;
  readonly countsFromMillis: number;
}

export interface ArchiveDependencies extends RecordDependencies {
  readonly plane: StreamPlane;
  /** Pure; never throws. */
  readonly prepare: (record: ConsumedRecord) => Prepared;
  /**
   * Stores and indexes envelopes, oldest first. Answers the sequence numbers that could not be, each
   * with an error code; only infrastructure can fail here.
   */
  readonly store: (envelopes: readonly DatedEnvelope[]) => Promise<ReadonlyMap<string, string>>;
}

export interface ArchiveOutcome {
  /** Sequence numbers to be delivered again, with the code of what failed. */
  readonly failures: ReadonlyMap<string, string>;
  readonly stored: number;
  readonly skeletons: number;
  readonly quarantined: number;
}

/** Clocks of ingest and stream may differ by this much before it is a finding. */
const MAX_ACCEPTANCE_SKEW_MILLIS = 60_000;

/** Documents put at once: enough to hide latency, few enough for one connection pool. */
const CONCURRENT_DOCUMENTS = 8;

/**
 * Archives what one invocation consumed. A record is judged on its own: poison goes to quarantine
 * and never blocks its neighbours; only what the infrastructure refused is reported for a retry.
 */
export async function archiveRecords(
  records: readonly ConsumedRecord[],
  dependencies: ArchiveDependencies,
): Promise<ArchiveOutcome> {
  const prepared = records.map((record) => prepareOnce(record, dependencies.prepare));
  const dated: DatedEnvelope[] = [];
  const findings: Array<{ sequenceNumber: string; finding: Finding }> = [];
  const quarantined: QuarantinedRecord[] = [];

  for (const item of prepared) {
    const { sequenceNumber } = item.position;
    if ('quarantined' in item) {
      quarantined.push(item);
      findings.push({
        sequenceNumber,
        finding: quarantineFinding('accepted_not_readable', item.quarantined, dependencies.plane),
      });
      continue;
    }
    for (const envelope of item.envelopes) {
      dated.push({
        envelope,
        countsFromMillis: Math.max(Date.parse(envelope.acceptedAt), item.arrivedAtMillis),
      });
      for (const finding of findingsOf(envelope, item.arrivedAtMillis, dependencies.plane)) {
        findings.push({ sequenceNumber, finding });
      }
    }
  }

  const failures = new Map(await dependencies.store(dated));
  const attempt = async (sequenceNumber: string, write: () => Promise<unknown>) => {
    try {
      await write();
    } catch (error) {
      failures.set(sequenceNumber, errorCode(error));
    }
  };
  await mapConcurrently(quarantined, CONCURRENT_DOCUMENTS, (item) =>
    attempt(item.position.sequenceNumber, () =>
      storeQuarantined(item, dependencies.plane, dependencies),
    ),
  );
  await mapConcurrently(findings, CONCURRENT_DOCUMENTS, ({ sequenceNumber, finding }) =>
    attempt(sequenceNumber, () => recordFinding(finding, dependencies)),
  );

  return {
    failures,
    stored: dated.length,
    skeletons: dated.filter(({ envelope }) => envelope.redaction.mode === 'skeleton').length,
    quarantined: quarantined.length,
  };
}

function prepareOnce(record: ConsumedRecord, prepare: ArchiveDependencies['prepare']): Prepared {
  const prepared = prepare(record);
  const [first] = 'envelopes' in prepared ? prepared.envelopes : [];
  return first && acceptedAfterArrival(first.acceptedAt, record.arrivedAtMillis)
    ? quarantine(record, 'accepted_after_arrival')
    : prepared;
}

function findingsOf(envelope: Envelope, arrivedAtMillis: number, plane: Plane): Finding[] {
  const found: Array<[kind: FindingKind, detail: Finding['detail']]> = [];
  if (envelope.redaction.mode === 'skeleton') {
    found.push(['stored_reduced', { policy: envelope.redaction.policy }]);
  }
  const skewMillis = Math.abs(arrivedAtMillis - Date.parse(envelope.acceptedAt));
  if (skewMillis > MAX_ACCEPTANCE_SKEW_MILLIS)
    found.push(['acceptance_clock_skew', { skewMillis }]);
  if (found.length === 0) return [];

  const { receiptId: subject, acceptedAt: at } = envelope;
  const runKeys = runKeysOf(envelope);
  return found.map(([kind, detail]) => openFinding(kind, { plane, subject, at, runKeys, detail }));
}
