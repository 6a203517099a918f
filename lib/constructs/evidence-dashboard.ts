import {
  AlarmStatusWidget,
  Dashboard,
  GraphWidget,
  type IAlarm,
  type IMetric,
} from 'aws-cdk-lib/aws-cloudwatch';
import { Construct } from 'constructs';
import { Metric } from '../../lambdas/shared/metric-names.ts';
import {
  errors,
  functionMaximum,
  functionMetric,
  iteratorAge,
  messages,
  requests,
  serverErrors,
} from './alarm-conditions.ts';
import type { WatchedParts } from './watched-parts.ts';

export interface EvidenceDashboardProps {
  readonly parts: WatchedParts;
  readonly alarms: readonly IAlarm[];
}

const HALF_WIDTH = 12;
const FULL_WIDTH = 24;

/** One page that answers: is evidence coming in, is it stored in time, and does it hold? */
export class EvidenceDashboard extends Construct {
  readonly dashboard: Dashboard;

  constructor(scope: Construct, id: string, { alarms, parts }: EvidenceDashboardProps) {
    super(scope, id);
    const { api, archive, archiveTraces, audit, ingest, ingestTraces, resources } = parts;
    const { lineageFailures, tracesFailures } = resources;
    const graph = (title: string, ...left: IMetric[]) =>
      new GraphWidget({ title, left, width: HALF_WIDTH });

    this.dashboard = new Dashboard(this, 'Dashboard', {
      widgets: [
        [new AlarmStatusWidget({ title: 'Alarms', alarms: [...alarms], width: FULL_WIDTH })],
        [
          graph('Front door', requests(api), serverErrors(api)),
          graph('Waiting in the streams', iteratorAge(archive), iteratorAge(archiveTraces)),
        ],
        [
          graph(
            'Not stored yet',
            ...[lineageFailures, tracesFailures].flatMap(({ deadLetters, queue }) => [
              messages(queue),
              messages(deadLetters),
            ]),
          ),
          graph(
            'Stored',
            functionMetric(Metric.storedRecords, archive),
            functionMetric(Metric.storedRecords, archiveTraces),
            functionMetric(Metric.quarantinedRecords, archive),
            functionMetric(Metric.quarantinedRecords, archiveTraces),
          ),
        ],
        [
          graph(
            'Retention audit',
            functionMetric(Metric.auditedVersions, audit),
            functionMetric(Metric.parityViolations, audit),
            functionMetric(Metric.auditIncomplete, audit),
          ),
          graph(
            'Audit errors',
            errors(audit),
            errors(parts.reportRejections),
            errors(parts.reconcileHolds),
          ),
        ],
        [
          graph(
            'Sealed',
            functionMetric(Metric.digestsSealed, parts.seal),
            functionMetric(Metric.lateObjects, parts.seal),
            errors(parts.seal),
          ),
          graph('Age of the last digest', functionMaximum(Metric.digestAge, parts.seal)),
        ],
        [
          graph(
            'Refused',
            ...[ingest, ingestTraces].flatMap((fn) => [
              functionMetric(Metric.refusals, fn),
              functionMetric(Metric.uncountedRefusals, fn),
              functionMetric(Metric.unauthenticatedRequests, fn),
            ]),
          ),
          graph(
            'Over the rate limit of a producer',
            functionMetric(Metric.rateLimitedRequests, ingest),
            functionMetric(Metric.rateLimitedRequests, ingestTraces),
          ),
        ],
      ],
    });
  }
}
