import { sum } from '../collections.ts';
import { mapConcurrently } from '../concurrency.ts';
import { errorCode, RefusedByStoreError } from '../errors.ts';
import {
  type Finding,
  type FindingKind,
  openFinding,
  type Plane,
  type StreamPlane,
} from '../findings.ts';
import { runKeysOf } from '../openlineage/run-key.ts';
import { NamedSubjects, secretsOf } from '../subjects/named-subjects.ts';
import type { SubjectKeys } from '../subjects/ports.ts';
import type { SubjectPseudonyms } from '../subjects/pseudonym.ts';
import type { ConsumedRecord, Prepared, QuarantinedRecord } from './consumed-record.ts';
import { charactersOf, type Envelope } from './envelope.ts';
import type { EpochKey } from './keyed-hash.ts';
import { nameNotStored } from './not-stored.ts';
import type { EpochKeys } from './ports.ts';
import {
  acceptedAfterArrival,
  quarantine,
  quarantineFinding,
  storeQuarantined,
} from './quarantine.ts';
import { type RecordDependencies, recordFinding } from './record-finding.ts';
import { keysOfRecords, type RecordKey } from './record-keys.ts';

/** An envelope with the later of acceptance and arrival, from which its retention counts. */
export interface DatedEnvelope {
  readonly envelope: Envelope;
  readonly countsFromMillis: number;
}

export interface ArchiveDependencies extends RecordDependencies {
  readonly plane: StreamPlane;
  readonly epochKeys: Pick<EpochKeys, 'byEpoch'>;
  readonly subjectKeys: SubjectKeys;
  /** Has the policy in the vault that lines will name; only infrastructure can fail here. */
  readonly recordPolicy: () => Promise<void>;
  /** Pure, given the HMAC key of the record's epoch and what stands for its subjects; never throws. */
  readonly prepare: (
    record: ConsumedRecord,
    key: EpochKey,
    subjects: SubjectPseudonyms,
  ) => Prepared;
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
 * A slice ends with the record that brings the envelopes to this many characters, or what it files to
 * this many, or with the last. Redacting 14 Mi characters, the most of a lineage slice, of the dearest shapes takes
 * some 20 s; filing 5,000 traces takes 15. A record is never cut, and brings no more than that again by itself.
 */
const MAX_SLICE_CHARACTERS = 8 * 1024 * 1024;
const MAX_SLICE_FILED = 5_000;

/** A record that names persons is redacted again when their keys are there. */
const TIMES_WITH_SUBJECTS = 2;

/** A record in quarantine is a document and a finding, and a row for each. */
const FILED_IN_QUARANTINE = 5;

/** What a slice may take: it is begun only with as much left of the minute that an invocation has. */
const SLICE_MILLIS = 30_000;

/**
 * Archives what one invocation consumed, slice by slice, so that neither memory nor time goes by what a batch
 * happens to hold. Slices begin at the first record and each behind the other, and their bounds go by the records
 * alone: what comes again, from the first record of a slice on, is cut in the same places.
 *
 * The first slice is begun in any case; of what there is no time for, all is answered as failed, and the next
 * invocation begins there; likewise from the first record on whose HMAC key is not to be had. A record is judged on its own: poison goes to quarantine and never blocks its neighbours;
 * only what the infrastructure refused is reported for a retry.
 *
 * @param remainingMillis what is left of the invocation
 */
export async function archiveRecords(
  records: readonly ConsumedRecord[],
  dependencies: ArchiveDependencies,
  remainingMillis: () => number,
): Promise<ArchiveOutcome> {
  const failures = new Map<string, string>();
  const outcome = { failures, stored: 0, skeletons: 0, quarantined: 0 };
  const failFrom = (first: number, code: string) => {
    for (const { position } of records.slice(first)) failures.set(position.sequenceNumber, code);
    return outcome;
  };
  // Redrive invokes without a record to see whether the function works: nothing is looked up for that.
  if (records.length === 0) return outcome;
  try {
    await dependencies.recordPolicy();
  } catch (error) {
    return failFrom(0, errorCode(error));
  }
  const keyOf = await keysOfRecords(records, dependencies);
  for (let next = 0; next < records.length; ) {
    if (next > 0 && remainingMillis() < SLICE_MILLIS) return failFrom(next, 'no_time_left');
    const { slice, failed } = prepareSlice(records, next, keyOf, dependencies.prepare);
    const withoutSubjects = await nameSubjects(slice, dependencies);
    if (withoutSubjects !== undefined) return failFrom(next, withoutSubjects);
    next += slice.length;
    const prepared = slice.map((once) => once.prepared);
    const archived = await archiveSlice(prepared, dependencies);
    const [record] = records as [ConsumedRecord];
    if (records.length === 1 && isRefused(archived)) return nameRefused(record, dependencies);
    for (const [sequenceNumber, code] of archived.failures) failures.set(sequenceNumber, code);
    outcome.stored += archived.stored;
    outcome.skeletons += archived.skeletons;
    outcome.quarantined += archived.quarantined;
    // What is behind it comes again in any case: stored now, it would be stored in other places then.
    if (failed !== undefined) return failFrom(next, failed);
  }
  return outcome;
}

const REFUSED = new RefusedByStoreError('s3').code;

function isRefused({ failures }: ArchiveOutcome): boolean {
  return [...failures.values()].includes(REFUSED);
}

/**
 * Gives up a record that S3 will not take even alone. In company it is a failure: whose fault it is shows when redrive
 * brings each by itself. A function that cannot put the document that names it is broken itself, and gives up none.
 */
async function nameRefused(
  record: ConsumedRecord,
  dependencies: ArchiveDependencies,
): Promise<ArchiveOutcome> {
  try {
    await nameNotStored(record, 's3_refused', dependencies.plane, dependencies);
    return { failures: new Map(), stored: 0, skeletons: 0, quarantined: 1 };
  } catch (error) {
    const failures = new Map([[record.position.sequenceNumber, errorCode(error)]]);
    return { failures, stored: 0, skeletons: 0, quarantined: 0 };
  }
}

/** @returns `failed` when the slice ended before a record whose key is not to be had */
function prepareSlice(
  records: readonly ConsumedRecord[],
  from: number,
  keyOf: (record: ConsumedRecord) => RecordKey,
  prepare: ArchiveDependencies['prepare'],
): { readonly slice: PreparedOnce[]; readonly failed?: string } {
  const slice: PreparedOnce[] = [];
  let characters = 0;
  let filed = 0;
  for (let at = from; at < records.length; at++) {
    const record = records[at] as ConsumedRecord;
    const key = keyOf(record);
    if ('failed' in key) return { slice, failed: key.failed };
    const once: PreparedOnce =
      'key' in key
        ? prepareOnce(record, key.key, prepare)
        : { prepared: quarantine(record, key.refused) };
    slice.push(once);
    const { prepared, subjects } = once;
    if ('envelopes' in prepared) {
      const times = subjects ? TIMES_WITH_SUBJECTS : 1;
      characters += times * sum(prepared.envelopes.map(charactersOf));
      filed += prepared.filed + (subjects?.named.count ?? 0);
    } else {
      filed += FILED_IN_QUARANTINE;
    }
    if (characters >= MAX_SLICE_CHARACTERS || filed >= MAX_SLICE_FILED) break;
  }
  return { slice };
}

async function archiveSlice(
  slice: readonly Prepared[],
  dependencies: ArchiveDependencies,
): Promise<ArchiveOutcome> {
  const dated: DatedEnvelope[] = [];
  const findings: Array<{ sequenceNumber: string; finding: Finding }> = [];
  const quarantined: QuarantinedRecord[] = [];

  for (const item of slice) {
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

/** What becomes of a record, and how it is made again once the keys of its subjects are there. */
interface PreparedOnce {
  prepared: Prepared;
  readonly subjects?: {
    readonly named: NamedSubjects;
    readonly prepareWith: (pseudonyms: SubjectPseudonyms) => Prepared;
  };
}

function prepareOnce(
  record: ConsumedRecord,
  key: EpochKey,
  prepare: ArchiveDependencies['prepare'],
): PreparedOnce {
  const named = new NamedSubjects(key);
  const prepared = prepare(record, key, named.note);
  if (!('envelopes' in prepared)) return { prepared };
  const [first] = prepared.envelopes;
  if (first && acceptedAfterArrival(first.acceptedAt, record.arrivedAtMillis)) {
    return { prepared: quarantine(record, 'accepted_after_arrival') };
  }
  if (named.count === 0) return { prepared };
  const prepareWith = (pseudonyms: SubjectPseudonyms) => prepare(record, key, pseudonyms);
  return { prepared, subjects: { named, prepareWith } };
}

/**
 * Puts pseudonyms where the records of a slice name persons: by redacting those records once more, so that what is
 * found and what is replaced cannot differ. Where a slice ends is known before, and goes by the records alone.
 * @returns the code of what failed; then nothing of the slice may be stored
 */
async function nameSubjects(
  slice: readonly PreparedOnce[],
  { subjectKeys }: Pick<ArchiveDependencies, 'subjectKeys'>,
): Promise<string | undefined> {
  const named = slice.flatMap(({ subjects }) => subjects?.named ?? []);
  if (named.length === 0) return undefined;
  try {
    const secrets = await secretsOf(named, subjectKeys);
    for (const once of slice) {
      const { subjects } = once;
      if (subjects) once.prepared = subjects.prepareWith(subjects.named.pseudonyms(secrets));
    }
    return undefined;
  } catch (error) {
    return errorCode(error);
  }
}

function findingsOf(envelope: Envelope, arrivedAtMillis: number, plane: Plane): Finding[] {
  const found: Array<[kind: FindingKind, detail: Finding['detail']]> = [];
  const { policy, mode, reason } = envelope.redaction;
  if (mode === 'skeleton') {
    found.push(['stored_reduced', { policy, ...(reason !== undefined && { reason }) }]);
  }
  const skewMillis = Math.abs(arrivedAtMillis - Date.parse(envelope.acceptedAt));
  if (skewMillis > MAX_ACCEPTANCE_SKEW_MILLIS)
    found.push(['acceptance_clock_skew', { skewMillis }]);
  if (found.length === 0) return [];

  const { receiptId: subject, acceptedAt: at } = envelope;
  const runKeys = runKeysOf(envelope);
  return found.map(([kind, detail]) => openFinding(kind, { plane, subject, at, runKeys, detail }));
}
