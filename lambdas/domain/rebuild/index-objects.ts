import { groupBy } from '../collections.ts';
import { UnreadableRecordError } from '../errors.ts';
import type { Quarantined } from '../evidence/consumed-record.ts';
import type { Envelope } from '../evidence/envelope.ts';
import { readMatchingLines } from '../evidence/evidence-object.ts';
import type { ListedVersion, ObjectVersion, StoredObject } from '../evidence/ports.ts';
import { indexQuarantined } from '../evidence/quarantine.ts';
import { type Lock, lockFor, periodDays } from '../evidence/retention.ts';
import type { Finding } from '../findings.ts';
import { eventWrites, type RowWrite } from '../openlineage/store-events.ts';
import { sha256Hex } from '../store-key.ts';
import { indexTraceLine } from '../traces/index-trace.ts';
import { type PromoteDependencies, promoteTrace } from '../traces/promote.ts';
import { readTraceLines } from '../traces/trace-lines.ts';
import type { Partition } from './partition.ts';
import { areTexts, isObject, isTime } from './shape.ts';

export interface IndexObjectsDependencies extends PromoteDependencies {
  readonly stagingBucket: string;
  /** As archive has them at present: rows of a rebuild go by today's names. */
  readonly traceContextFacets: readonly string[];
  readonly runIdAttributes: readonly string[];
}

/** An object that was read: its records, and how their rows are written. Nothing in it is written twice. */
export interface ReadObject {
  /** Names of records, each the same in every object that holds it. */
  readonly records: readonly string[];
  /** What writes the rows of the wanted records, in any order. */
  readonly writes: (wanted: ReadonlySet<string>) => readonly RowWrite[];
}

/**
 * Reads an object for its rows.
 * @throws UnreadableRecordError when it is not what its key was made from; whatever a parser throws
 */
export function readForIndex(
  { kind }: Partition,
  version: ListedVersion,
  object: StoredObject,
  dependencies: IndexObjectsDependencies,
): ReadObject {
  if (kind === 'lineage') return readEvents(version, object, dependencies);
  if (kind === 'traces') return readTraces(version, object, dependencies);
  if (kind === 'quarantine') return readQuarantined(version, object, dependencies);
  return readFinding(version, object, dependencies);
}

function readEvents(
  version: ListedVersion,
  object: StoredObject,
  { index, traceContextFacets, ...dependencies }: IndexObjectsDependencies,
): ReadObject {
  const lock = lockOf(object);
  const named = new Set<string>();
  const promoting = { ...dependencies, index };
  const indexing = {
    ...{ index, traceContextFacets },
    onTraceNamed: async (traceId: string) => {
      // Once for all events of the object: what is staged later finds their links by itself.
      if (named.has(traceId)) return;
      named.add(traceId);
      await promoteTrace(traceId, promoting);
    },
    // its finding is a document of its own, and rebuilt from that
    onConflict: async () => undefined,
  };
  const lines = readLines(version, object).map(({ envelope, leafHash }, line) => {
    const location = { ...locationOf(version), line };
    return { envelope, writes: eventWrites({ envelope, leafHash, lock, location }, indexing) };
  });
  return readObject(
    lines,
    ({ envelope }) => recordName(envelope),
    ({ writes }) => writes,
  );
}

/**
 * A staged line is filed and then looked at from the other side, as archive does it: a run that names its trace may
 * have been archived while its row was not there to be found.
 */
function readTraces(
  version: ListedVersion,
  object: StoredObject,
  dependencies: IndexObjectsDependencies,
): ReadObject {
  const { index, runIdAttributes, stagingBucket } = dependencies;
  const governed = version.bucket !== stagingBucket;
  const read = readLines(version, object);
  const lock = governed ? lockOf(object) : stagedLock(version, read, dependencies);
  const lineOf = new Map(
    read.map(({ envelope, leafHash }, line) => [envelope, { leafHash, line }] as const),
  );
  const byRecord = groupBy(read, ({ envelope }) => envelope.stream.sequenceNumber);
  const lines = [...byRecord.values()].flatMap((record) =>
    readTraceLines(
      record.map(({ envelope }) => ({
        envelope,
        countsFromMillis: Date.parse(envelope.acceptedAt),
      })),
      runIdAttributes,
    ),
  );
  return readObject(
    lines,
    ({ envelope }) => recordName(envelope),
    (traceLine) => async () => {
      const { leafHash, line } = lineOf.get(traceLine.envelope) as {
        leafHash: string;
        line: number;
      };
      const location = { ...locationOf(version), line };
      await indexTraceLine({ ...traceLine, location, leafHash, lock, governed }, index);
      if (!governed && (await index.isTraceLinked(traceLine.traceId))) {
        await promoteTrace(traceLine.traceId, dependencies);
      }
    },
  );
}

function readQuarantined(
  version: ListedVersion,
  object: StoredObject,
  { index }: IndexObjectsDependencies,
): ReadObject {
  const document: unknown = JSON.parse(Buffer.from(object.body).toString());
  if (!isQuarantined(document)) throw new UnreadableRecordError('no_quarantine_document');
  const lock = lockOf(object);
  return {
    records: [version.key],
    writes: () => [() => indexQuarantined(document, locationOf(version), lock, index)],
  };
}

function readFinding(
  { key }: ListedVersion,
  { body }: StoredObject,
  { index }: IndexObjectsDependencies,
): ReadObject {
  const finding: unknown = JSON.parse(Buffer.from(body).toString());
  if (!isFinding(finding) || !key.endsWith(`-${sha256Hex(body).slice(0, 16)}.json`)) {
    throw new UnreadableRecordError('no_finding_document');
  }
  // Of two documents of one step the first is the row, live as well.
  const step = [finding.id, finding.at, finding.status].join('\n');
  return { records: [step], writes: () => [() => index.putFinding(finding)] };
}

function readObject<T>(
  lines: readonly T[],
  nameOf: (line: T) => string,
  writesOf: (line: T) => RowWrite | readonly RowWrite[],
): ReadObject {
  const named = lines.map((line) => ({ line, name: nameOf(line) }));
  return {
    records: named.map(({ name }) => name),
    writes: (wanted) => named.flatMap(({ line, name }) => (wanted.has(name) ? writesOf(line) : [])),
  };
}

/** A delivery, or what it holds of one trace. */
function recordName({ receiptId, traceId = '' }: Envelope): string {
  return `${receiptId}\n${traceId}`;
}

function readLines(version: ListedVersion, { body }: StoredObject) {
  const lines = readMatchingLines(version.key, body);
  if (!lines) throw new UnreadableRecordError('object_altered');
  if (!lines.every(({ envelope }) => isEnvelope(envelope))) {
    throw new UnreadableRecordError('no_evidence_line');
  }
  return lines;
}

/** What is read of a line beside its document. */
function isEnvelope(line: unknown): boolean {
  if (!isObject(line)) return false;
  const { document, digest, stream, redaction, deviations } = line;
  return (
    isHead(line) &&
    areTexts(document, digest) &&
    isObject(stream) &&
    areTexts(stream.sequenceNumber) &&
    isObject(redaction) &&
    Array.isArray(redaction.fields) &&
    redaction.fields.every((field) => isObject(field) && typeof field.path === 'string') &&
    Array.isArray(deviations)
  );
}

function isQuarantined(document: unknown): document is Quarantined {
  if (!isObject(document) || document.quarantine !== 1) return false;
  return document.head === undefined || isHead(document.head);
}

/** What the row of a delivery is made of. */
function isHead(head: unknown): boolean {
  if (!isObject(head)) return false;
  const { receiptId, acceptedAt, submitter, retentionClass, received } = head;
  return (
    areTexts(receiptId, retentionClass) &&
    isTime(acceptedAt) &&
    isObject(submitter) &&
    areTexts(submitter.producerId, submitter.group) &&
    isObject(received) &&
    areTexts(received.hmac)
  );
}

function isFinding(document: unknown): document is Finding {
  if (!isObject(document) || document.finding !== 1) return false;
  const { id, at, status, runKeys } = document;
  return areTexts(id, status) && isTime(at) && Array.isArray(runKeys) && areTexts(...runKeys);
}

function locationOf({ bucket, key, versionId }: ListedVersion): ObjectVersion {
  return { bucket, key, versionId };
}

/** An object without a lock was put by nobody of ours. */
function lockOf({ lock }: StoredObject): Lock {
  if (!lock) throw new UnreadableRecordError('object_not_locked');
  return lock;
}

/** What archive promised of a staged object: the lock that its lines get once they are promoted. */
function stagedLock(
  { lastModified }: ListedVersion,
  lines: ReturnType<typeof readLines>,
  { retention }: IndexObjectsDependencies,
): Lock {
  const latest = Math.max(...lines.map(({ envelope }) => Date.parse(envelope.acceptedAt)));
  // Objects are cut by class.
  const days = periodDays(retention, 'traces', lines[0]?.envelope.retentionClass ?? '');
  return lockFor(retention, days, latest, Date.parse(lastModified));
}
