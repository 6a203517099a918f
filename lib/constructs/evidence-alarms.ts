import { Duration } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import type { ITopic } from 'aws-cdk-lib/aws-sns';
import { Construct } from 'constructs';
import { Metric } from '../../lambdas/shared/metric-names.ts';
import {
  type AlarmCondition,
  errors,
  functionMaximum,
  functionMetric,
  iteratorAge,
  messageAge,
  messages,
  serverErrors,
  throttles,
} from './alarm-conditions.ts';
import type { WatchedParts } from './watched-parts.ts';

export interface EvidenceAlarmsProps {
  readonly parts: WatchedParts;
  readonly topic: ITopic;
}

/** One alarm for each way that evidence could get lost or late; each description says what to do. */
export class EvidenceAlarms extends Construct {
  readonly alarms: readonly Alarm[];

  constructor(scope: Construct, id: string, { parts, topic }: EvidenceAlarmsProps) {
    super(scope, id);
    const action = new SnsAction(topic);
    this.alarms = conditions(parts).map((condition) => this.#alarm(condition));
    for (const alarm of this.alarms) alarm.addAlarmAction(action);
  }

  #alarm(condition: AlarmCondition): Alarm {
    const { id, periods = 1, metric, threshold, firesWithoutData, advice, runbook } = condition;
    return new Alarm(this, id, {
      alarmDescription: `${advice} Runbook: docs/operations.md#${runbook}`,
      comparisonOperator: ComparisonOperator.GREATER_THAN_THRESHOLD,
      evaluationPeriods: periods,
      metric,
      threshold,
      treatMissingData: firesWithoutData
        ? TreatMissingData.BREACHING
        : TreatMissingData.NOT_BREACHING,
    });
  }
}

/** Far above any batch window and far below the stream's memory. */
const LATE_MILLIS = Duration.minutes(15).toMilliseconds();

/** The longest that an accepted record may stay unstored without a person knowing. */
const UNSTORED_SECONDS = Duration.hours(1).toSeconds();

/** A burst of throttled requests is answered and sent again; more than this twice in a row is an outage. */
const SERVER_ERRORS = 10;

function conditions(parts: WatchedParts) {
  const { api, archive, archiveTraces, audit, holds, producers, reconcileHolds } = parts;
  const { redrive, reportRejections, resources } = parts;
  const { lineageFailures, tracesFailures } = resources;
  const result: AlarmCondition[] = [
    {
      id: 'ArchiveAge',
      metric: iteratorAge(archive),
      threshold: LATE_MILLIS,
      periods: 3,
      advice: 'Lineage events wait in the stream: find what the archive function fails on.',
      runbook: 'iterator-age',
    },
    {
      id: 'ArchiveTracesAge',
      metric: iteratorAge(archiveTraces),
      threshold: LATE_MILLIS,
      periods: 3,
      advice: 'Spans wait in the stream: find what the archive-traces function fails on.',
      runbook: 'iterator-age',
    },
    {
      id: 'IngestErrors',
      metric: serverErrors(api),
      threshold: SERVER_ERRORS,
      periods: 2,
      advice: 'Producers are told to try again: check Kinesis, the producers table and throttling.',
      runbook: 'ingest-errors',
    },
    {
      id: 'ProducersErrors',
      metric: errors(producers),
      threshold: 0,
      advice: 'A change of a producer may have broken off: look at the producer, then repeat it.',
      runbook: 'producers-errors',
    },
    {
      id: 'ProducersThrottles',
      metric: throttles(producers),
      threshold: 0,
      periods: 2,
      advice: 'Nobody can disable a key over the API: use the command line, find who floods it.',
      runbook: 'producers-errors',
    },
    {
      id: 'AuditErrors',
      metric: errors(audit),
      threshold: 0,
      advice:
        'The retention audit crashed: read its log and invoke it again for the same interval.',
      runbook: 'audit-errors',
    },
    {
      id: 'AuditIncomplete',
      metric: functionMetric(Metric.auditIncomplete, audit),
      threshold: 0,
      advice: 'An audit could not look at everything: restore its rights and run it again.',
      runbook: 'audit-incomplete',
    },
    {
      id: 'ParityViolations',
      metric: functionMetric(Metric.parityViolations, audit),
      threshold: 0,
      advice: 'The vault does not hold what was promised: open the report and follow each finding.',
      runbook: 'parity-violations',
    },
    {
      id: 'RejectionReportErrors',
      metric: errors(reportRejections),
      threshold: 0,
      advice: 'The rejection report crashed: read its log; the next run makes up for 26 hours.',
      runbook: 'rejection-report-errors',
    },
    {
      id: 'HoldsErrors',
      metric: errors(holds),
      threshold: 0,
      advice: 'A legal hold may have been set in part: look at it, then ask for it again.',
      runbook: 'holds-incomplete',
    },
    {
      id: 'HoldReconciliationErrors',
      metric: errors(reconcileHolds),
      threshold: 0,
      advice: 'Nobody looked whether legal holds are on: read its log and invoke it again.',
      runbook: 'holds-incomplete',
    },
    {
      id: 'HoldsIncomplete',
      metric: functionMetric(Metric.holdsIncomplete, reconcileHolds),
      threshold: 0,
      advice: 'A version under a legal hold is not held: open the report and follow each finding.',
      runbook: 'holds-incomplete',
    },
    {
      id: 'DigestAge',
      metric: functionMaximum(Metric.digestAge, parts.seal),
      threshold: parts.sealOverdueSeconds,
      periods: 3,
      firesWithoutData: true,
      advice: 'No digest was written for two intervals: find what the seal function fails on.',
      runbook: 'digest-age',
    },
    {
      id: 'SealErrors',
      metric: errors(parts.seal),
      threshold: 0,
      advice: 'Sealing failed: read its log, look at the signing key; the next run goes on.',
      runbook: 'seal-errors',
    },
    {
      id: 'VerifyErrors',
      metric: errors(parts.verify),
      threshold: 0,
      advice:
        'The verification crashed: read its log and invoke it again; it goes on where it was.',
      runbook: 'verify-errors',
    },
    {
      id: 'VerifyIncomplete',
      metric: functionMetric(Metric.auditIncomplete, parts.verify),
      threshold: 0,
      advice: 'The verification could not look at everything: open its report, restore its rights.',
      runbook: 'verify-incomplete',
    },
    {
      id: 'VerifyAbsent',
      // the highest value is 1: only its absence fires
      metric: functionMetric(Metric.auditIncomplete, parts.verify).with({
        period: Duration.days(1),
        statistic: Stats.MAXIMUM,
      }),
      threshold: 1,
      periods: 2,
      firesWithoutData: true,
      advice: 'Nobody verified the vault for two days: find out why the function does not run.',
      runbook: 'verify-errors',
    },
    {
      id: 'IntegrityViolations',
      metric: functionMetric(Metric.integrityViolations, parts.verify),
      threshold: 0,
      advice: 'The vault is not what was sealed or deployed: open the report, touch nothing else.',
      runbook: 'integrity-violations',
    },
    {
      id: 'SealViolations',
      metric: functionMetric(Metric.sealViolations, parts.seal),
      threshold: 0,
      advice: 'The sealer found what should not be in the vault: read the newest findings.',
      runbook: 'seal-violations',
    },
    {
      id: 'UnsentHeads',
      metric: functionMetric(Metric.unsentHeads, parts.seal),
      threshold: 0,
      advice: 'The anchor did not take the head of the chain: check the topic and its policy.',
      runbook: 'unsent-heads',
    },
  ];
  if (resources.vault.guards.replicaBucketArn !== undefined) {
    result.push({
      id: 'ReplicationFailures',
      metric: functionMetric(Metric.replicationFailures, audit),
      threshold: 0,
      advice: 'Evidence is not in the replica: find what stops the copies, then copy what is left.',
      runbook: 'replication-failures',
    });
  }
  for (const [stream, failures] of [
    ['Lineage', lineageFailures],
    ['Traces', tracesFailures],
  ] as const) {
    result.push(
      {
        id: `${stream}FailureDepth`,
        metric: messages(failures.queue),
        threshold: 0,
        periods: 3,
        advice: 'Accepted records are not stored yet and redrive does not keep up: read its log.',
        runbook: 'failure-queue-depth',
      },
      {
        id: `${stream}FailureAge`,
        metric: messageAge(failures.queue),
        threshold: UNSTORED_SECONDS,
        advice:
          'An accepted record is not stored for an hour: redrive before the stream forgets it.',
        runbook: 'failure-queue-age',
      },
      {
        id: `${stream}DeadLetters`,
        metric: messages(failures.deadLetters),
        threshold: 0,
        advice: 'Redrive gave up on an accepted record: redrive by hand while the stream holds it.',
        runbook: 'dead-letters',
      },
    );
  }
  for (const [id, fn] of [
    ['IngestUncounted', parts.ingest],
    ['IngestTracesUncounted', parts.ingestTraces],
  ] as const) {
    result.push({
      id,
      metric: functionMetric(Metric.uncountedRefusals, fn),
      threshold: 0,
      advice: 'Refusals were answered and not counted: the report of the hour says too little.',
      runbook: 'uncounted-refusals',
    });
  }
  for (const [id, fn] of [
    ['ArchiveQuarantine', archive],
    ['ArchiveTracesQuarantine', archiveTraces],
    ['RedriveQuarantine', redrive],
  ] as const) {
    result.push({
      id,
      metric: functionMetric(Metric.quarantinedRecords, fn),
      threshold: 0,
      advice: 'A record could not be parsed and is kept without payload: find its producer.',
      runbook: 'quarantined-records',
    });
  }
  return result;
}
