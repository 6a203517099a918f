import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { CloudWatchClient, paginateListMetrics } from '@aws-sdk/client-cloudwatch';
import {
  CloudWatchLogsClient,
  paginateDescribeLogGroups,
  paginateFilterLogEvents,
} from '@aws-sdk/client-cloudwatch-logs';
import { paginateListTables, paginateScan } from '@aws-sdk/client-dynamodb';
import {
  GetRecordsCommand,
  GetShardIteratorCommand,
  ListShardsCommand,
  paginateListStreams,
} from '@aws-sdk/client-kinesis';
import { GetObjectCommand, ListBucketsCommand } from '@aws-sdk/client-s3';
import {
  ChangeMessageVisibilityCommand,
  paginateListQueues,
  ReceiveMessageCommand,
} from '@aws-sdk/client-sqs';
import { clientConfig } from '../../localstack/aws.ts';
import type { Environment } from '../../localstack/environment.ts';
import { StoreClient } from './store-client.ts';

/** A needle that was found. The place is told, the content is not. */
export interface Hit {
  readonly kind: 'object' | 'row' | 'log' | 'metric' | 'message' | 'file' | 'stream';
  /** Name of the bucket, table, log group, queue, file or stream, with the key or number in it. */
  readonly where: string;
  readonly needle: string;
}

/** Something stored, and all of its bytes. */
interface Held extends Pick<Hit, 'kind' | 'where'> {
  readonly bytes: readonly Uint8Array[];
}

/** What was looked through, so that a test can tell that it looked at all. */
export type Searched = Readonly<Record<Hit['kind'], number>>;

/**
 * Looks through all that a local deployment stores: every version of every object in every bucket with its key and
 * metadata, every table row, every line of every log group, every metric's name and dimensions, every message of
 * every queue, every stream record, and files of the machine that hold logs. A needle is found in any case, as it
 * is, in hex or in base64 at any offset, also inside gzip. HTTP answers are stored nowhere: look through them yourself.
 *
 * Messages of the queues are received and given back, which counts as a delivery of each.
 *
 * @param needles of letters and digits, long enough (12 or more) to be no chance
 * @param files paths of logs outside the deployment, such as the emulator's own
 */
export async function findEverywhere(
  environment: Environment,
  needles: readonly string[],
  files: readonly string[] = [],
): Promise<{ readonly hits: readonly Hit[]; readonly searched: Searched }> {
  const forms = needles.map((needle) => ({
    needle,
    plain: needle.toLowerCase(),
    coded: codings(needle),
  }));
  const hits: Hit[] = [];
  const searched = { object: 0, row: 0, log: 0, metric: 0, message: 0, file: 0, stream: 0 };
  for await (const { kind, where, bytes } of everythingHeld(environment, files)) {
    searched[kind]++;
    const texts = bytes.flatMap(readings);
    for (const { needle, plain, coded } of forms) {
      const isHeld = texts.some(
        (text) => text.toLowerCase().includes(plain) || coded.some((form) => text.includes(form)),
      );
      if (isHeld) hits.push({ kind, where, needle });
    }
  }
  return { hits, searched };
}

async function* everythingHeld(
  environment: Environment,
  files: readonly string[],
): AsyncGenerator<Held> {
  const store = new StoreClient(environment);
  yield* objects(store);
  yield* rows(store);
  yield* logLines(environment);
  yield* metrics(environment);
  yield* messages(store);
  yield* streamRecords(store);
  for (const file of files) yield { kind: 'file', where: file, bytes: [readFileSync(file)] };
}

async function* objects(store: StoreClient): AsyncGenerator<Held> {
  const { Buckets = [] } = await store.clients.s3.send(new ListBucketsCommand({}));
  for (const { Name: bucket } of Buckets as Array<{ Name: string }>) {
    for (const { key, versionId, deleteMarker } of await store.versions(bucket)) {
      const where = `${bucket}/${key}@${versionId}`;
      if (deleteMarker) {
        yield { kind: 'object', where, bytes: [Buffer.from(key)] };
        continue;
      }
      const {
        Body,
        $metadata: _,
        ...members
      } = await store.clients.s3.send(
        new GetObjectCommand({ Bucket: bucket, Key: key, VersionId: versionId }),
      );
      const body = await (Body as NonNullable<typeof Body>).transformToByteArray();
      yield { kind: 'object', where, bytes: [Buffer.from(key), json(members), body] };
    }
  }
}

async function* rows({ clients: { dynamodb: client } }: StoreClient): AsyncGenerator<Held> {
  for await (const { TableNames = [] } of paginateListTables({ client }, {})) {
    for (const TableName of TableNames) {
      let n = 0;
      for await (const { Items = [] } of paginateScan({ client }, { TableName })) {
        for (const item of Items) {
          yield {
            kind: 'row',
            where: `${TableName}#${n++}`,
            bytes: [json(item), ...binaries(item)],
          };
        }
      }
    }
  }
}

async function* logLines({ endpointUrl }: Environment): AsyncGenerator<Held> {
  const client = new CloudWatchLogsClient(clientConfig(endpointUrl));
  for await (const { logGroups = [] } of paginateDescribeLogGroups({ client }, {})) {
    for (const { logGroupName } of logGroups) {
      let n = 0;
      for await (const { events = [] } of paginateFilterLogEvents({ client }, { logGroupName })) {
        for (const event of events) {
          yield { kind: 'log', where: `${logGroupName}#${n++}`, bytes: [json(event)] };
        }
      }
    }
  }
}

async function* metrics({ endpointUrl }: Environment): AsyncGenerator<Held> {
  const client = new CloudWatchClient(clientConfig(endpointUrl));
  for await (const { Metrics = [] } of paginateListMetrics({ client }, {})) {
    for (const metric of Metrics) {
      yield {
        kind: 'metric',
        where: `${metric.Namespace}/${metric.MetricName}`,
        bytes: [json(metric)],
      };
    }
  }
}

/** Longer than a look at a queue takes; the messages are given back before. */
const VISIBILITY_SECONDS = 30;

async function* messages({ clients, environment }: StoreClient): AsyncGenerator<Held> {
  const { sqs: client } = clients;
  for await (const { QueueUrls = [] } of paginateListQueues({ client }, {})) {
    for (const listed of QueueUrls) {
      const QueueUrl = environment.endpointUrl + new URL(listed).pathname;
      const receipts: string[] = [];
      for (;;) {
        const { Messages = [] } = await client.send(
          new ReceiveMessageCommand({
            ...{ QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: VISIBILITY_SECONDS },
            ...{ MessageAttributeNames: ['All'], MessageSystemAttributeNames: ['All'] },
          }),
        );
        if (Messages.length === 0) break;
        for (const message of Messages) {
          receipts.push(message.ReceiptHandle as string);
          yield {
            kind: 'message',
            where: `${QueueUrl}#${message.MessageId}`,
            bytes: [json(message)],
          };
        }
      }
      for (const ReceiptHandle of receipts) {
        await client.send(
          new ChangeMessageVisibilityCommand({ QueueUrl, ReceiptHandle, VisibilityTimeout: 0 }),
        );
      }
    }
  }
}

async function* streamRecords({ clients }: StoreClient): AsyncGenerator<Held> {
  const { kinesis: client } = clients;
  for await (const { StreamNames = [] } of paginateListStreams({ client }, {})) {
    for (const StreamName of StreamNames) {
      const { Shards = [] } = await client.send(new ListShardsCommand({ StreamName }));
      for (const { ShardId } of Shards) {
        const start = { StreamName, ShardId, ShardIteratorType: 'TRIM_HORIZON' as const };
        let next = (await client.send(new GetShardIteratorCommand(start))).ShardIterator;
        while (next) {
          const page = await client.send(new GetRecordsCommand({ ShardIterator: next }));
          for (const { Data, PartitionKey, SequenceNumber } of page.Records ?? []) {
            const where = `${StreamName}/${ShardId}#${SequenceNumber}`;
            yield { kind: 'stream', where, bytes: [Data as Uint8Array, json(PartitionKey)] };
          }
          next = (page.Records ?? []).length > 0 ? page.NextShardIterator : undefined;
        }
      }
    }
  }
}

const json = (value: unknown) => Buffer.from(JSON.stringify(value) ?? '');

/** Binary attributes of a row, at any depth. */
function binaries(value: unknown): Uint8Array[] {
  if (value instanceof Uint8Array) return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(binaries);
}

/** What the bytes say, packed and unpacked. */
function readings(bytes: Uint8Array): string[] {
  const whole = Buffer.from(bytes);
  return [whole, unpacked(whole)].flatMap((read) => read?.toString('latin1') ?? []);
}

function unpacked(bytes: Buffer): Buffer | undefined {
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return undefined;
  try {
    return gunzipSync(bytes);
  } catch {
    return undefined; // Other tests put objects here that only look like evidence.
  }
}

/** Hex, and base64 at each of the three offsets, without the characters at its ends that depend on what is around. */
function codings(needle: string): string[] {
  const base64 = [0, 1, 2].map((offset) => {
    const encoded = Buffer.from('\0'.repeat(offset) + needle)
      .toString('base64')
      .replace(/=+$/, '');
    const tail = (offset + needle.length) % 3 === 0 ? 0 : 1;
    return encoded.slice(offset === 0 ? 0 : offset + 1, encoded.length - tail);
  });
  const hex = Buffer.from(needle).toString('hex');
  return [hex, hex.toUpperCase(), ...base64];
}
