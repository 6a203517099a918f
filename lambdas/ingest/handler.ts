import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { Acceptance } from '../domain/evidence/accept.ts';
import type { EventPublisher } from '../domain/evidence/ports.ts';
import { acceptBatch } from '../domain/openlineage/accept-batch.ts';
import { acceptEvent } from '../domain/openlineage/accept-event.ts';
import { type AcceptanceDependencies, withAcceptance } from '../shared/acceptance.ts';
import { apiHandler, inTime } from '../shared/http/api-handler.ts';
import { type RequestBody, readBody } from '../shared/http/body.ts';
import { notFound, unavailable } from '../shared/http/problem.ts';
import { jsonResponse } from '../shared/http/response.ts';
import type { RequestUsage } from '../shared/request-usage.ts';
import { batchAnswer } from './batch-answer.ts';

export interface IngestDependencies extends AcceptanceDependencies {
  readonly publisher: EventPublisher;
}

type Route = (
  body: RequestBody,
  acceptance: Acceptance,
  publisher: EventPublisher,
  usage: RequestUsage,
) => Promise<APIGatewayProxyResult>;

const routes: ReadonlyMap<string, Route> = new Map([
  ['/api/v1/lineage', ingestEvent],
  ['/api/v1/lineage/batch', ingestBatch],
]);

/** Receives OpenLineage events. A 2xx leaves only after Kinesis acknowledged the record. */
export function createHandler(dependencies: IngestDependencies) {
  const work = async (event: APIGatewayProxyEvent) => {
    const route = routes.get(event.resource);
    if (!route) throw notFound(LOST_CLIENT);
    return withAcceptance(event, 'ingest:lineage', dependencies, async (acceptance, usage) =>
      route(readBody(event), acceptance, dependencies.publisher, usage),
    );
  };
  return apiHandler(dependencies.logger, inTime(work));
}

/** The two mistakes that lead a client to POST / (clients.md 1.2 and 4). */
const LOST_CLIENT =
  'nothing is received here: an OpenLineage Java client needs url = <base>/api/v1/lineage without a trailing slash; ' +
  'an OpenTelemetry exporter needs OTEL_EXPORTER_OTLP_ENDPOINT = <base>, or its traces endpoint = <base>/v1/traces';

async function ingestEvent(
  { bytes, deviations, text }: RequestBody,
  acceptance: Acceptance,
  publisher: EventPublisher,
  usage: RequestUsage,
) {
  const { record, ...receipt } = acceptEvent(text, acceptance, { received: bytes, deviations });
  usage.refuseLate();
  const [acknowledged] = await publisher.publish([record]);
  if (!acknowledged) throw unavailable();
  return jsonResponse(201, receipt);
}

async function ingestBatch(
  { deviations, text }: RequestBody,
  acceptance: Acceptance,
  publisher: EventPublisher,
  usage: RequestUsage,
) {
  const items = acceptBatch(text, acceptance, deviations);
  const records = items.flatMap((item) => ('accepted' in item ? [item.accepted.record] : []));
  await usage.admitBatch(records.length);
  for (const item of items) if ('refused' in item) usage.refuse(item.violations);
  usage.refuseLate();
  const acknowledged = await publisher.publish(records).catch((error: unknown) => {
    // A refused item makes it a partial answer, in which all others are to be sent again.
    if (records.length === items.length) throw error;
    return records.map(() => false);
  });
  if (items.length > 0 && records.length === items.length && !acknowledged.some(Boolean)) {
    throw unavailable();
  }
  return jsonResponse(200, batchAnswer(items, acknowledged));
}
