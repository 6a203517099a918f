import { MetricUnit } from '@aws-lambda-powertools/metrics';
import { type AuditReport, fileReport, retentionReport } from '../domain/audit/report.ts';
import {
  auditRetention,
  type RetentionAuditDependencies,
} from '../domain/audit/retention-audit.ts';
import { errorCode } from '../domain/errors.ts';
import type { ObjectVersion } from '../domain/evidence/ports.ts';
import type { RecordDependencies } from '../domain/evidence/record-finding.ts';
import { type AuditRequest, auditInterval } from '../shared/audit-request.ts';
import type { FunctionLog } from '../shared/function-log.ts';
import { Metric } from '../shared/metric-names.ts';
import type { MetricSink } from '../shared/metric-sink.ts';

export interface AuditRetentionDependencies extends RetentionAuditDependencies, RecordDependencies {
  readonly logger: Pick<FunctionLog, 'info' | 'error'>;
  readonly metrics: MetricSink;
}

/** What the function answers: the report itself, and where it is locked. */
export interface AuditAnswer {
  readonly report: AuditReport;
  readonly location: ObjectVersion;
}

/** Runs the retention audit over `{asOf, from, to}`, all optional, and files its report. */
export function createHandler({ logger, metrics, ...dependencies }: AuditRetentionDependencies) {
  return async (request: AuditRequest): Promise<AuditAnswer> => {
    try {
      const interval = auditInterval(request, dependencies.clock());
      const audit = await auditRetention(interval, dependencies);
      const report = retentionReport(interval, audit);
      const location = await fileReport(report, dependencies);
      metrics.addMetric(Metric.auditedVersions, MetricUnit.Count, report.checked.versions);
      const standing = report.findings.filter(({ status }) => status !== 'resolved');
      // what the copy lacks the vault may hold: an alarm of its own
      const violations = standing.filter(({ kind }) => kind !== 'replication_failed').length;
      metrics.addMetric(Metric.parityViolations, MetricUnit.Count, violations);
      if (report.replication) {
        const { failed } = report.replication;
        metrics.addMetric(Metric.replicationFailures, MetricUnit.Count, failed);
      }
      metrics.addMetric(
        Metric.auditIncomplete,
        MetricUnit.Count,
        report.status === 'complete' ? 0 : 1,
      );
      logger.info('retention audited', {
        from: report.from,
        to: report.to,
        status: report.status,
        findings: standing.length,
        extended: report.extended.evidence + report.extended.records,
      });
      return { report, location };
    } catch (error) {
      // The alarm reads this metric: an audit that could not run is not an audit without findings.
      metrics.addMetric(Metric.auditIncomplete, MetricUnit.Count, 1);
      logger.error('retention not audited', { code: errorCode(error) });
      throw error;
    } finally {
      metrics.publishStoredMetrics();
    }
  };
}
