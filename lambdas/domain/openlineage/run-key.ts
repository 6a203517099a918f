import type { Envelope } from '../evidence/envelope.ts';
import { JsonDocument } from '../json/document.ts';
import { readEvent } from './event.ts';
import { isUuid } from './identity.ts';

/** The form under which a run id is compared: UUIDs without regard to case, anything else as sent. */
export function runKeyOf(runId: string): string {
  return isUuid(runId) ? runId.toLowerCase() : runId;
}

/** The run that a stored event belongs to; none for events of jobs and datasets, and for traces. */
export function runKeysOf({ kind, document }: Envelope): string[] {
  if (kind !== 'run') return [];
  const { runId } = readEvent(new JsonDocument(document), kind);
  return runId === undefined ? [] : [runKeyOf(runId)];
}
