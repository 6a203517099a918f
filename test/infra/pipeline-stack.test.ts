import { Template } from 'aws-cdk-lib/assertions';
import { describe, expect, it } from 'vitest';
import { variablesOf } from '../../bench/function-bundle.ts';
import { environments } from '../../lib/config/environments.ts';
import {
  createStage,
  type EnvironmentName,
  resourceOf,
  resourcesOf,
  templateOf,
} from '../support/synth.ts';

/** Construct path -> folder under lambdas/. */
const FUNCTIONS = {
  'FrontDoor/Ingest': 'ingest',
  'FrontDoor/IngestTraces': 'ingest-traces',
  'FrontDoor/Query': 'query',
  'FrontDoor/Producers': 'producers',
  'FrontDoor/Holds': 'holds',
  'ArchiveLine/Archive': 'archive',
  'ArchiveLine/ArchiveTraces': 'archive-traces',
  'ArchiveLine/Redrive': 'redrive',
  'RetentionAudit/AuditRetention': 'audit-retention',
  'RejectionReports/ReportRejections': 'report-rejections',
  'HoldReconciliation/ReconcileHolds': 'reconcile-holds',
  'Sealer/Seal': 'seal',
  'Verifier/Verify': 'verify',
  'IndexRebuild/Worker': 'rebuild-index',
};

describe.each(Object.keys(environments) as EnvironmentName[])('pipeline of %s', (name) => {
  const config = environments[name];
  const template = templateOf(name, 'pipeline');
  const functions = resourcesOf(template, 'AWS::Lambda::Function');

  it.each(Object.entries(FUNCTIONS))(
    'gives %s what it reads, and no more',
    async (path, folder) => {
      const { Properties } = resourceOf(template, 'AWS::Lambda::Function', `${path}/Function`);
      const { POWERTOOLS_METRICS_NAMESPACE, POWERTOOLS_SERVICE_NAME, ...variables } =
        Properties.Environment.Variables;
      expect(Object.keys(variables).sort()).toEqual(await variablesOf(folder));
      expect(POWERTOOLS_SERVICE_NAME).toBe(folder);
      expect(POWERTOOLS_METRICS_NAMESPACE).toBe(`LineageEvidence/${name}`);
    },
  );

  it('has no function besides', () => {
    expect(functions.length).toBe(Object.keys(FUNCTIONS).length);
  });

  it('runs every function on arm64 and Node 24 without a tracing daemon', () => {
    for (const [, { Properties }] of functions) {
      expect(Properties).toMatchObject({
        Architectures: ['arm64'],
        Handler: 'index.handler',
        Runtime: 'nodejs24.x',
      });
      expect(Properties.TracingConfig).toBeUndefined();
    }
  });

  it('keeps the log of every function for the configured time and no longer', () => {
    const logGroups = new Map(resourcesOf(template, 'AWS::Logs::LogGroup'));
    for (const [, { Properties }] of functions) {
      const logGroup = logGroups.get(Properties.LoggingConfig.LogGroup.Ref);
      expect(logGroup?.Properties.RetentionInDays).toBe(config.logRetentionDays);
    }
    for (const [, { Properties }] of logGroups) expect(Properties.RetentionInDays).toBeDefined();
  });

  it('tells functions the retention that the vault enforces', () => {
    const { Properties } = resourceOf(
      template,
      'AWS::Lambda::Function',
      'ArchiveLine/Archive/Function',
    );
    const { floorDays, lineageDays, mode, traceDays } = config.retention;
    expect(JSON.parse(Properties.Environment.Variables.RETENTION)).toEqual({
      mode,
      lineageDays,
      traceDays,
      recordDays: lineageDays + 365,
      floorDays,
      slackDays: 35,
    });
  });

  it('reserves concurrency only where the config does', () => {
    const reserved = functions.map(([, { Properties }]) => Properties.ReservedConcurrentExecutions);
    const numbers = reserved.filter((value) => value !== undefined).sort((a, b) => a - b);
    expect(numbers).toEqual(name === 'prod' ? [1, 5, 10, 20, 20, 50, 100, 100] : []);
  });

  it.each([
    ['Lineage', 'Archive'],
    ['Traces', 'ArchiveTraces'],
  ])('feeds %s to %s so that nothing accepted is skipped', (stream, fn) => {
    const mapping = resourceOf(
      template,
      'AWS::Lambda::EventSourceMapping',
      `ArchiveLine/${stream}/Mapping`,
    );
    const { DestinationConfig, EventSourceArn, FunctionName, ...settings } = mapping.Properties;
    expect(settings).toMatchObject({
      BatchSize: config.archive.batchSize,
      BisectBatchOnFunctionError: true,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
      MaximumBatchingWindowInSeconds: config.archive.windowSeconds,
      MaximumRecordAgeInSeconds: -1,
      MaximumRetryAttempts: config.archive.retryAttempts,
      ParallelizationFactor: 1,
      StartingPosition: 'TRIM_HORIZON',
    });
    expect(JSON.stringify(EventSourceArn)).toContain(`${stream}Stream`);
    expect(JSON.stringify(FunctionName)).toContain(`ArchiveLine${fn}Function`);
    expect(JSON.stringify(DestinationConfig.OnFailure.Destination)).toContain(
      `${stream}FailuresQueue`,
    );
    expect(mapping.DependsOn?.join()).toContain(`ArchiveLine${fn}RoleDefaultPolicy`);
  });

  it.each(['Lineage', 'Traces'])('hands failures of %s to redrive one at a time', (stream) => {
    const { Properties } = resourceOf(
      template,
      'AWS::Lambda::EventSourceMapping',
      `ArchiveLine/${stream}Failures/Mapping`,
    );
    expect(Properties).toMatchObject({
      BatchSize: 1,
      FunctionResponseTypes: ['ReportBatchItemFailures'],
    });
    expect(JSON.stringify(Properties.EventSourceArn)).toContain(`${stream}FailuresQueue`);
    expect(JSON.stringify(Properties.FunctionName)).toContain('ArchiveLineRedriveFunction');
  });

  it.each([
    ['RetentionAudit', 'auditRetention', 'AuditRetentionFunction'],
    ['RejectionReports', 'reportRejections', 'ReportRejectionsFunction'],
    ['HoldReconciliation', 'reconcileHolds', 'ReconcileHoldsFunction'],
  ] as const)('runs %s on its schedule with an empty event', (control, schedule, fn) => {
    const { Properties } = resourceOf(template, 'AWS::Events::Rule', `${control}/Schedule`);
    expect(Properties).toMatchObject({
      ScheduleExpression: config.schedules[schedule],
      State: 'ENABLED',
      Targets: [{ Input: '{}' }],
    });
    expect(JSON.stringify(Properties.Targets[0].Arn)).toContain(fn);
  });
});

describe('configuration that no shipped environment uses', () => {
  it('runs streams on demand', () => {
    const { dev } = environments;
    const stage = createStage({
      ...dev,
      streams: { ...dev.streams, capacity: { mode: 'on-demand' } },
    });
    const { Properties } = resourceOf(
      Template.fromStack(stage.data),
      'AWS::Kinesis::Stream',
      'Lineage/Stream',
    );
    expect(Properties.StreamModeDetails).toEqual({ StreamMode: 'ON_DEMAND' });
    expect(Properties).not.toHaveProperty('ShardCount');
  });

  it.each([
    [undefined, undefined],
    ['strict', undefined],
    [{}, undefined],
    [{ drop: ['facet:my_facet'] }, '{"drop":["facet:my_facet"]}'],
  ] as const)(
    'tells the archive functions what redaction differs in: %j',
    (redaction, expected) => {
      const stage = createStage({ ...environments.dev, redaction });
      const template = Template.fromStack(stage.pipeline);
      for (const path of ['Archive', 'ArchiveTraces', 'Redrive']) {
        const { Properties } = resourceOf(
          template,
          'AWS::Lambda::Function',
          `ArchiveLine/${path}/Function`,
        );
        expect(Properties.Environment.Variables.REDACTION_POLICY).toBe(
          path === 'Redrive' ? undefined : expected,
        );
      }
    },
  );

  it('takes another deployment role', () => {
    const deploymentRoleArn = 'arn:aws:iam::111122223333:role/pipeline';
    const stage = createStage({ ...environments.dev, guards: { deploymentRoleArn } });
    const policies = JSON.stringify(Template.fromStack(stage.data).toJSON().Resources);
    expect(policies.split(`"aws:PrincipalArn":"${deploymentRoleArn}"`).length - 1).toBe(4);
    expect(policies).not.toContain('cfn-exec-role');
  });
});
