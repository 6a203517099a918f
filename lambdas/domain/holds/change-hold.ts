import { LineageError } from '../errors.ts';
import type { Clock, DocumentVault } from '../evidence/ports.ts';
import { lockFor, type RetentionPolicy } from '../evidence/retention.ts';
import { type HeldRun, type Hold, holdIdOf, holdKey, isHold, readStep } from './hold.ts';
import { HoldRefusedError, unreadableHold } from './hold-errors.ts';
import type { HoldRequest } from './hold-request.ts';
import type { HoldIndex } from './ports.ts';

export interface ChangeHoldDependencies {
  readonly vault: DocumentVault;
  readonly holds: HoldIndex;
  readonly retention: RetentionPolicy;
  readonly clock: Clock;
}

/** A request for a step, and the producer that it comes from. */
export interface AskedHold extends HoldRequest {
  readonly run: HeldRun;
  readonly by: string;
}

/**
 * Sets a hold: the locked document first, then the rows by which whoever stores evidence finds it. One that is
 * active stays as it was set.
 * @throws HoldRefusedError `changed_meanwhile`, `hold_unreadable`; UnavailableError
 */
export function setHold(asked: AskedHold, dependencies: ChangeHoldDependencies): Promise<Hold> {
  return step(asked, 'active', dependencies);
}

/**
 * Releases a hold, the same way. One that is released stays so.
 * @throws HoldRefusedError `unknown_hold`, `changed_meanwhile`, `hold_unreadable`; UnavailableError
 */
export function releaseHold(asked: AskedHold, dependencies: ChangeHoldDependencies): Promise<Hold> {
  return step(asked, 'released', dependencies);
}

async function step(
  { run, reference, reason, by }: AskedHold,
  status: Hold['status'],
  dependencies: ChangeHoldDependencies,
): Promise<Hold> {
  const { clock, holds, retention, vault } = dependencies;
  const id = holdIdOf(run, reference);
  const standing = await standingHold(id, run, dependencies);
  if (standing?.status === status) return standing;
  if (!standing && status === 'released') {
    throw new HoldRefusedError('unknown', 'unknown_hold', 'no hold with this reference is on it');
  }
  const now = clock();
  const said = { reason, by, at: new Date(now).toISOString() };
  const next: Hold = {
    hold: 1,
    ...{ id, number: (standing?.number ?? 0) + 1, status, ...run, reference, ...said },
    ...(standing && status === 'released' && { set: saidBy(standing) }),
  };
  try {
    const lock = lockFor(retention, retention.recordDays, now, now);
    await vault.putDocument(holdKey(id, next.number), next, lock);
  } catch (error) {
    if (!(error instanceof LineageError) || error.code !== 'conflicting_object') throw error;
    const other = await standingHold(id, run, dependencies);
    if (other?.status === status) return other;
    throw new HoldRefusedError(
      'conflict',
      'changed_meanwhile',
      'this hold was changed at the same time: look at it again, then repeat',
    );
  }
  await holds.put(next);
  return next;
}

const saidBy = ({ reason, by, at }: Hold) => ({ reason, by, at });

/**
 * The last step that the vault holds. Rows may be behind it, when a step broke off between document and row or the
 * table was lost, and are caught up.
 */
async function standingHold(
  id: string,
  { runKey }: HeldRun,
  { holds, vault }: ChangeHoldDependencies,
): Promise<Hold | undefined> {
  const rows = await holds.ofRun(runKey);
  let standing = rows.find((hold) => isHold(hold) && hold.id === id);
  for (;;) {
    const key = holdKey(id, (standing?.number ?? 0) + 1);
    const recorded = await vault.find(key);
    if (!recorded) break;
    const step = readStep(recorded, key);
    if (!step) throw unreadableHold();
    standing = step;
  }
  // Also where the row was found: of its two places one may be missing.
  if (standing) await holds.put(standing);
  return standing;
}
