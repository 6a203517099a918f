import { groupBy } from '../collections.ts';
import { mapConcurrently } from '../concurrency.ts';
import { LineageError, UnreadableRecordError } from '../errors.ts';
import type { Envelope } from '../evidence/envelope.ts';
import { type EvidenceObject, packObjects, readMatching } from '../evidence/evidence-object.ts';
import type { TraceDeliveryEntry } from '../evidence/index-entries.ts';
import type { ObjectReader } from '../evidence/ports.ts';
import { type RecordDependencies, recordFinding } from '../evidence/record-finding.ts';
import { type Lock, lockFor, periodDays, type RetentionPolicy } from '../evidence/retention.ts';
import { versionName } from '../evidence/version-name.ts';
import { type Finding, type FindingKind, openFinding } from '../findings.ts';

export interface PromoteDependencies extends RecordDependencies {
  readonly reader: ObjectReader;
}

export interface Promotion {
  /** Receipts of the deliveries that were staged and now stand in the vault. */
  readonly promoted: readonly string[];
  /** What could not be promoted and never will be; already recorded. */
  readonly findings: readonly Finding[];
}

/** Staged objects held in memory at once, and deliveries of each in flight. */
const CONCURRENT_OBJECTS = 4;
const CONCURRENT_DELIVERIES = 4;

/**
 * Copies that one call makes: each is a write to the vault and three calls of the table, some 50 ms, so
 * that these take a quarter of the minute that an invocation has. A retry goes on from there.
 */
const MAX_PROMOTED = 5_000;

/** Runs the work on some deliveries, and decides what it means when it throws. */
type Attempt = (
  deliveries: readonly TraceDeliveryEntry[],
  work: () => Promise<void>,
) => Promise<void>;

/**
 * Promotes everything of a trace that waits in staging.
 * @throws UnavailableError when a store does not answer, LineageError when more waits than one call promotes
 */
export async function promoteTrace(
  traceId: string,
  dependencies: PromoteDependencies,
): Promise<Promotion> {
  return promoteDeliveries(await waitingDeliveries(traceId, dependencies), dependencies);
}

/** The deliveries of a trace that the index has in staging. */
export async function waitingDeliveries(
  traceId: string,
  { index }: PromoteDependencies,
): Promise<TraceDeliveryEntry[]> {
  return (await index.traceDeliveries(traceId)).filter(({ governed }) => !governed);
}

/**
 * Copies staged deliveries into the vault, one object per delivery, and points the index there; each
 * staged object is read once, however many traces lie in it. Idempotent: the same delivery yields
 * the same object. A staged delivery that is gone or altered is a finding, never an error, because
 * no retry can bring it back.
 * @param attempt around the work on each staged object; by default what it throws is thrown
 * @throws LineageError when more wait than one call promotes
 */
export async function promoteDeliveries(
  waiting: readonly TraceDeliveryEntry[],
  dependencies: PromoteDependencies,
  attempt: Attempt = (_, work) => work(),
  maxPromoted = MAX_PROMOTED,
): Promise<Promotion> {
  const byObject = groupBy(waiting, ({ location }) => versionName(location));
  const promoted: string[] = [];
  const findings: Finding[] = [];
  let started = 0;

  const promoteFrom = async (entries: readonly TraceDeliveryEntry[]) => {
    const staged = await readStaged(entries[0] as TraceDeliveryEntry, dependencies.reader);
    await mapConcurrently(entries, CONCURRENT_DELIVERIES, async (entry) => {
      const envelope = typeof staged === 'string' ? undefined : staged[entry.location.line];
      if (envelope) {
        if (started++ >= maxPromoted) throw unfinished();
        await promoteDelivery(entry, envelope, dependencies);
        promoted.push(entry.receiptId);
      } else {
        const finding = lost(typeof staged === 'string' ? staged : 'staged_trace_altered', entry);
        await recordFinding(finding, dependencies);
        findings.push(finding);
      }
    });
  };
  await mapConcurrently([...byObject.values()], CONCURRENT_OBJECTS, (entries) =>
    attempt(entries, () => promoteFrom(entries)),
  );
  return { promoted, findings };
}

function unfinished(): LineageError {
  return new LineageError('promotion_unfinished', 'more deliveries wait than one call promotes');
}

async function promoteDelivery(
  entry: TraceDeliveryEntry,
  envelope: Envelope,
  { vault, index, retention, clock }: PromoteDependencies,
): Promise<void> {
  const [object] = [...packObjects('traces', [envelope])] as [EvidenceObject];
  const { lock, ...version } = await vault.putObject(
    object,
    promotionLock(entry, retention, clock()),
  );
  await index.promoteTraceDelivery(entry, { ...version, line: 0 }, lock);
}

/** The lock promised when the delivery was staged, or the shortest that the vault still takes. */
function promotionLock(
  { acceptedAt, retentionClass, lock: promised }: TraceDeliveryEntry,
  retention: RetentionPolicy,
  now: number,
): Lock {
  const days = periodDays(retention, 'traces', retentionClass);
  const lock = lockFor(retention, days, Date.parse(acceptedAt), now);
  return lock.retainUntil < promised.retainUntil
    ? { ...lock, retainUntil: promised.retainUntil, clamped: false }
    : lock;
}

/**
 * The envelopes of a staged object. Staging has no lock and its lifecycle empties it without asking:
 * what comes back is believed only where it has the hash that its key was made from.
 */
async function readStaged(
  { location }: TraceDeliveryEntry,
  reader: ObjectReader,
): Promise<readonly Envelope[] | 'staged_trace_expired' | 'staged_trace_altered'> {
  try {
    return readMatching(location.key, await reader.read(location)) ?? 'staged_trace_altered';
  } catch (error) {
    if (error instanceof UnreadableRecordError) return 'staged_trace_expired';
    throw error;
  }
}

function lost(kind: FindingKind, { receiptId, traceId, acceptedAt }: TraceDeliveryEntry): Finding {
  return openFinding(kind, {
    plane: 'traces',
    subject: `${receiptId}/${traceId}`,
    at: acceptedAt,
    runKeys: [],
    detail: { traceId, receiptId },
  });
}
