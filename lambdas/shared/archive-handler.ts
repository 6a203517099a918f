import { MetricUnit } from '@aws-lambda-powertools/metrics';
import type { Context, KinesisStreamBatchResponse, KinesisStreamEvent } from 'aws-lambda';
import { type ArchiveDependencies, archiveRecords } from '../domain/evidence/archive-records.ts';
import { policyRecorder } from '../domain/evidence/record-policy.ts';
import type { RedactionPolicy } from '../domain/redaction/policy.ts';
import type { FunctionLog } from './function-log.ts';
import { toBatchResponse, toConsumedRecords } from './kinesis-batch.ts';
import { Metric } from './metric-names.ts';
import type { MetricSink } from './metric-sink.ts';

export interface ArchiveHandlerDependencies extends Omit<ArchiveDependencies, 'recordPolicy'> {
  /** What lines are redacted by, and name. */
  readonly policy: RedactionPolicy;
  readonly logger: Pick<FunctionLog, 'info' | 'warn'>;
  readonly metrics: MetricSink;
}

/** The Kinesis batch loop that both archive functions share: archive, count, report what must come again. */
export function archiveHandler({ logger, metrics, ...given }: ArchiveHandlerDependencies) {
  const dependencies: ArchiveDependencies = {
    ...given,
    recordPolicy: policyRecorder(given.policy, given),
  };
  return async (
    event: KinesisStreamEvent,
    context: Pick<Context, 'getRemainingTimeInMillis'>,
  ): Promise<KinesisStreamBatchResponse> => {
    const outcome = await archiveRecords(toConsumedRecords(event), dependencies, () =>
      context.getRemainingTimeInMillis(),
    );
    const { failures, stored, skeletons, quarantined } = outcome;
    metrics.addMetric(Metric.storedRecords, MetricUnit.Count, stored);
    metrics.addMetric(Metric.skeletonRecords, MetricUnit.Count, skeletons);
    metrics.addMetric(Metric.quarantinedRecords, MetricUnit.Count, quarantined);
    metrics.publishStoredMetrics();
    logger.info('batch archived', { stored, skeletons, quarantined, failed: failures.size });
    if (failures.size > 0)
      logger.warn('records to be delivered again', { codes: [...new Set(failures.values())] });
    return toBatchResponse(outcome);
  };
}
