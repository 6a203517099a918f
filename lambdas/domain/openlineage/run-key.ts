import { isUuid } from './event.ts';

/** The form under which a run id is compared: UUIDs without regard to case, anything else as sent. */
export function runKeyOf(runId: string): string {
  return isUuid(runId) ? runId.toLowerCase() : runId;
}
