import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  CloudFormationClient,
  DescribeStacksCommand,
  type StackStatus,
} from '@aws-sdk/client-cloudformation';
import { mockClient } from 'aws-sdk-client-mock';
import { afterAll, describe, expect, it } from 'vitest';
import type { StackTemplate } from '../../../localstack/assembly.ts';
import { localEnvironment } from '../../../localstack/aws.ts';
import { lastTellingLine, runCdk } from '../../../localstack/cdk.ts';
import { nameResources, stuckStacks } from '../../../localstack/deploy.ts';
import { describeEnvironment } from '../../../localstack/environment.ts';
import { hashSources } from '../../../localstack/sources.ts';

describe('lastTellingLine', () => {
  it('takes the last line that speaks of a failure', () => {
    const log =
      'Data: deploying\n\x1b[31m ❌ Pipeline failed: no rights\x1b[39m\n    at Object.x\nbye\n';
    expect(lastTellingLine(log)).toBe('Pipeline failed: no rights');
  });

  it('prefers the cause to the notice that a subprocess ended', () => {
    const log = 'SyntaxError: no export\n\nNode.js v20.20.2\nx: Subprocess exited with error 1\n';
    expect(lastTellingLine(log)).toBe('SyntaxError: no export');
  });

  it('takes the last line of a log without one', () => {
    expect(lastTellingLine('one\ntwo\n')).toBe('two');
  });
});

describe('runCdk', () => {
  const repository = mkdtempSync(join(tmpdir(), 'cdk-'));
  const bin = join(repository, 'node_modules/aws-cdk/bin');
  mkdirSync(bin, { recursive: true });
  writeFileSync(join(bin, 'cdk'), 'setInterval(() => {}, 1000);');
  afterAll(() => rmSync(repository, { recursive: true }));

  it.each([
    ['synth', /: run npm start again/],
    ['deploy', /: run npm run reset, then npm start again/],
  ])('keeps the data when %s took too long, if it can', async (command, remedy) => {
    const context = {
      ...{ repository, endpoint: 'http://127.0.0.1:1', abortWhen: () => undefined },
      ...{ log: join(repository, 'log'), record: join(repository, 'record') },
    };
    await expect(runCdk(context, [command], 200)).rejects.toThrow(remedy);
  });
});

describe('nameResources', () => {
  const stack: StackTemplate = {
    stackName: 'S',
    hash: '',
    resources: {
      Alarm1: {
        Type: 'AWS::CloudWatch::CompositeAlarm',
        Metadata: { 'aws:cdk:path': 'Stage/S/Alarms/All/Resource' },
      },
      Key: { Type: 'AWS::KMS::Key' },
    },
  };

  it('finds the resource of a refused type', () => {
    const line = 'Unrecognized resource types: [AWS::CloudWatch::CompositeAlarm]';
    expect(nameResources(line, [stack])).toBe(' at Stage/S/Alarms/All');
  });

  it('says nothing when the line names none', () => {
    expect(nameResources('rate exceeded', [stack])).toBe('');
  });
});

describe('stuckStacks', () => {
  const cloudformation = mockClient(CloudFormationClient);
  const stuckOf = (...statuses: StackStatus[]) => {
    cloudformation.on(DescribeStacksCommand).resolves({
      Stacks: statuses.map((StackStatus) => ({
        ...{ StackName: 'Data', StackStatus, CreationTime: undefined },
      })),
    });
    return stuckStacks({ cloudformation: new CloudFormationClient({}) });
  };

  it.each([
    'CREATE_FAILED',
    'ROLLBACK_COMPLETE',
    'ROLLBACK_FAILED',
    'CREATE_IN_PROGRESS',
    'UPDATE_FAILED',
    'UPDATE_ROLLBACK_FAILED',
    'DELETE_FAILED',
    'REVIEW_IN_PROGRESS',
  ] as const)('names a stack in %s', async (status) => {
    expect(await stuckOf('CREATE_COMPLETE', status)).toEqual([`Data ${status}`]);
  });

  it('names none that another deployment can go on from', async () => {
    expect(
      await stuckOf(
        'CREATE_COMPLETE',
        'UPDATE_COMPLETE',
        'UPDATE_ROLLBACK_COMPLETE',
        'DELETE_COMPLETE',
      ),
    ).toEqual([]);
  });
});

describe('localEnvironment', () => {
  it('lets nothing of a real account through', () => {
    const source = {
      PATH: '/bin',
      AWS_PROFILE: 'prod',
      AWS_SESSION_TOKEN: 'real',
      AWS_ENDPOINT_URL_S3: 'https://s3',
      CDK_DEFAULT_ACCOUNT: '111122223333',
    };
    const env = localEnvironment('http://127.0.0.1:1', source);
    expect(env).toMatchObject({
      PATH: '/bin',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_ENDPOINT_URL: 'http://127.0.0.1:1',
      AWS_CONFIG_FILE: '/dev/null',
      AWS_SHARED_CREDENTIALS_FILE: '/dev/null',
      CDK_DEFAULT_ACCOUNT: '000000000000',
    });
    expect(Object.keys(env)).not.toContain('AWS_PROFILE');
    expect(Object.keys(env)).not.toContain('AWS_SESSION_TOKEN');
    expect(Object.keys(env)).not.toContain('AWS_ENDPOINT_URL_S3');
  });
});

describe('hashSources', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sources-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('changes with content and with names, and with nothing else', () => {
    writeFileSync(join(folder, 'a.ts'), 'one');
    const before = hashSources(folder, ['a.ts', 'absent', '.']);
    expect(hashSources(folder, ['a.ts', 'absent', '.'])).toBe(before);
    writeFileSync(join(folder, 'a.ts'), 'two');
    const changed = hashSources(folder, ['a.ts', 'absent', '.']);
    expect(changed).not.toBe(before);
    writeFileSync(join(folder, 'b.ts'), '');
    expect(hashSources(folder, ['a.ts', 'absent', '.'])).not.toBe(changed);
  });
});

describe('describeEnvironment', () => {
  const emulator = {
    process: { pid: 7, startedAt: '' },
    name: 'ministack' as const,
    processGroup: 7,
    port: 1,
    endpoint: 'http://127.0.0.1:1',
    version: '1',
  };
  const names = [
    'ApiId ApiStageName VaultBucketName StagingBucketName IndexTableName ProducersTableName',
    'LineageStreamName TracesStreamName HmacKeyArn IngestFunctionName IngestTracesFunctionName',
    'ArchiveFunctionName ArchiveTracesFunctionName RedriveFunctionName QueryFunctionName ProducersFunctionName',
    'AuditRetentionFunctionName ReportRejectionsFunctionName UsageTableName SubjectsTableName',
    'HoldsFunctionName ReconcileHoldsFunctionName SealFunctionName VerifyFunctionName SigningKeyId',
    'RebuildIndexFunctionName RebuildIndexStateMachineArn',
  ].flatMap((line) => line.split(' '));
  const outputs = {
    ...Object.fromEntries(names.map((name) => [name, name])),
    LineageFailureQueueUrl: 'http://localhost:1/000000000000/lineage',
    TracesFailureQueueUrl: 'http://localhost:1/000000000000/traces',
  };

  it('gives each client the address that it needs, and queues that can be reached', () => {
    const apiUrl = 'http://127.0.0.1:1/restapis/ApiId/ApiStageName/_user_request_';
    expect(describeEnvironment(emulator, outputs)).toMatchObject({
      apiUrl,
      clientUrls: {
        ...{ python: `${apiUrl}/`, java: `${apiUrl}/api/v1/lineage`, otel: apiUrl },
        spark: {
          url: 'http://127.0.0.1:1',
          endpoint: '/restapis/ApiId/ApiStageName/_user_request_/api/v1/lineage',
        },
      },
      queues: { lineageFailures: 'http://127.0.0.1:1/000000000000/lineage' },
      emulator: { pid: 7 },
    });
  });

  it('names an output that is missing', () => {
    const { HmacKeyArn: _absent, ...incomplete } = outputs as Record<string, string>;
    expect(() => describeEnvironment(emulator, incomplete)).toThrow(/publish no HmacKeyArn/);
  });
});
