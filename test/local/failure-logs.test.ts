import { randomBytes, randomUUID } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { CloudWatchClient, PutMetricDataCommand } from '@aws-sdk/client-cloudwatch';
import {
  CloudWatchLogsClient,
  CreateLogGroupCommand,
  CreateLogStreamCommand,
  DeleteLogGroupCommand,
  PutLogEventsCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import { DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import { PutRecordsCommand } from '@aws-sdk/client-kinesis';
import { InvokeCommand } from '@aws-sdk/client-lambda';
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { CreateQueueCommand, DeleteQueueCommand, SendMessageCommand } from '@aws-sdk/client-sqs';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { encodeStreamRecord } from '../../lambdas/domain/evidence/stream-record.ts';
import { clientConfig } from '../../localstack/aws.ts';
import { runEvent, span, spanExport } from '../support/events.ts';
import { findEverywhere } from '../support/everything-stored.ts';
import { type FaultServer, startFaultServer } from '../support/fault-server.ts';
import { changeTimeout, changeVariables } from '../support/function-variables.ts';
import { localLogs } from '../support/local-logs.ts';
import { StoreClient } from '../support/store-client.ts';

const newCanary = () => `zq${randomBytes(7).toString('hex')}`;

describe('the search through everything stored', () => {
  const { environment, clients } = new StoreClient(inject('environment'));
  const config = clientConfig(environment.endpointUrl);
  const [logs, cloudwatch] = [new CloudWatchLogsClient(config), new CloudWatchClient(config)];
  const name = `planted-${randomUUID()}`;
  const key = { pk: { S: name }, sk: { S: name } };
  /** With versions, under a prefix that nobody else reads. */
  const Bucket = environment.buckets.vault;
  let QueueUrl: string;

  beforeAll(async () => {
    const { QueueUrl: made } = await clients.sqs.send(new CreateQueueCommand({ QueueName: name }));
    QueueUrl = environment.endpointUrl + new URL(made as string).pathname;
  });
  afterAll(async () => {
    await clients.sqs.send(new DeleteQueueCommand({ QueueUrl }));
    await clients.dynamodb.send(
      new DeleteItemCommand({ TableName: environment.tables.usage, Key: key }),
    );
    await logs.send(new DeleteLogGroupCommand({ logGroupName: name }));
  });

  it('finds what is planted in each kind of place, in each form', async () => {
    const needles = {
      body: newCanary(),
      packed: newCanary(),
      metadata: newCanary(),
      overwritten: newCanary(),
      row: newCanary(),
      binary: newCanary(),
      message: newCanary(),
      log: newCanary(),
      metric: newCanary(),
    };
    const put = (Key: string, Body: string | Buffer, Metadata?: Record<string, string>) =>
      clients.s3.send(new PutObjectCommand({ Bucket, Key, Body, ...(Metadata && { Metadata }) }));
    await put(`${name}/old`, needles.overwritten);
    await put(`${name}/old`, 'new');
    await put(`${name}/base64`, `x${Buffer.from(`y${needles.body}`).toString('base64')}`);
    await put(`${name}/packed`, gzipSync(`{"a": "${needles.packed.toUpperCase()}"}`));
    await put(`${name}/metadata`, 'x', { a: needles.metadata });
    await clients.s3.send(new DeleteObjectCommand({ Bucket, Key: `${name}/packed` }));
    await clients.dynamodb.send(
      new PutItemCommand({
        TableName: environment.tables.usage,
        Item: {
          ...key,
          deep: { L: [{ M: { text: { S: needles.row } } }] },
          bytes: { B: gzipSync(needles.binary) },
        },
      }),
    );
    const MessageBody = JSON.stringify({ hex: Buffer.from(needles.message).toString('hex') });
    await clients.sqs.send(new SendMessageCommand({ QueueUrl, MessageBody }));
    const stream = { logGroupName: name, logStreamName: 'x' };
    await logs.send(new CreateLogGroupCommand({ logGroupName: name }));
    await logs.send(new CreateLogStreamCommand(stream));
    const logEvents = [{ timestamp: Date.now(), message: `a line with ${needles.log}` }];
    await logs.send(new PutLogEventsCommand({ ...stream, logEvents }));
    const Dimensions = [{ Name: 'a', Value: needles.metric }];
    await cloudwatch.send(
      new PutMetricDataCommand({
        Namespace: name,
        MetricData: [{ MetricName: 'm', Value: 1, Dimensions }],
      }),
    );

    const { hits } = await findEverywhere(environment, Object.values(needles));
    const kindOf = (needle: string) => hits.find((hit) => hit.needle === needle)?.kind;
    expect(
      Object.fromEntries(Object.entries(needles).map(([what, needle]) => [what, kindOf(needle)])),
    ).toEqual({
      ...{ body: 'object', packed: 'object', metadata: 'object', overwritten: 'object' },
      ...{ row: 'row', binary: 'row', message: 'message', log: 'log', metric: 'metric' },
    });
  });
});

/**
 * A canary in what each failure is about. The functions run as deployed; their clients are led to an AWS that refuses with
 * errors that quote their input, as the real one does, or that never answers.
 */
const CODES = [
  ...['s3_unavailable', 'dynamodb_unavailable', 'hmac_key_unavailable', 'kinesis_unavailable'],
  ...['TypeError', 'invalid_interval', 'ValiError', 'Task timed out'],
];

describe('a failure', () => {
  const store = new StoreClient(inject('environment'));
  const { environment, clients } = store;
  const { functions, streams } = environment;
  const used: string[] = [];
  const canary = () => {
    const made = newCanary();
    used.push(made);
    return made;
  };
  let aws: FaultServer;
  let quoted = '';
  let isSilent = false;
  let asked = 0;
  const undo: Array<() => Promise<void>> = [];
  const waiting: Array<() => void> = [];

  beforeAll(async () => {
    aws = await startFaultServer(async ({ headers }) => {
      asked++;
      if (isSilent) await new Promise<void>((resolve) => waiting.push(resolve));
      const isJson = headers['x-amz-target'] !== undefined;
      const message = `cannot take ${quoted}`;
      const body = isJson
        ? JSON.stringify({ __type: 'ValidationException', message, Item: quoted })
        : `<Error><Code>InvalidArgument</Code><Message>${message}</Message><ArgumentValue>${quoted}</ArgumentValue></Error>`;
      const type = isJson ? 'application/x-amz-json-1.1' : 'application/xml';
      return { status: 400, headers: { 'content-type': type }, body: Buffer.from(body) };
    });
  });
  afterEach(async () => {
    for (const back of undo.splice(0)) await back();
    isSilent = false;
    for (const answer of waiting.splice(0)) answer();
  });
  afterAll(() => aws.close());

  /** Leads one client of a function to the AWS that refuses. */
  const lead = async (functionName: string, service: string) =>
    undo.push(
      await changeVariables(clients, functionName, { [`AWS_ENDPOINT_URL_${service}`]: aws.origin }),
    );
  const invoke = async (FunctionName: string, event: unknown) => {
    const answer = await clients.lambda.send(
      new InvokeCommand({ FunctionName, Payload: JSON.stringify(event), LogType: 'Tail' }),
    );
    const tail = Buffer.from(answer.LogResult ?? '', 'base64').toString();
    return {
      text: Buffer.from(answer.Payload ?? []).toString(),
      tail,
      error: answer.FunctionError,
    };
  };
  const recordOf = (body: string, receiptId = randomUUID()) => ({
    eventID: 'shardId-000000000000:49000000000000000000000000000000000000000000000000000001',
    kinesis: {
      sequenceNumber: '49000000000000000000000000000000000000000000000000000001',
      approximateArrivalTimestamp: Date.now() / 1000,
      data: Buffer.from(
        encodeStreamRecord({
          head: {
            ...{ receiptId, acceptedAt: new Date().toISOString(), retentionClass: 'standard' },
            submitter: { producerId: 'demo-lineage', group: 'demo' },
            received: { epoch: 0, hmac: receiptId },
            deviations: [],
          },
          body: Buffer.from(body),
        }),
      ).toString('base64'),
    },
  });
  const eventWith = (secret: string) =>
    JSON.stringify(
      runEvent({
        job: {
          namespace: 'n',
          name: 'j',
          facets: { sql: { query: `select '${secret}'` } },
        },
      }),
    );

  it.each(['S3', 'DYNAMODB', 'KMS'])('of %s in an archive function', async (service) => {
    quoted = canary();
    await lead(functions.archive, service);
    const answer = await invoke(functions.archive, { Records: [recordOf(eventWith(quoted))] });
    expect(JSON.parse(answer.text).batchItemFailures).toHaveLength(1);
    expect(answer.text).not.toContain(quoted);
  });

  it.each(['KMS', 'DYNAMODB', 'KINESIS'])('of %s in an ingest function', async (service) => {
    quoted = canary();
    await lead(functions.ingest, service);
    const answer = await store.post('/api/v1/lineage', eventWith(quoted));
    expect(answer.status).toBe(503);
    expect(answer.text).not.toContain(quoted);
  });

  it('of S3 while a batch of the stream waits, which is stored once it is over', async () => {
    quoted = canary();
    await lead(functions.archive, 'S3');
    asked = 0;
    const { json } = await store.post('/api/v1/lineage', eventWith(quoted));
    await expect.poll(() => asked, { timeout: 30_000 }).toBeGreaterThan(1);
    for (const back of undo.splice(0)) await back();
    expect((await store.stored(json.receiptId)).text).not.toContain(quoted);
  });

  it('of S3 in a query function', async () => {
    const { json } = await store.store(eventWith(canary()));
    quoted = canary();
    await lead(functions.query, 'S3');
    const answer = await store.get(`/api/v1/events/${json.receiptId}`);
    expect(answer.status).toBe(503);
    expect(answer.text).not.toContain(quoted);
  });

  it('of a function that S3 never answers, and whose time is over', async () => {
    const secret = canary();
    isSilent = true;
    await lead(functions.archive, 'S3');
    undo.push(await changeTimeout(clients, functions.archive, 3));
    const answer = await invoke(functions.archive, { Records: [recordOf(eventWith(secret))] });
    expect(answer.error).toBeTruthy();
    expect(answer.text).toMatch(/timed out/i);
    expect(answer.text).not.toContain(secret);
  });

  it.each([
    ['archive', 'TypeError', { Records: 'CANARY' }],
    ['archive', 'TypeError', { Records: [{ eventID: { CANARY: 1 }, kinesis: {} }] }],
    [
      'archiveTraces',
      'TypeError',
      { Records: [{ eventID: 'CANARY', kinesis: { data: { a: 'CANARY' } } }] },
    ],
    ['redrive', 'TypeError', { Records: [null, 'CANARY'] }],
    ['auditRetention', 'invalid_interval', { from: 'CANARY' }],
    ['reportRejections', 'invalid_interval', { from: 'CANARY' }],
    ['reconcileHolds', 'invalid_interval', { from: 'CANARY' }],
    ['holds', 'TypeError', { resource: 'CANARY' }],
    ['query', 'TypeError', { path: 'CANARY', requestContext: null }],
    ['ingest', 'TypeError', { resource: 'CANARY' }],
  ] as const)('of %s, which throws %s', async (name, code, event) => {
    const secret = canary();
    const answer = await invoke(
      functions[name],
      JSON.parse(JSON.stringify(event).replaceAll('CANARY', secret)),
    );
    expect(answer.error).toBeTruthy();
    expect(JSON.parse(answer.text)).toMatchObject({ errorMessage: code });
    expect(answer.text).not.toContain(secret);
  });

  it('of redrive, which cannot read its message', async () => {
    const secret = canary();
    const Records = [{ messageId: 'm', body: `{"${secret}` }];
    const { text } = await invoke(functions.redrive, { Records });
    expect(JSON.parse(text)).toEqual({ batchItemFailures: [{ itemIdentifier: 'm' }] });
  });

  it('of a record that cannot be read', async () => {
    const poisons = [
      (secret: string) => `no head ${secret}`,
      (secret: string) => `{"record":1}\n${secret}`,
      (secret: string) => Buffer.from(recordOf(`{"no json ${secret}`).kinesis.data, 'base64'),
      (secret: string) => Buffer.from(recordOf(`{"${secret}": 1}`).kinesis.data, 'base64'),
    ];
    for (const StreamName of Object.values(streams)) {
      const Records = poisons.map((poison) => ({
        PartitionKey: randomUUID(),
        Data: Buffer.from(poison(canary())),
      }));
      await clients.kinesis.send(new PutRecordsCommand({ StreamName, Records }));
    }
    // What follows the poison is stored: it has been through.
    const { json } = await store.store(runEvent());
    expect(json.receiptId).toBeTruthy();
    const sent = span();
    await store.post('/v1/traces', JSON.stringify(spanExport(sent)), 'traces');
    await store.until(`/api/v1/traces/${sent.traceId}`);
  });

  it('leaves its canary nowhere but in the streams', async () => {
    expect(used.length).toBeGreaterThan(20);
    const found = await findEverywhere(environment, [...used, ...CODES], localLogs());
    const { searched } = found;
    const hits = found.hits.filter(({ needle }) => used.includes(needle));
    const logged = found.hits.filter(({ kind }) => kind === 'log').map(({ needle }) => needle);
    expect(CODES.filter((code) => !logged.includes(code))).toEqual([]);
    for (const kind of ['object', 'row', 'log', 'stream'] as const) {
      expect(searched[kind], kind).toBeGreaterThan(4);
    }
    expect(hits.filter(({ kind }) => kind !== 'stream')).toEqual([]);
    expect(hits.length).toBeGreaterThanOrEqual(8);
  });
});
