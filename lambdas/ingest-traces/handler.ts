import { acceptDelivery } from '../domain/evidence/accept.ts';
import type { EventPublisher } from '../domain/ports.ts';
import { acceptExport, type ExportPart } from '../domain/traces/accept-export.ts';
import { type AcceptanceDependencies, withAcceptance } from '../shared/acceptance.ts';
import { apiHandler, inTime } from '../shared/http/api-handler.ts';
import { unavailable } from '../shared/http/problem.ts';
import { exportAnswer, otlpRefusal } from './otlp-answer.ts';
import { type OtlpRequest, readRequest, refuseTrailingSlash } from './otlp-request.ts';

export interface IngestTracesDependencies extends AcceptanceDependencies {
  readonly publisher: EventPublisher;
}

/**
 * Receives OTLP exports, protobuf or JSON. A 2xx leaves only after Kinesis acknowledged every record
 * of the export.
 */
export function createHandler(dependencies: IngestTracesDependencies) {
  return apiHandler(
    dependencies.logger,
    inTime((event) => {
      refuseTrailingSlash(event);
      return withAcceptance(event, 'ingest:traces', dependencies, async (acceptance, usage) => {
        const request = readRequest(event);
        const { records, rejected, deviations } = acceptExport(request.text);
        for (const { count, ...first } of rejected) usage.refuse([first], count);
        const deliveries = records.map((part) =>
          acceptDelivery(deliveryOf(part, request, deviations), acceptance),
        );
        usage.refuseLate();
        const acknowledged = await dependencies.publisher.publish(
          deliveries.map(({ record }) => record),
        );
        // The exporter sends the whole export again: parts that arrive twice are recognised by their bytes.
        if (!acknowledged.every(Boolean)) throw unavailable();
        return exportAnswer(rejected, event);
      });
    }),
    otlpRefusal,
  );
}

function deliveryOf(
  { partitionKey, body }: ExportPart,
  request: OtlpRequest,
  deviations: readonly string[],
) {
  const receiverDeviations = [...request.deviations, ...deviations];
  return { received: body, body, partitionKey, receiverDeviations, deviations };
}
