import type { APIGatewayProxyEvent } from 'aws-lambda';
import { acceptDelivery } from '../domain/evidence/accept.ts';
import type { EventPublisher } from '../domain/ports.ts';
import { acceptExport, type ExportPart } from '../domain/traces/accept-export.ts';
import { type AcceptanceDependencies, withAcceptance } from '../shared/acceptance.ts';
import { apiHandler, inTime } from '../shared/http/api-handler.ts';
import { header, type RequestBody, readBody } from '../shared/http/body.ts';
import { HttpProblem, unavailable } from '../shared/http/problem.ts';
import { jsonResponse } from '../shared/http/response.ts';
import { exportAnswer, otlpRefusal } from './otlp-answer.ts';

export interface IngestTracesDependencies extends AcceptanceDependencies {
  readonly publisher: EventPublisher;
}

/** Receives OTLP/JSON exports. A 2xx leaves only after Kinesis acknowledged every record of the export. */
export function createHandler(dependencies: IngestTracesDependencies) {
  return apiHandler(
    dependencies.logger,
    inTime((event) =>
      withAcceptance(event, 'ingest:traces', dependencies, async (acceptance, usage) => {
        refuseOtherEncodings(event);
        const request = readBody(event);
        const { records, rejected, deviations } = acceptExport(request.text);
        for (const { rule, count } of rejected) usage.refuse([{ path: SPANS, rule }], count);
        const deliveries = records.map((part) =>
          acceptDelivery(deliveryOf(part, request, deviations), acceptance),
        );
        const acknowledged = await dependencies.publisher.publish(
          deliveries.map(({ record }) => record),
        );
        // The exporter sends the whole export again: parts that arrive twice are recognised by their bytes.
        if (!acknowledged.every(Boolean)) throw unavailable();
        return jsonResponse(200, exportAnswer(rejected));
      }),
    ),
    otlpRefusal,
  );
}

/** Where the spans of an export stand. */
const SPANS = '$.resourceSpans[0].scopeSpans[0].spans';

function deliveryOf(
  { partitionKey, body }: ExportPart,
  request: RequestBody,
  deviations: readonly string[],
) {
  const receiverDeviations = [...request.deviations, ...deviations];
  return { received: body, body, partitionKey, receiverDeviations, deviations };
}

function refuseOtherEncodings(event: APIGatewayProxyEvent): void {
  if (header(event, 'content-type')?.toLowerCase().includes('protobuf')) {
    throw new HttpProblem(
      415,
      'Unsupported Media Type',
      'send OTLP as JSON: OTEL_EXPORTER_OTLP_PROTOCOL=http/json',
    );
  }
}
