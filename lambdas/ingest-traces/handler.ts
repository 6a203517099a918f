import type { EventPublisher } from '../domain/evidence/ports.ts';
import { acceptExport } from '../domain/traces/accept-export.ts';
import { frameExport } from '../domain/traces/frame-export.ts';
import { type AcceptanceDependencies, withAcceptance } from '../shared/acceptance.ts';
import { apiHandler, inTime } from '../shared/http/api-handler.ts';
import { unavailable } from '../shared/http/problem.ts';
import { exportAnswer, otlpRefusal } from './otlp-answer.ts';
import { readRequest, refuseTrailingSlash } from './otlp-request.ts';

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
        const accepted = acceptExport(request.text, request.rejected);
        const records = frameExport(accepted, request.deviations, acceptance);
        await usage.admitBatch(accepted.traces);
        for (const { count, ...first } of accepted.rejected) usage.refuse([first], count);
        usage.refuseLate();
        const acknowledged = await dependencies.publisher.publish(records);
        // The exporter sends the whole export again: parts that arrive twice are recognised by their bytes.
        if (!acknowledged.every(Boolean)) throw unavailable();
        return exportAnswer(accepted.rejected, event);
      });
    }),
    otlpRefusal,
  );
}
