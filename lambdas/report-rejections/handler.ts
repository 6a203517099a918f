import type { RejectionLedger } from '../domain/audit/ports.ts';
import {
  type RejectionReport,
  rejectionReport,
  reportedHours,
} from '../domain/audit/rejection-report.ts';
import { fileReport } from '../domain/audit/report.ts';
import { sum } from '../domain/collections.ts';
import { errorCode } from '../domain/errors.ts';
import type { ObjectVersion } from '../domain/evidence/ports.ts';
import type { RecordDependencies } from '../domain/evidence/record-finding.ts';
import { type AuditRequest, auditInterval } from '../shared/audit-request.ts';
import type { FunctionLog } from '../shared/function-log.ts';

export interface ReportRejectionsDependencies extends RecordDependencies {
  readonly rejections: RejectionLedger;
  readonly logger: Pick<FunctionLog, 'info' | 'error'>;
}

/** Where the report of each hour is locked, and what it adds up to; the rows stand in the report. */
export interface RejectionsAnswer {
  readonly reports: ReadonlyArray<
    Pick<RejectionReport, 'id' | 'from' | 'to' | 'asOf' | 'status' | 'population'> & {
      readonly location: ObjectVersion;
    }
  >;
}

/**
 * Locks what was refused in each hour of `{asOf, from, to}`, all optional: by default every hour of the
 * last 26 that is closed, so that a missed run is made up for. An hour that was reported already and
 * has not changed is the same report, for which nothing is written. An hour that is not closed is reported only when `to` asks for it.
 */
export function createHandler({ logger, ...dependencies }: ReportRejectionsDependencies) {
  return async (request: AuditRequest): Promise<RejectionsAnswer> => {
    try {
      const now = dependencies.clock();
      const interval = auditInterval(request, now);
      const hours = reportedHours(interval, now).filter(
        ({ closed }) => closed || request.to !== undefined,
      );
      const reports: Array<RejectionsAnswer['reports'][number]> = [];
      // The newest first: it is the only one that no earlier run made, and a run may end in the middle.
      for (const hour of hours.toReversed()) {
        const report = rejectionReport(hour, await dependencies.rejections.ofHour(hour.hour));
        const location = await fileReport(report, dependencies);
        const { id, from, to, asOf, status, population } = report;
        reports.push({ id, from, to, asOf, status, population, location });
      }
      reports.reverse();
      const refused = sum(reports.map(({ population }) => population.refused));
      logger.info('rejections reported', { ...interval, reports: reports.length, refused });
      return { reports };
    } catch (error) {
      logger.error('rejections not reported', { code: errorCode(error) });
      throw error;
    }
  };
}
