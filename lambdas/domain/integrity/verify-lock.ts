import type { RetentionPolicy } from '../evidence/retention.ts';
import type { OpenedObject } from './verify-store.ts';

/**
 * How a lock is shorter or weaker than what was promised, in words; undefined when it is not, or is not known.
 * @param promised absent where only that there is a lock was promised
 */
export function shortLock(
  what: string,
  promised: { readonly mode: RetentionPolicy['mode']; readonly retainUntil: string } | undefined,
  lock: OpenedObject['lock'],
): string | undefined {
  if (lock === 'unknown') return undefined;
  const was = promised ? `, promised was ${promised.mode} until ${promised.retainUntil}` : '';
  if (lock === 'none') return `${what} is not locked${was}`;
  if (!promised) return undefined;
  const isWeaker = promised.mode === 'COMPLIANCE' && lock.mode !== 'COMPLIANCE';
  const isShorter = !(Date.parse(lock.retainUntil) >= Date.parse(promised.retainUntil));
  if (!isWeaker && !isShorter) return undefined;
  return `${what} is locked in ${lock.mode} until ${lock.retainUntil}${was}`;
}
