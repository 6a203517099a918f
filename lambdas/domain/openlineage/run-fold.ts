import { groupBy } from '../collections.ts';
import type { RunEventEntry } from '../evidence/index-entries.ts';
import { utcOfMillis } from './event-time.ts';
import type { Identity } from './identity.ts';

export type RunState = 'RUNNING' | 'COMPLETE' | 'FAIL' | 'ABORT' | 'OTHER';

/** One event as sent, however often it was delivered. */
export interface LogicalEvent {
  /** The first receipt by acceptance. */
  readonly entry: RunEventEntry;
  /** Every receipt of these exact bytes from this producer, in order of acceptance. */
  readonly receiptIds: readonly string[];
}

/** What the events of one run and one group say together. */
export interface FoldedRun {
  readonly state: RunState;
  /** Nine-digit UTC; absent when no START with a readable time was seen. */
  readonly startedAt?: string;
  readonly endedAt?: string;
  /** Of the latest event; a name may change inside a run. */
  readonly job: Identity;
  readonly jobNames: number;
  /** Terminal types seen, most severe first; more than one is a contradiction to show. */
  readonly terminals: readonly string[];
  readonly events: readonly LogicalEvent[];
}

/** FAIL outranks a later COMPLETE: Spark sends both for one run, 6 ms apart. */
const TERMINAL_SEVERITY = ['FAIL', 'ABORT', 'COMPLETE'] as const;

/**
 * Folds events into a run: commutative and idempotent, so that neither order nor repeats matter
 * (openlineage.md 1.3).
 * @param entries at least one, all of one run and group
 */
export function foldRun(entries: readonly RunEventEntry[]): FoldedRun {
  const events = logicalEvents(entries);
  const typed = (type: string) => events.filter(({ entry }) => entry.eventType === type);
  const times = (of: readonly LogicalEvent[]) =>
    of.flatMap(({ entry }) => entry.eventTimeUtc ?? []).sort();

  const terminals = TERMINAL_SEVERITY.filter((type) => typed(type).length > 0);
  const [terminal] = terminals;
  const [startedAt] = times(typed('START'));
  const endedAt = terminal && times(typed(terminal)).at(-1);
  const underWay = typed('START').length + typed('RUNNING').length > 0;
  return {
    state: terminal ?? (underWay ? 'RUNNING' : 'OTHER'),
    ...(startedAt !== undefined && { startedAt }),
    ...(endedAt !== undefined && { endedAt }),
    job: (events.at(-1) as LogicalEvent).entry.job,
    jobNames: new Set(events.map(({ entry: { job } }) => JSON.stringify([job.namespace, job.name])))
      .size,
    terminals,
    events,
  };
}

/** The latest value that any event of the run gives, by event time, then acceptance, then receipt. */
export function latest<T>(
  run: FoldedRun,
  read: (entry: RunEventEntry) => T | undefined,
): T | undefined {
  for (const { entry } of run.events.toReversed()) {
    const value = read(entry);
    if (value !== undefined) return value;
  }
  return undefined;
}

/** Of entries of one event, the one that was accepted first. */
export function firstDelivery(entries: readonly RunEventEntry[]): RunEventEntry {
  return entries.toSorted(compareBy(acceptanceOrder))[0] as RunEventEntry;
}

/** Same event = same producer and same bytes (keyed hash): retried deliveries are byte-identical. */
function logicalEvents(entries: readonly RunEventEntry[]): LogicalEvent[] {
  const groups = groupBy(entries, ({ submitter, receivedHmac }) =>
    JSON.stringify([submitter.producerId, receivedHmac]),
  );
  return [...groups.values()]
    .map((group) => {
      const byAcceptance = group.toSorted(compareBy(acceptanceOrder));
      const receiptIds = [...new Set(byAcceptance.map(({ receiptId }) => receiptId))];
      return { entry: byAcceptance[0] as RunEventEntry, receiptIds };
    })
    .sort((a, b) => compareBy(eventOrder)(a.entry, b.entry));
}

const acceptanceOrder = ({ acceptedAt, receiptId }: RunEventEntry) => [acceptedAt, receiptId];

const eventOrder = (entry: RunEventEntry) => [
  entry.eventTimeUtc ?? utcOfMillis(Date.parse(entry.acceptedAt)),
  entry.acceptedAt,
  entry.receiptId,
];

function compareBy(keys: (entry: RunEventEntry) => readonly string[]) {
  return (a: RunEventEntry, b: RunEventEntry): number => {
    const others = keys(b);
    for (const [i, key] of keys(a).entries()) {
      const other = others[i] as string;
      if (key !== other) return key < other ? -1 : 1;
    }
    return 0;
  };
}
