import { MetricUnit } from '@aws-lambda-powertools/metrics';
import type { Context } from 'aws-lambda';
import { fileReport } from '../domain/audit/report.ts';
import { errorCode } from '../domain/errors.ts';
import type { ObjectVersion } from '../domain/evidence/ports.ts';
import type { RecordDependencies } from '../domain/evidence/record-finding.ts';
import { type VerificationDependencies, verifyVault } from '../domain/verification/verification.ts';
import type { VerificationReport } from '../domain/verification/verification-report.ts';
import { type AuditRequest, auditInterval } from '../shared/audit-request.ts';
import type { FunctionLog } from '../shared/function-log.ts';
import { Metric } from '../shared/metric-names.ts';
import type { MetricSink } from '../shared/metric-sink.ts';

export interface VerifyHandlerDependencies extends VerificationDependencies, RecordDependencies {
  readonly logger: Pick<FunctionLog, 'info' | 'error'>;
  readonly metrics: MetricSink;
}

/** What the function answers: the report itself, and where it is locked. */
export interface VerifyAnswer {
  readonly report: VerificationReport;
  readonly location: ObjectVersion;
}

/** Left for the digest that is being read, and for the report and its findings, when no further one is begun. */
const RESERVE_MILLIS = 180_000;

/** Verifies the vault as of `{asOf}`: the last report says where to go on, so `from` and `to` only name the new one. */
export function createHandler({ logger, metrics, ...dependencies }: VerifyHandlerDependencies) {
  return async (
    request: AuditRequest,
    context: Pick<Context, 'getRemainingTimeInMillis'>,
  ): Promise<VerifyAnswer> => {
    try {
      const interval = auditInterval(request, dependencies.clock());
      const left = () => context.getRemainingTimeInMillis() - RESERVE_MILLIS;
      const all = Math.max(left(), 1);
      const report = await verifyVault(interval, () => left() / all, dependencies);
      const location = await fileReport(report, dependencies);
      const standing = report.findings.filter(({ status }) => status !== 'resolved');
      const violations = standing.filter(({ kind }) => kind !== 'audit_incomplete').length;
      const incomplete = report.status === 'complete' ? 0 : 1;
      metrics.addMetric(Metric.verifiedBytes, MetricUnit.Bytes, report.checked.bytes);
      metrics.addMetric(Metric.integrityViolations, MetricUnit.Count, violations);
      metrics.addMetric(Metric.auditIncomplete, MetricUnit.Count, incomplete);
      logger.info('verified', {
        ...{ status: report.status, violations, head: report.resume.chain?.head.to },
        ...report.damages,
        ...{ digests: report.chain.walked, behindDays: report.slices.behindDays },
        ...{ objects: report.checked.objects, bytes: report.checked.bytes },
      });
      return { report, location };
    } catch (error) {
      // The alarm reads this metric: a verification that could not run is none that found nothing.
      metrics.addMetric(Metric.auditIncomplete, MetricUnit.Count, 1);
      logger.error('not verified', { code: errorCode(error) });
      throw error;
    } finally {
      metrics.publishStoredMetrics();
    }
  };
}
