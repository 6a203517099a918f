import { MetricUnit } from '@aws-lambda-powertools/metrics';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import * as v from 'valibot';
import { errorCode } from '../domain/errors.ts';
import { type RedriveDependencies, redriveBatch } from '../domain/evidence/redrive.ts';
import type { StreamPlane } from '../domain/findings.ts';
import type { FunctionLog } from '../shared/function-log.ts';
import { Metric } from '../shared/metric-names.ts';
import type { MetricSink } from '../shared/metric-sink.ts';

export interface RedriveHandlerDependencies extends RedriveDependencies {
  readonly planeOf: (streamArn: string) => StreamPlane;
  readonly logger: Pick<FunctionLog, 'info' | 'error'>;
  readonly metrics: MetricSink;
}

const sequenceNumber = v.pipe(v.string(), v.digits());

/** The on-failure message of a Kinesis event source mapping. */
const Message = v.object({
  KinesisBatchInfo: v.object({
    shardId: v.pipe(v.string(), v.nonEmpty()),
    startSequenceNumber: sequenceNumber,
    endSequenceNumber: sequenceNumber,
    approximateArrivalOfFirstRecord: v.pipe(v.string(), v.isoTimestamp()),
    streamArn: v.pipe(v.string(), v.nonEmpty()),
  }),
});

/** Reads the records that an on-failure queue names back from the stream and archives them one by one. */
export function createHandler({
  planeOf,
  logger,
  metrics,
  ...dependencies
}: RedriveHandlerDependencies) {
  return async ({ Records }: SQSEvent): Promise<SQSBatchResponse> => {
    const batchItemFailures: SQSBatchResponse['batchItemFailures'] = [];
    for (const { messageId, body } of Records) {
      try {
        const { KinesisBatchInfo: info } = v.parse(
          v.pipe(v.string(), v.parseJson(), Message),
          body,
        );
        const outcome = await redriveBatch(
          {
            ...info,
            firstArrivedAt: info.approximateArrivalOfFirstRecord,
            plane: planeOf(info.streamArn),
          },
          dependencies,
        );
        metrics.addMetric(Metric.quarantinedRecords, MetricUnit.Count, outcome.quarantined);
        logger.info('batch redriven', { messageId, ...outcome });
      } catch (error) {
        // Not deleted: it comes again, and after the last receive it stands in the dead-letter queue.
        logger.error('batch not redriven', { messageId, code: errorCode(error) });
        batchItemFailures.push({ itemIdentifier: messageId });
      }
    }
    metrics.publishStoredMetrics();
    return { batchItemFailures };
  };
}
