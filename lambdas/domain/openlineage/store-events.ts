import { mapConcurrently } from '../concurrency.ts';
import { errorCode } from '../errors.ts';
import type { DatedEnvelope } from '../evidence/archive-records.ts';
import type { Envelope } from '../evidence/envelope.ts';
import { type EvidenceObject, packObjects } from '../evidence/evidence-object.ts';
import {
  type EventClaim,
  type RunEventEntry,
  summariseRedaction,
} from '../evidence/index-entries.ts';
import { putUnlessStored, type StoredPlace } from '../evidence/put-unless-stored.ts';
import { type RecordDependencies, recordFinding } from '../evidence/record-finding.ts';
import { lockFor, periodDays } from '../evidence/retention.ts';
import type { Finding } from '../findings.ts';
import { JsonDocument } from '../json/document.ts';
import { claimOf, findConflict } from './conflicting-duplicate.ts';
import { indexedDatasets, readDatasets } from './datasets.ts';
import { readEvent } from './event.ts';
import { type EventKind, isIndexable } from './identity.ts';
import { rowLimitsOf, unreadStatementsOf } from './row-limits.ts';
import { readRunFacts } from './run-facts.ts';
import { runKeyOf } from './run-key.ts';

export interface StoreEventsDependencies extends RecordDependencies {
  readonly traceContextFacets: readonly string[];
  /** Called after the link of a run to a trace is written, so that the trace can be promoted. */
  readonly onTraceNamed: (traceId: string) => Promise<void>;
}

/** Index writes in flight: DynamoDB answers in milliseconds, the socket pool holds 50. */
const CONCURRENT_INDEX_WRITES = 16;

/** Stores lineage envelopes: objects first, then items. Answers what failed, by sequence number. */
export async function storeEvents(
  dated: readonly DatedEnvelope[],
  dependencies: StoreEventsDependencies,
): Promise<ReadonlyMap<string, string>> {
  const { retention, clock } = dependencies;
  const failures = new Map<string, string>();
  const countsFrom = new Map(dated.map((item) => [item.envelope, item.countsFromMillis]));

  for (const object of packObjects(
    'lineage',
    dated.map(({ envelope }) => envelope),
  )) {
    const latest = Math.max(
      ...object.envelopes.map((envelope) => countsFrom.get(envelope) as number),
    );
    // Objects are cut by class.
    const [{ retentionClass }] = object.envelopes as [Envelope];
    const days = periodDays(retention, 'lineage', retentionClass);
    try {
      const promised = lockFor(retention, days, latest, clock());
      const places = await putUnlessStored(object, promised, dependencies);
      await indexObject(object, places, dependencies);
    } catch (error) {
      for (const { stream } of object.envelopes)
        failures.set(stream.sequenceNumber, errorCode(error));
    }
  }
  return failures;
}

function indexObject(
  object: EvidenceObject,
  places: readonly StoredPlace[],
  dependencies: StoreEventsDependencies,
): Promise<void> {
  const lines = object.envelopes.map((envelope, line) => ({
    ...(places[line] as StoredPlace),
    ...{ envelope, leafHash: object.leafHashes[line] as string },
  }));
  const indexing: IndexEventsDependencies = {
    ...dependencies,
    onConflict: (finding) => recordFinding(finding, dependencies),
  };
  // all lines are read before the first row is written
  return writeRows(lines.flatMap((line) => eventWrites(line, indexing)));
}

/** An envelope, where it stands, and the hash of its line there. */
export interface StoredLine extends StoredPlace {
  readonly envelope: Envelope;
  readonly leafHash: string;
}

/** What the rows of an event are made with. */
export interface IndexEventsDependencies
  extends Pick<StoreEventsDependencies, 'index' | 'traceContextFacets' | 'onTraceNamed'> {
  /** Called for an event that contradicts another of its run, type and time. */
  readonly onConflict: (finding: Finding) => Promise<void>;
}

/** One row of an event, written when it is called. */
export type RowWrite = () => Promise<void>;

async function writeRows(writes: readonly RowWrite[]): Promise<void> {
  await mapConcurrently(writes, CONCURRENT_INDEX_WRITES, (write) => write());
}

/** Reads a line that stands in the vault for its rows. */
export function eventWrites(
  { envelope, location, lock, leafHash }: StoredLine,
  dependencies: IndexEventsDependencies,
): RowWrite[] {
  const { index, traceContextFacets, onTraceNamed } = dependencies;
  const document = new JsonDocument(envelope.document);
  const event = readEvent(document, kindOf(envelope));
  const { receiptId, acceptedAt, submitter } = envelope;
  const runKey = event.runId === undefined ? undefined : runKeyOf(event.runId);
  const delivery = () =>
    index.putDelivery({
      receiptId,
      acceptedAt,
      submitter,
      location,
      lock,
      kind: envelope.kind,
      retentionClass: envelope.retentionClass,
      receivedHmac: envelope.received.hmac,
      leafHash,
      ...(runKey !== undefined && { runKey }),
    });
  const { job } = event;
  if (event.kind === 'job' && job) {
    return [
      delivery,
      () => index.putDeclaration({ job, receiptId, acceptedAt, group: submitter.group }),
    ];
  }
  if (event.runId === undefined || runKey === undefined || !job) return [delivery];

  const facts = readRunFacts(document, traceContextFacets);
  const datasets = readDatasets(document);
  const indexed = indexedDatasets(datasets);
  const limits = rowLimitsOf(envelope);
  const unreadStatements = unreadStatementsOf(envelope);
  const entry: RunEventEntry = {
    receiptId,
    acceptedAt,
    submitter,
    location,
    lock,
    runId: event.runId,
    runKey,
    retentionClass: envelope.retentionClass,
    ...(envelope.registeredBasis && { registeredBasis: envelope.registeredBasis }),
    receivedHmac: envelope.received.hmac,
    digest: envelope.digest,
    deviations: envelope.deviations,
    redaction: summariseRedaction(envelope.redaction),
    ...bounded('eventType', event.eventType),
    ...bounded('eventTime', event.eventTime),
    ...bounded('eventTimeUtc', event.eventTimeUtc),
    ...bounded('producer', event.producer),
    job,
    ...facts,
    ...(limits.length > 0 && { limits }),
    ...(unreadStatements > 0 && { unreadStatements }),
    ...(datasets.length > indexed.length && {
      datasetsNotIndexed: datasets.length - indexed.length,
    }),
  };
  const { runId } = event;
  const claim = claimOf(entry, envelope.received.epoch);
  return [
    delivery,
    () => index.putRunEvent(entry),
    ...(claim ? [() => claimTime(claim, dependencies)] : []),
    ...indexed.map((dataset) => () => {
      const { namespace, name, access } = dataset;
      return index.putRunDataset({
        runKey,
        group: submitter.group,
        access,
        namespace,
        name,
        receiptId,
      });
    }),
    ...(['parent', 'root'] as const).flatMap((by) => {
      const reference = facts[by];
      if (!reference) return [];
      const { runId: named } = reference;
      return () =>
        index.putReference({
          runKey: runKeyOf(named),
          runId: named,
          by,
          from: runId,
          group: submitter.group,
          receiptId,
        });
    }),
    ...facts.traceContexts.map((context) => async () => {
      await index.putTraceRun({
        ...context,
        runId,
        runKey,
        declaredBy: 'run',
        submitter,
        receiptId,
      });
      await onTraceNamed(context.traceId);
    }),
  ];
}

async function claimTime(
  claim: EventClaim,
  { index, onConflict }: IndexEventsDependencies,
): Promise<void> {
  const conflict = findConflict(await index.claimEvent(claim), claim);
  if (conflict) await onConflict(conflict);
}

function kindOf({ kind }: Envelope): EventKind | undefined {
  return kind === 'trace' ? undefined : kind;
}

/** A text as a member, unless it is absent or too long for an index row; the document has it in any case. */
function bounded<K extends string>(name: K, text: string | undefined): { [P in K]?: string } {
  return text !== undefined && isIndexable(text) ? ({ [name]: text } as { [P in K]: string }) : {};
}
