import { groupBy } from '../collections.ts';
import type { Envelope } from '../evidence/envelope.ts';
import type { TraceDeliveryEntry, TraceRunEntry } from '../evidence/index-entries.ts';
import type { Integrity } from '../integrity/proof-status.ts';
import { isUuid } from '../openlineage/identity.ts';
import { type Qualification, storeSays } from '../qualification.ts';
import { judgeCompleteness } from './completeness.ts';
import { type HeldRuns, linkRunsAndSpans, type TraceRunLink } from './link-basis.ts';
import { type MergedExports, type MergedSpan, mergeExports } from './merge-exports.ts';

/** What no span can establish, said in every answer about a trace. */
const NOT_ESTABLISHED = [
  'actorIdentity',
  'authority',
  'objectsActuallyAccessed',
  'spansNeverExported',
] as const;

/** Everything the view of one trace is made of, already read. */
export interface TraceMaterial {
  readonly traceId: string;
  readonly deliveries: readonly TraceDeliveryEntry[];
  /** Envelopes of the deliveries, by receipt; one is absent where its object could not be read. */
  readonly envelopes: ReadonlyMap<string, Envelope>;
  /** Entries of the trace, and of its runs in other traces where they were read. */
  readonly links: readonly TraceRunEntry[];
  /** Groups that hold events of the linked runs. */
  readonly held: HeldRuns;
  readonly integrity: Integrity;
}

/**
 * The answer about a trace (contract.md, Reading) as JSON text: the spans stand in it to the byte as
 * they are stored, because printing them again would change their 64-bit numbers.
 */
export function printTraceView(material: TraceMaterial): string {
  const { traceId, links, held, integrity } = material;
  const deliveries = material.deliveries.toSorted((a, b) =>
    deliveryOrder(a) < deliveryOrder(b) ? -1 : 1,
  );
  const merged = mergeExports(
    deliveries.flatMap(({ receiptId }) => {
      const document = material.envelopes.get(receiptId)?.document;
      return document === undefined ? [] : { receiptId, document };
    }),
  );
  const unreadable = deliveries.filter(({ receiptId }) => !material.envelopes.has(receiptId));
  const { complete, ...closure } = judgeCompleteness(merged.spans);
  const rest = {
    spanDeliveries: merged.spans.map(({ spanId, receiptIds }) => ({ spanId, receiptIds })),
    runs: linkRunsAndSpans(links, held)
      .filter((link) => link.traceId === traceId)
      .map((link) => viewRun(link, held)),
    completeness: { complete: complete && unreadable.length === 0, ...closure },
    retention: viewRetention(deliveries),
    integrity,
    deliveries: deliveries.map((entry) => viewDelivery(entry)),
    qualifications: qualify(material, unreadable, merged),
    notEstablished: NOT_ESTABLISHED,
  };
  return `{"traceId":${JSON.stringify(traceId)},"spans":${merged.json},${JSON.stringify(rest).slice(1)}`;
}

const NOT_SEALED = {
  pending: 'no digest seals all of this trace yet',
  late: 'some of this trace is not in the digest of the interval it landed in: a later one has it, or will',
};

function viewRun({ runId, runKey, spanId, basis, submitters }: TraceRunLink, held: HeldRuns) {
  const groups = held.get(runKey) ?? [];
  const speakers = [submitters.run?.group, submitters.span?.group];
  return {
    runId,
    // A UUID is one run whoever sent it; another id is a run of its own in each group.
    held: isUuid(runKey) ? groups.length > 0 : groups.some((group) => speakers.includes(group)),
    basis,
    submitters,
    ...(spanId !== undefined && { spanId }),
  };
}

function viewDelivery(entry: TraceDeliveryEntry) {
  const {
    receiptId,
    acceptedAt,
    submitter,
    location,
    lock,
    retentionClass,
    digest,
    deviations,
    redaction,
  } = entry;
  return {
    receiptId,
    acceptedAt,
    submitter,
    location,
    ...(entry.governed
      ? {
          staged: false,
          retention: { class: retentionClass, mode: lock.mode, retainUntil: lock.retainUntil },
        }
      : { staged: true }),
    digest,
    spanCount: entry.spanCount,
    deviations,
    redaction,
  };
}

/** The weakest that any delivery of the trace is held with. */
function viewRetention(deliveries: readonly TraceDeliveryEntry[]) {
  if (deliveries.length === 0) return null;
  if (deliveries.some(({ governed }) => !governed))
    return { staged: true, mode: null, retainUntil: null };
  const [weakest] = deliveries.toSorted((a, b) =>
    a.lock.retainUntil < b.lock.retainUntil ? -1 : 1,
  );
  const { retentionClass, lock } = weakest as TraceDeliveryEntry;
  return { staged: false, class: retentionClass, mode: lock.mode, retainUntil: lock.retainUntil };
}

function qualify(
  { deliveries, integrity }: TraceMaterial,
  unreadable: readonly TraceDeliveryEntry[],
  { spans, leftOut }: MergedExports,
): Qualification[] {
  const staged = deliveries.filter(({ governed }) => !governed).length;
  const conflicting = conflictingSpanIds(spans);
  const found: Qualification[] =
    integrity.status === 'sealed' ? [] : [storeSays('not_sealed', NOT_SEALED[integrity.status])];
  if (deliveries.length === 0)
    found.push(storeSays('trace_not_held', 'no span of this trace was received'));
  if (staged > 0) {
    found.push(
      storeSays(
        'trace_in_staging',
        `${staged} of ${deliveries.length} deliveries are not locked yet`,
      ),
    );
  }
  if (unreadable.length > 0) {
    const receipts = unreadable.map(({ receiptId }) => receiptId).join(', ');
    found.push(
      storeSays('delivery_unreadable', `not readable where the index says they lie: ${receipts}`),
    );
  }
  if (deliveries.some(({ redaction }) => redaction.mode === 'skeleton')) {
    found.push(storeSays('stored_reduced', 'at least one delivery is held as a skeleton only'));
  }
  if (conflicting.length > 0) {
    found.push(
      storeSays('conflicting_span', `delivered with different content: ${conflicting.join(', ')}`),
    );
  }
  const notIndexed = deliveries.reduce((sum, entry) => sum + (entry.linksNotIndexed ?? 0), 0);
  if (notIndexed > 0) {
    found.push(
      storeSays(
        'links_not_listed',
        `${notIndexed} run ids stand in the spans only, not in the list of runs`,
      ),
    );
  }
  if (leftOut > 0) {
    found.push(
      storeSays(
        'spans_left_out',
        `${leftOut} spans are held and not shown, the answer would be too long`,
      ),
    );
  }
  return found;
}

function conflictingSpanIds(spans: readonly MergedSpan[]): string[] {
  const contents = [...groupBy(spans, ({ spanId }) => spanId)];
  return contents.flatMap(([spanId, held]) => (held.length > 1 ? spanId : []));
}

function deliveryOrder({ acceptedAt, receiptId }: TraceDeliveryEntry): string {
  return `${acceptedAt} ${receiptId}`;
}
