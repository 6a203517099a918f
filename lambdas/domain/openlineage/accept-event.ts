import { type Acceptance, type AcceptedDelivery, acceptDelivery } from '../evidence/accept.ts';
import { JsonDocument } from '../json/document.ts';
import { judgeJobNamespace } from '../producers/job-namespaces.ts';
import { storeKey } from '../store-key.ts';
import { judgeEvent, type LineageEvent } from './event.ts';
import { runKeyOf } from './run-key.ts';

/**
 * Accepts one event: classified, receipted and framed, its bytes untouched.
 * @throws JsonSyntaxError, InvalidEventError or TooLargeError; each final for the sender
 */
export function acceptEvent(
  text: string,
  acceptance: Acceptance,
  request: { received?: Uint8Array; deviations?: readonly string[] } = {},
): AcceptedDelivery {
  const event = judgeEvent(new JsonDocument(text));
  const outside = judgeJobNamespace(event.job, acceptance.registration);
  // Bytes that were received as they are kept need no encoding anew.
  const isKeptAsReceived = request.received && !request.deviations?.includes('byte_order_mark');
  const body = isKeptAsReceived ? (request.received as Uint8Array) : Buffer.from(text);
  return acceptDelivery(
    {
      received: request.received ?? body,
      body,
      partitionKey: partitionKeyOf(event),
      receiverDeviations: [...(request.deviations ?? []), ...outside],
      deviations: event.deviations,
    },
    acceptance,
  );
}

/** One shard per run keeps its events together; order is not promised, and nothing needs it. */
function partitionKeyOf({ runId, job, dataset }: LineageEvent): string {
  if (runId !== undefined) return storeKey('run', runKeyOf(runId));
  if (job) return storeKey('job', job.namespace, job.name);
  return storeKey('dataset', dataset?.namespace ?? '', dataset?.name ?? '');
}
