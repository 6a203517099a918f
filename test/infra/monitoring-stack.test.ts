import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { environments } from '../../lib/config/environments.ts';
import { createStage, propertiesOf, resourcesOf, templateOf } from '../support/synth.ts';

const template = templateOf('prod', 'monitoring');
const alarms = new Map(
  resourcesOf(template, 'AWS::CloudWatch::Alarm').map(([id, { Properties }]) => [
    id.replace(/^Alarms(.*)[0-9A-F]{8}$/, '$1'),
    Properties,
  ]),
);

const HOUR_SECONDS = 3600;
const QUARTER_HOUR_SECONDS = 900;
const QUARTER_HOUR_MILLIS = 900_000;

describe('alarms', () => {
  it.each([
    ['ArchiveAge', 'IteratorAge', QUARTER_HOUR_MILLIS, 'ArchiveLineArchiveFunction'],
    ['ArchiveTracesAge', 'IteratorAge', QUARTER_HOUR_MILLIS, 'ArchiveLineArchiveTracesFunction'],
    ['IngestErrors', '5XXError', 10, 'LineageEvidence-prod-Pipeline'],
    ['ProducersErrors', 'Errors', 0, 'FrontDoorProducersFunction'],
    ['ProducersThrottles', 'Throttles', 0, 'FrontDoorProducersFunction'],
    ['AuditErrors', 'Errors', 0, 'RetentionAuditAuditRetentionFunction'],
    ['AuditIncomplete', 'AuditIncomplete', 0, 'audit-retention'],
    ['ParityViolations', 'ParityViolations', 0, 'audit-retention'],
    ['SealErrors', 'Errors', 0, 'SealerSealFunction'],
    ['SealViolations', 'SealViolations', 0, 'seal'],
    ['UnsentHeads', 'UnsentHeads', 0, 'seal'],
    ['VerifyErrors', 'Errors', 0, 'VerifierVerifyFunction'],
    ['VerifyIncomplete', 'AuditIncomplete', 0, 'verify'],
    ['IntegrityViolations', 'IntegrityViolations', 0, 'verify'],
    ['RejectionReportErrors', 'Errors', 0, 'RejectionReportsReportRejectionsFunction'],
    ['HoldsErrors', 'Errors', 0, 'FrontDoorHoldsFunction'],
    ['HoldReconciliationErrors', 'Errors', 0, 'HoldReconciliationReconcileHoldsFunction'],
    ['HoldsIncomplete', 'HoldsIncomplete', 0, 'reconcile-holds'],
    ['IngestUncounted', 'UncountedRefusals', 0, 'ingest'],
    ['IngestTracesUncounted', 'UncountedRefusals', 0, 'ingest-traces'],
    ['LineageFailureDepth', 'ApproximateNumberOfMessagesVisible', 0, 'LineageFailuresQueue'],
    ['TracesFailureDepth', 'ApproximateNumberOfMessagesVisible', 0, 'TracesFailuresQueue'],
    ['LineageFailureAge', 'ApproximateAgeOfOldestMessage', HOUR_SECONDS, 'LineageFailuresQueue'],
    ['TracesFailureAge', 'ApproximateAgeOfOldestMessage', HOUR_SECONDS, 'TracesFailuresQueue'],
    ['LineageDeadLetters', 'ApproximateNumberOfMessagesVisible', 0, 'LineageFailuresDeadLetters'],
    ['TracesDeadLetters', 'ApproximateNumberOfMessagesVisible', 0, 'TracesFailuresDeadLetters'],
    ['ArchiveQuarantine', 'QuarantinedRecords', 0, 'archive'],
    ['ArchiveTracesQuarantine', 'QuarantinedRecords', 0, 'archive-traces'],
    ['RedriveQuarantine', 'QuarantinedRecords', 0, 'redrive'],
  ])('%s watches %s', (id, metric, threshold, subject) => {
    const alarm = alarms.get(id);
    expect(alarm).toMatchObject({
      ComparisonOperator: 'GreaterThanThreshold',
      MetricName: metric,
      Threshold: threshold,
      TreatMissingData: 'notBreaching',
    });
    expect(JSON.stringify(alarm.Dimensions)).toContain(subject);
  });

  it('DigestAge fires when a head is old, and when nothing says how old it is', () => {
    expect(alarms.get('DigestAge')).toMatchObject({
      ...{ MetricName: 'DigestAgeSeconds', Statistic: 'Maximum', EvaluationPeriods: 3 },
      Threshold: 2 * QUARTER_HOUR_SECONDS + 600,
      TreatMissingData: 'breaching',
      Dimensions: [{ Name: 'service', Value: 'seal' }],
    });
  });

  it('VerifyAbsent fires when nothing was verified for two days, and for nothing else', () => {
    expect(alarms.get('VerifyAbsent')).toMatchObject({
      ...{ MetricName: 'AuditIncomplete', Statistic: 'Maximum', Threshold: 1 },
      ...{ EvaluationPeriods: 2, Period: 24 * HOUR_SECONDS, TreatMissingData: 'breaching' },
      Dimensions: [{ Name: 'service', Value: 'verify' }],
    });
  });

  it('are these and no others', () => {
    expect(alarms.size).toBe(31);
  });

  it('watch the copies where there is a replica, and only there', () => {
    const replica = {
      bucketArn: 'arn:aws:s3:::evidence-replica',
      kmsKeyArn: 'arn:aws:kms:eu-west-1:444455556666:key/1',
    };
    const { monitoring } = createStage({ ...environments.prod, replica });
    const copied = resourcesOf(Template.fromStack(monitoring), 'AWS::CloudWatch::Alarm');
    const added = copied.filter(([id]) => id.startsWith('AlarmsReplicationFailures'));
    expect(copied.length).toBe(alarms.size + 1);
    expect(added.map(([, { Properties }]) => Properties)).toMatchObject([
      {
        ...{ MetricName: 'ReplicationFailures', Statistic: 'Sum', Threshold: 0 },
        ...{ ComparisonOperator: 'GreaterThanThreshold', TreatMissingData: 'notBreaching' },
        Dimensions: [{ Name: 'service', Value: 'audit-retention' }],
      },
    ]);
  });

  it('say what to do and where the runbook is, and tell the topic', () => {
    for (const alarm of alarms.values()) {
      expect(alarm.AlarmDescription).toMatch(/^.{30,} Runbook: docs\/operations\.md#[a-z0-9-]+$/);
      expect(JSON.stringify(alarm.AlarmActions)).toContain('AlarmTopic');
    }
  });

  it('need no metric math, which the emulators refuse', () => {
    for (const alarm of alarms.values()) expect(alarm).not.toHaveProperty('Metrics');
  });
});

describe('alarm topic', () => {
  it('is encrypted with a key that CloudWatch of this account may use', () => {
    const key = propertiesOf(template, 'AWS::KMS::Key');
    const topic = propertiesOf(template, 'AWS::SNS::Topic');
    expect(key).toMatchObject({
      EnableKeyRotation: true,
      KeyPolicy: {
        Statement: [
          {},
          {
            Action: ['kms:Decrypt', 'kms:GenerateDataKey'],
            Condition: { StringEquals: { 'aws:SourceAccount': '111122223333' } },
            Effect: 'Allow',
            Principal: { Service: 'cloudwatch.amazonaws.com' },
          },
        ],
      },
    });
    expect(JSON.stringify(topic)).toContain('AlarmTopicKey');
  });

  it('takes messages from CloudWatch of this account only, over TLS', () => {
    const policy = propertiesOf(template, 'AWS::SNS::TopicPolicy');
    expect(policy.PolicyDocument.Statement).toMatchObject([
      {
        Condition: { Bool: { 'aws:SecureTransport': 'false' } },
        Effect: 'Deny',
      },
      {
        Action: 'sns:Publish',
        Condition: { StringEquals: { 'aws:SourceAccount': '111122223333' } },
        Effect: 'Allow',
        Principal: { Service: 'cloudwatch.amazonaws.com' },
      },
    ]);
  });

  it('writes to the configured addresses', () => {
    const stage = createStage({ ...environments.dev, alarms: { emails: ['ops@example.org'] } });
    const subscriptions = resourcesOf(
      Template.fromStack(stage.monitoring),
      'AWS::SNS::Subscription',
    );
    expect(subscriptions.map(([, { Properties }]) => Properties.Endpoint)).toEqual([
      'ops@example.org',
    ]);
  });
});

describe('dashboard', () => {
  it('shows every alarm', () => {
    const body = JSON.stringify(propertiesOf(template, 'AWS::CloudWatch::Dashboard'));
    for (const [id] of resourcesOf(template, 'AWS::CloudWatch::Alarm')) expect(body).toContain(id);
  });
});
