import { type Finding, type FindingKind, openFinding } from '../audit/findings.ts';
import { groupBy } from '../collections.ts';
import { mapConcurrently } from '../concurrency.ts';
import { UnreadableRecordError } from '../errors.ts';
import type { Envelope } from '../evidence/envelope.ts';
import {
  type EvidenceObject,
  matchesKey,
  packObjects,
  readEnvelopes,
} from '../evidence/evidence-object.ts';
import type { TraceDeliveryEntry } from '../evidence/index-entries.ts';
import { type RecordDependencies, recordFinding } from '../evidence/record-finding.ts';
import { type Lock, lockFor, type RetentionPolicy } from '../evidence/retention.ts';
import { versionName } from '../evidence/version-name.ts';
import type { ObjectReader } from '../ports.ts';

export interface PromoteDependencies extends RecordDependencies {
  readonly reader: ObjectReader;
}

export interface Promotion {
  /** Receipts of the deliveries that were staged and now stand in the vault. */
  readonly promoted: readonly string[];
  /** What could not be promoted and never will be; already recorded. */
  readonly findings: readonly Finding[];
}

/** Staged objects held in memory at once. */
const CONCURRENT_OBJECTS = 4;

/**
 * Copies everything of a trace that waits in staging into the vault, one object per delivery, and
 * points the index there. Idempotent: the same delivery yields the same object. A staged delivery
 * that is gone or altered is a finding, never an error, because no retry can bring it back.
 * @throws UnavailableError when a store does not answer
 */
export async function promoteTrace(
  traceId: string,
  dependencies: PromoteDependencies,
): Promise<Promotion> {
  const deliveries = await dependencies.index.traceDeliveries(traceId);
  const byObject = groupBy(
    deliveries.filter(({ governed }) => !governed),
    ({ location }) => versionName(location),
  );
  const promoted: string[] = [];
  const findings: Finding[] = [];
  await mapConcurrently([...byObject.values()], CONCURRENT_OBJECTS, async (entries) => {
    const staged = await readStaged(entries[0] as TraceDeliveryEntry, dependencies.reader);
    for (const entry of entries) {
      const envelope = typeof staged === 'string' ? undefined : staged[entry.location.line];
      if (envelope) {
        await promoteDelivery(entry, envelope, dependencies);
        promoted.push(entry.receiptId);
      } else {
        findings.push(lost(typeof staged === 'string' ? staged : 'staged_trace_altered', entry));
      }
    }
  });
  for (const finding of findings) await recordFinding(finding, dependencies);
  return { promoted, findings };
}

async function promoteDelivery(
  entry: TraceDeliveryEntry,
  envelope: Envelope,
  { vault, index, retention, clock }: PromoteDependencies,
): Promise<void> {
  const [object] = packObjects('traces', [envelope]) as [EvidenceObject];
  const { lock, ...version } = await vault.putObject(
    object,
    promotionLock(entry, retention, clock()),
  );
  await index.promoteTraceDelivery(entry, { ...version, line: 0 }, lock);
}

/** The lock promised when the delivery was staged, or the shortest that the vault still takes. */
function promotionLock(
  { acceptedAt, lock: promised }: TraceDeliveryEntry,
  retention: RetentionPolicy,
  now: number,
): Lock {
  const lock = lockFor(retention, retention.traceDays, Date.parse(acceptedAt), now);
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
    const body = await reader.read(location);
    return matchesKey(location.key, body) ? readEnvelopes(body) : 'staged_trace_altered';
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
