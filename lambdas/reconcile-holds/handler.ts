import { MetricUnit } from '@aws-lambda-powertools/metrics';
import type { Context } from 'aws-lambda';
import { fileReport } from '../domain/audit/report.ts';
import { errorCode } from '../domain/errors.ts';
import type { ObjectVersion } from '../domain/evidence/ports.ts';
import type { RecordDependencies } from '../domain/evidence/record-finding.ts';
import type { ReconcileHoldDependencies } from '../domain/holds/reconcile-hold.ts';
import { type HoldReport, reconcileHolds } from '../domain/holds/reconcile-holds.ts';
import { type AuditRequest, auditInterval } from '../shared/audit-request.ts';
import type { FunctionLog } from '../shared/function-log.ts';
import { Metric } from '../shared/metric-names.ts';
import type { MetricSink } from '../shared/metric-sink.ts';

export interface ReconcileHoldsDependencies extends ReconcileHoldDependencies, RecordDependencies {
  readonly vaultBucket: string;
  readonly vault: RecordDependencies['vault'];
  readonly logger: Pick<FunctionLog, 'info' | 'error'>;
  readonly metrics: MetricSink;
}

/** What the function answers: the report itself, and where it is locked. */
export interface HoldsAnswer {
  readonly report: HoldReport;
  readonly location: ObjectVersion;
}

/** Left for the report and its findings when no further version is begun. */
const FILING_MILLIS = 60_000;

/** Makes every bit say how the holds stand, and files a report, also when there is no hold. */
export function createHandler({ logger, metrics, ...dependencies }: ReconcileHoldsDependencies) {
  return async (
    request: AuditRequest,
    context: Pick<Context, 'getRemainingTimeInMillis'>,
  ): Promise<HoldsAnswer> => {
    try {
      const interval = auditInterval(request, dependencies.clock());
      const hasTime = () => context.getRemainingTimeInMillis() > FILING_MILLIS;
      const report = await reconcileHolds(interval, hasTime, dependencies);
      const location = await fileReport(report, dependencies);
      metrics.addMetric(Metric.holdsIncomplete, MetricUnit.Count, report.findings.length);
      logger.info('holds reconciled', {
        ...{ status: report.status, findings: report.findings.length },
        ...report.population,
        ...report.checked,
      });
      return { report, location };
    } catch (error) {
      metrics.addMetric(Metric.holdsIncomplete, MetricUnit.Count, 1);
      logger.error('holds not reconciled', { code: errorCode(error) });
      throw error;
    } finally {
      metrics.publishStoredMetrics();
    }
  };
}
