import type { Clock } from '../../lambdas/domain/evidence/ports.ts';
import type { Registration } from '../../lambdas/domain/producers/registration.ts';
import { createHandler as createIngest } from '../../lambdas/ingest/handler.ts';
import { createHandler as createIngestTraces } from '../../lambdas/ingest-traces/handler.ts';
import { NOW } from './builders.ts';
import { SingleEpochKey } from './fakes/keys.ts';
import { InMemoryStream } from './fakes/streams.ts';
import { CONTEXT, KEY, metering, producersWith, request } from './http.ts';

/** The hour that refusals are counted under. */
const HOUR = new Date(NOW).toISOString().slice(0, 13);

export const LINEAGE = '/api/v1/lineage';
export const BATCH = '/api/v1/lineage/batch';
export const TRACES = '/v1/traces';
export const GOOD_SPAN = { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8) };
export const exported = (...spans: unknown[]) =>
  JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] });

/** Both functions that take evidence, in front of fakes; requests carry a known key. */
export function frontDoor(overrides: Partial<Registration> = {}, clock: Clock = () => NOW) {
  const stream = new InMemoryStream();
  const { usage, lines, counted, publications, dependencies } = metering();
  const registry = producersWith(overrides);
  const epochKeys = new SingleEpochKey();
  const accepting = {
    ...dependencies,
    publisher: stream,
    registry,
    epochKeys,
    maxRecordBytes: 50_000,
    clock,
  };
  const lineage = createIngest(accepting);
  const traces = createIngestTraces(accepting);
  const post = async (resource: string, sent: Parameters<typeof request>[0] | string) => {
    const handler = resource === '/v1/traces' ? traces : lineage;
    const part = typeof sent === 'string' ? { body: sent } : sent;
    const headers = { Authorization: `Bearer ${KEY}`, 'content-type': 'application/json' };
    const { statusCode, body } = await handler(request({ resource, headers, ...part }), CONTEXT);
    return { status: statusCode, body };
  };
  const rules = async () =>
    Object.fromEntries((await usage.ofHour(HOUR)).map(({ rule, refused }) => [rule, refused]));
  return { stream, registry, epochKeys, usage, lines, counted, publications, post, rules };
}
