import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import type { DeploymentRecord } from '../../../bin/evidence/deployment.ts';
import { encodeStatus } from '../../../lambdas/domain/protobuf/encode-answer.ts';
import { environments } from '../../../lib/config/environments.ts';
import { type Subject, verdictOf } from '../../account/check.ts';
import { ACCOUNT_CHECKS } from '../../account/checks.ts';
import type { AccountClients } from '../../account/clients.ts';

/** What AWS answers, by the name of the command; a list is answered one after the other, the last one for good. */
type Answers = Readonly<Record<string, unknown>>;

const config = environments.prod;

/** Clients of which each answers a command by its name. */
function clientsWith(answers: Answers): AccountClients {
  const asked = new Map<string, number>();
  const send = async (command: object) => {
    const name = command.constructor.name.replace(/Command$/, '');
    const answer = answers[name];
    if (!Array.isArray(answer)) return answer;
    const at = asked.get(name) ?? 0;
    asked.set(name, at + 1);
    return answer[Math.min(at, answer.length - 1)];
  };
  return new Proxy({}, { get: () => ({ send }) }) as AccountClients;
}

const subjectWith = (answers: Answers, apiUrl = 'https://abc.execute-api.x/prod'): Subject => ({
  clients: clientsWith(answers),
  config,
  deployment: {
    ...{ apiUrl, stage: 'prod', signingKeyId: 'key' },
    buckets: { vault: 'vault', staging: 'staging' },
    streams: { lineage: 'lineage', traces: 'traces' },
    tables: { usage: 'usage' },
    functions: { archive: 'archive', archiveTraces: 'archive-traces', ingest: 'ingest' },
  } as DeploymentRecord,
  callerArn: 'arn:aws:sts::222233334444:assumed-role/admin/me',
  ...{ runId: 'r', now: () => 0, sleep: async () => undefined },
});

async function verdict(name: string, subject: Subject) {
  const check = ACCOUNT_CHECKS.find((one) => one.name === name);
  return verdictOf((await check?.run(subject)) ?? []);
}

const mapping = {
  State: 'Enabled',
  BatchSize: config.archive.batchSize,
  BisectBatchOnFunctionError: true,
  FunctionResponseTypes: ['ReportBatchItemFailures'],
  MaximumBatchingWindowInSeconds: config.archive.windowSeconds,
  MaximumRecordAgeInSeconds: -1,
  MaximumRetryAttempts: config.archive.retryAttempts,
  DestinationConfig: { OnFailure: { Destination: 'arn:aws:sqs:eu-central-1:1:queue' } },
};
const mapped = (change: object) => ({
  ListEventSourceMappings: { EventSourceMappings: [{ ...mapping, ...change }] },
});
const stage = {
  methodSettings: {
    '*/*': {
      throttlingRateLimit: config.throttling.rateLimit,
      throttlingBurstLimit: config.throttling.burstLimit,
    },
  },
};
const retry = { responseParameters: { 'gatewayresponse.header.Retry-After': "'2'" } };
const gatewayAnswers = (throttled: object) => ({
  GetStage: stage,
  // in the order in which they are asked for
  GetGatewayResponse: [
    { statusCode: '503', ...retry },
    { statusCode: '503', ...retry },
    { statusCode: '413' },
    throttled,
  ],
});
const inventory = (OptionalFields: string[], IncludedObjectVersions = 'All') => ({
  ListBucketInventoryConfigurations: {
    InventoryConfigurationList: [{ Id: 'daily', OptionalFields, IncludedObjectVersions }],
  },
});
const LOCK_FIELDS = ['ObjectLockLegalHoldStatus', 'ObjectLockMode', 'ObjectLockRetainUntilDate'];
const drifted = (...StackDriftStatus: string[]) => ({
  DetectStackDrift: { StackDriftDetectionId: 'id' },
  DescribeStackDriftDetectionStatus: [
    { DetectionStatus: 'DETECTION_IN_PROGRESS' },
    ...StackDriftStatus.map((status) => ({
      DetectionStatus: 'DETECTION_COMPLETE',
      StackDriftStatus: status,
    })),
  ],
});
const invoked = (payload: object, ...logged: string[]) => ({
  GetFunctionConfiguration: { LoggingConfig: { LogGroup: 'log' } },
  Invoke: { FunctionError: 'Unhandled', Payload: Buffer.from(JSON.stringify(payload)) },
  FilterLogEvents: { events: logged.map((message) => ({ message })) },
});
const failed = { errorType: 'FunctionFailedError', errorMessage: 'TypeError' };
const LOGGED = '{"errorType":"FunctionFailedError"}';

describe('a check by what AWS answers', () => {
  it.each<[string, string, Answers, string]>([
    ['event-source-mappings', 'as deployed', mapped({}), 'holds'],
    ['event-source-mappings', 'disabled', mapped({ State: 'Disabled' }), 'fails'],
    ['event-source-mappings', 'without a queue', mapped({ DestinationConfig: {} }), 'fails'],
    ['event-source-mappings', 'ageing out', mapped({ MaximumRecordAgeInSeconds: 60 }), 'fails'],
    ['event-source-mappings', 'none', { ListEventSourceMappings: {} }, 'fails'],
    ['gateway-throttling', 'as deployed', gatewayAnswers({ statusCode: '503', ...retry }), 'holds'],
    ['gateway-throttling', 'a 429', gatewayAnswers({ statusCode: '429' }), 'fails'],
    ['gateway-throttling', 'no Retry-After', gatewayAnswers({ statusCode: '503' }), 'fails'],
    [
      'gateway-throttling',
      'other limits',
      { ...gatewayAnswers({ statusCode: '503', ...retry }), GetStage: {} },
      'fails',
    ],
    [
      'stream-record-size',
      'as deployed',
      {
        DescribeStreamSummary: {
          StreamDescriptionSummary: { MaxRecordSizeInKiB: config.streams.maxRecordBytes / 1_024 },
        },
      },
      'holds',
    ],
    ['stream-record-size', 'not said', { DescribeStreamSummary: {} }, 'fails'],
    ['reserved-concurrency', 'nothing', { GetFunctionConcurrency: {} }, 'fails'],
    [
      'usage-expiry',
      'on',
      { DescribeTimeToLive: { TimeToLiveDescription: { TimeToLiveStatus: 'ENABLED' } } },
      'holds',
    ],
    [
      'usage-expiry',
      'off',
      { DescribeTimeToLive: { TimeToLiveDescription: { TimeToLiveStatus: 'DISABLED' } } },
      'fails',
    ],
    ['metrics-arrive', 'some', { ListMetrics: { Metrics: [{}] } }, 'holds'],
    ['metrics-arrive', 'none', { ListMetrics: {} }, 'unknown'],
    ['stack-drift', 'none', drifted('IN_SYNC'), 'holds'],
    ['stack-drift', 'in the last stack', drifted('IN_SYNC', 'IN_SYNC', 'DRIFTED'), 'fails'],
    ['inventory-lock-fields', 'no inventory', { ListBucketInventoryConfigurations: {} }, 'none'],
    ['inventory-lock-fields', 'all', inventory([...LOCK_FIELDS, 'Size']), 'holds'],
    ['inventory-lock-fields', 'no holds', inventory(LOCK_FIELDS.slice(1)), 'fails'],
    ['inventory-lock-fields', 'current versions', inventory(LOCK_FIELDS, 'Current'), 'fails'],
    ['function-error-text', 'a code', invoked(failed, LOGGED), 'holds'],
    ['function-error-text', 'not logged yet', invoked(failed), 'unknown'],
    ['function-error-text', 'quoted in the log', invoked(failed, LOGGED, 'canary-r'), 'fails'],
    [
      'function-error-text',
      'quoted in the answer',
      invoked({ ...failed, errorMessage: 'canary-r' }, LOGGED),
      'fails',
    ],
    ['function-error-text', 'of the runtime', invoked({ errorType: 'TypeError' }, LOGGED), 'fails'],
    ['lock-headers-right', 'without a role', {}, 'unknown'],
    ['absence-needs-list', 'without a role', {}, 'unknown'],
    ['function-rights', 'without a key', {}, 'unknown'],
    ['redrive-reads-back', 'without a key', {}, 'unknown'],
  ])('%s: %s', async (name, _, answers, wanted) => {
    expect(await verdict(name, subjectWith(answers))).toBe(wanted);
  });
});

describe('a check by what the front door answers', () => {
  let server: Server | undefined;
  afterEach(() => server?.close());

  const serving = async (
    status: number,
    type: string,
    body: string | Uint8Array,
  ): Promise<string> => {
    const listening = createServer((request, response) => {
      request.resume().on('end', () => {
        response.writeHead(status, { 'content-type': type }).end(body);
      });
    });
    server = listening;
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
  };
  const status = encodeStatus({ code: 16, message: 'no key' });
  const base64 = Buffer.from(status).toString('base64');
  const PROBLEM = 'application/problem+json';

  it.each<[string, number, string, string | Uint8Array, string]>([
    ['gateway-oversized-body', 413, PROBLEM, '{}', 'holds'],
    ['gateway-oversized-body', 413, 'application/json', '{}', 'fails'],
    ['gateway-oversized-body', 500, PROBLEM, '{}', 'fails'],
    ['answer-bytes', 401, 'application/x-protobuf', status, 'holds'],
    ['answer-bytes', 401, 'application/x-protobuf', base64, 'fails'],
    ['answer-bytes', 401, 'application/x-protobuf', '', 'fails'],
    ['answer-bytes', 403, 'application/x-protobuf', status, 'fails'],
  ])('%s: %i as %s', async (name, code, type, body, wanted) => {
    const subject = subjectWith({}, await serving(code, type, body));
    const open = { ...config, endpoint: { kind: 'public', auth: 'bearer' } as const };
    expect(await verdict(name, { ...subject, config: open })).toBe(wanted);
  });

  it('gateway-oversized-body: nobody there', async () => {
    const subject = subjectWith({}, 'http://127.0.0.1:9');
    expect(await verdict('gateway-oversized-body', subject)).toBe('unknown');
  });
});
