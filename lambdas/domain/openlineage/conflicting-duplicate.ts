import type { EventClaim, RunEventEntry } from '../evidence/index-entries.ts';
import { type Finding, openFinding } from '../findings.ts';

/** Type and time of an event as a claim; undefined for one that does not say both. */
export function claimOf(entry: RunEventEntry, epoch: number): EventClaim | undefined {
  const { submitter, runKey, eventType, eventTimeUtc, receivedHmac } = entry;
  if (eventType === undefined || eventTimeUtc === undefined) return undefined;
  const { group } = submitter;
  const { receiptId, acceptedAt, lock } = entry;
  return {
    group,
    runKey,
    eventType,
    eventTimeUtc,
    receiptId,
    acceptedAt,
    lock,
    epoch,
    receivedHmac,
  };
}

/**
 * That a group sent two events of one run, type and time with different bytes. Both are kept; which of them is true is
 * not for the store to say.
 */
export function findConflict(standing: EventClaim, claim: EventClaim): Finding | undefined {
  // Keyed hashes of two epochs say nothing of each other: a delivery that is repeated over a rotation is no conflict.
  if (standing.epoch !== claim.epoch || standing.receivedHmac === claim.receivedHmac)
    return undefined;
  return conflictOf(standing, claim);
}

/**
 * The same for both orders in which two events may come to the index. It does not name the other one: of three, which
 * that is goes by the order, and there would be two findings under one id.
 */
function conflictOf(a: EventClaim, b: EventClaim): Finding {
  const later = isBefore(a, b) ? b : a;
  return openFinding('conflicting_duplicate', {
    plane: 'lineage',
    subject: later.receiptId,
    at: later.acceptedAt,
    runKeys: [later.runKey],
    detail: { eventType: later.eventType, eventTimeUtc: later.eventTimeUtc },
  });
}

function isBefore(a: EventClaim, b: EventClaim): boolean {
  return a.acceptedAt === b.acceptedAt ? a.receiptId < b.receiptId : a.acceptedAt < b.acceptedAt;
}
