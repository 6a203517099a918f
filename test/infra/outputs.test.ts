import { describe, expect, it } from 'vitest';
import { environments } from '../../lib/config/environments.ts';
import { type EnvironmentName, type StackName, stageOf, templateOf } from '../support/synth.ts';

/** Scripts and the local start read these by name. */
const OUTPUTS: Record<StackName, string[]> = {
  data: [
    'HmacKeyArn',
    'IndexTableName',
    'LineageFailureQueueUrl',
    'LineageStreamName',
    'ProducersTableName',
    'SigningKeyId',
    'StagingBucketName',
    'SubjectsTableName',
    'TracesFailureQueueUrl',
    'TracesStreamName',
    'UsageTableName',
    'VaultBucketName',
  ],
  pipeline: [
    'ApiId',
    'ApiStageName',
    'ApiUrl',
    'ArchiveFunctionName',
    'ArchiveTracesFunctionName',
    'AuditRetentionFunctionName',
    'HoldsFunctionName',
    'IngestFunctionName',
    'IngestTracesFunctionName',
    'ProducersFunctionName',
    'QueryFunctionName',
    'RebuildIndexFunctionName',
    'RebuildIndexStateMachineArn',
    'ReconcileHoldsFunctionName',
    'RedriveFunctionName',
    'ReportRejectionsFunctionName',
    'SealFunctionName',
    'VerifyFunctionName',
  ],
  monitoring: ['AlarmTopicArn', 'DashboardName'],
};

describe.each(Object.keys(environments) as EnvironmentName[])('stacks of %s', (name) => {
  it.each(Object.keys(OUTPUTS) as StackName[])('publish the outputs of %s', (stack) => {
    const outputs = Object.keys(templateOf(name, stack).toJSON().Outputs);
    const ours = outputs.filter((output) => !output.startsWith('ExportsOutput'));
    expect(ours.sort()).toEqual(OUTPUTS[stack]);
  });

  it('are named after the environment', () => {
    const { data, monitoring, pipeline } = stageOf(name);
    expect([data, pipeline, monitoring].map(({ stackName }) => stackName)).toEqual([
      `LineageEvidence-${name}-Data`,
      `LineageEvidence-${name}-Pipeline`,
      `LineageEvidence-${name}-Monitoring`,
    ]);
  });

  it('depend on each other in one direction', () => {
    const { data, monitoring, pipeline } = stageOf(name);
    expect(data.dependencies).toEqual([]);
    expect(pipeline.dependencies).toEqual([data]);
    expect(new Set(monitoring.dependencies)).toEqual(new Set([data, pipeline]));
  });

  it('use no custom resource', () => {
    for (const stack of Object.keys(OUTPUTS) as StackName[]) {
      const types = Object.values<{ Type: string }>(templateOf(name, stack).toJSON().Resources);
      expect(types.filter(({ Type }) => Type.includes('Custom'))).toEqual([]);
    }
  });

  it('end the API URL without a slash', () => {
    const { Value } = templateOf(name, 'pipeline').toJSON().Outputs.ApiUrl;
    expect(Value['Fn::Join'][1].at(-1)).toMatch(/[^/]$/);
  });

  it('tag what they make', () => {
    const vaults = templateOf(name, 'data').findResources('AWS::S3::Bucket');
    for (const { Properties } of Object.values(vaults)) {
      expect(Properties.Tags).toEqual(
        expect.arrayContaining([
          { Key: 'data-classification', Value: 'confidential' },
          { Key: 'environment', Value: name },
          { Key: 'service', Value: 'lineage-evidence' },
        ]),
      );
    }
  });
});
