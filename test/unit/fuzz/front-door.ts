import { strict as assert } from 'node:assert';
import { fromBinary } from '@bufbuild/protobuf';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import fc from 'fast-check';
import { UnavailableError } from '../../../lambdas/domain/errors.ts';
import type { OutgoingRecord } from '../../../lambdas/domain/evidence/ports.ts';
import { decodeStreamRecord } from '../../../lambdas/domain/evidence/stream-record.ts';
import { ExportTraceServiceResponseSchema } from '../../../lambdas/domain/protobuf/otlp-traces_pb.ts';
import { StatusSchema } from '../../../lambdas/domain/protobuf/rpc-status_pb.ts';
import { createHandler as createIngest } from '../../../lambdas/ingest/handler.ts';
import { createHandler as createIngestTraces } from '../../../lambdas/ingest-traces/handler.ts';
import { NOW } from '../../support/builders.ts';
import { SingleEpochKey } from '../../support/fakes/keys.ts';
import { CONTEXT, KEY, metering, producersWith, request } from '../../support/http.ts';
import { showsCanary } from './canary.ts';
import type { Case } from './transport.ts';

/** What a dependency is told to do while a case runs. */
export type Fault =
  | 'none'
  | 'registry'
  | 'epochKeys'
  | 'stream'
  | 'every record'
  | 'every other record';

/** One answer in ten or so is given while something is away. */
export const fault: fc.Arbitrary<Fault> = fc.oneof(
  { weight: 16, arbitrary: fc.constant<Fault>('none') },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Fault>(
      'registry',
      'epochKeys',
      'stream',
      'every record',
      'every other record',
    ),
  },
);

/** A record as the stream has it. */
interface Published {
  readonly receiptId: string;
  readonly bytes: Buffer;
  readonly text: string;
}

/** All that can be seen of a case from outside. */
export interface Outcome {
  readonly answer: APIGatewayProxyResult;
  // biome-ignore lint/suspicious/noExplicitAny: answers are looked into by path
  readonly json: any;
  readonly published: readonly Published[];
}

const ROUTES = {
  '/api/v1/lineage': createIngest,
  '/api/v1/lineage/batch': createIngest,
  '/v1/traces': createIngestTraces,
} as const;

/** Above every whole body here, below the one that does not compress. */
const MAX_RECORD_BYTES = 2_500;

/** The hour that refusals are counted under. */
const HOUR = new Date(NOW).toISOString().slice(0, 13);

const PROTOTYPE_KEYS = Reflect.ownKeys(Object.prototype).length;

/** A receiver with real reading and checking of requests; only what lies behind its ports is faked. */
export function frontDoor(route: keyof typeof ROUTES) {
  let failing: Fault = 'none';
  let taken: OutgoingRecord[] = [];
  const refuse = (wanted: Fault) => {
    if (failing === wanted) throw new UnavailableError('fake');
  };
  const producers = producersWith();
  const epoch = new SingleEpochKey();
  const { counted, dependencies, lines, usage } = metering();
  const handler = ROUTES[route]({
    publisher: {
      publish: async (records) => {
        refuse('stream');
        return records.map((record, index) => {
          if (failing === 'every record') return false;
          if (failing === 'every other record' && index % 2 === 0) return false;
          taken.push(record);
          return true;
        });
      },
    },
    registry: {
      findByKeyId: async (id) => {
        refuse('registry');
        return producers.findByKeyId(id);
      },
      findByRole: async () => undefined,
    },
    epochKeys: {
      at: async () => {
        refuse('epochKeys');
        return epoch.key;
      },
      byEpoch: async () => epoch.key,
    },
    maxRecordBytes: MAX_RECORD_BYTES,
    clock: () => NOW,
    ...dependencies,
  }) as (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult>;

  const statuses = new Set<number>();
  /** Sends a case and holds every promise against it that is the same on all routes. */
  const send = async ({ wire, authenticates }: Case, told: Fault): Promise<Outcome> => {
    [failing, taken] = [told, []];
    lines.length = 0;
    const answer = await handler(request({ ...wire, resource: route, path: route }), CONTEXT);
    const seen = JSON.stringify([answer, lines, counted, await usage.ofHour(HOUR)]);
    assert(!showsCanary(seen), `a piece of the request came out: ${seen}`);
    assert(!seen.includes(KEY), 'the key came out');
    assert.equal(Reflect.ownKeys(Object.prototype).length, PROTOTYPE_KEYS, 'a prototype changed');

    const json = readAnswer(answer);
    judgeStatus(answer, told);
    if (!authenticates && told !== 'registry' && told !== 'epochKeys') {
      assert.equal(answer.statusCode, 401);
      assert.equal(answer.headers?.['www-authenticate'], 'Bearer');
    } else if (authenticates) assert.notEqual(answer.statusCode, 401);
    if (answer.statusCode >= 400) judgeRefusal(route, answer, json);
    statuses.add(answer.statusCode);
    return { answer, json, published: taken.map(decoded) };
  };
  return { send, statuses };
}

function readAnswer({ body, headers, isBase64Encoded, statusCode }: APIGatewayProxyResult) {
  if (headers?.['content-type'] !== 'application/x-protobuf') return JSON.parse(body);
  const bytes = Buffer.from(body, isBase64Encoded ? 'base64' : 'utf8');
  if (statusCode !== 200) {
    const { code, message } = fromBinary(StatusSchema, bytes);
    return { code, message };
  }
  const { partialSuccess } = fromBinary(ExportTraceServiceResponseSchema, bytes);
  return { partialSuccess };
}

function judgeStatus({ statusCode, headers = {} }: APIGatewayProxyResult, told: Fault): void {
  assert([200, 201, 400, 401, 413, 415, 503].includes(statusCode), `answered ${statusCode}`);
  assert.equal(headers['retry-after'], statusCode === 503 ? '2' : undefined);
  assert(statusCode !== 503 || told !== 'none', '503 although nothing was away');
  assert.equal(headers['x-request-id'], 'request-1');
}

/** Java logs the whole of a refusal, so it is short. */
const MAX_REFUSAL_CHARACTERS = 1_000;
const RULE = /^[a-z][a-z0-9_]{2,60}$/;

function judgeRefusal(
  route: string,
  { statusCode, headers = {}, body }: APIGatewayProxyResult,
  // biome-ignore lint/suspicious/noExplicitAny: as above
  json: any,
): void {
  assert(body.length < MAX_REFUSAL_CHARACTERS, `a refusal of ${body.length} characters`);
  if (route === '/v1/traces') {
    assert.match(String(headers['content-type']), /^application\/(json|x-protobuf)$/);
    assert.deepEqual(Object.keys(json), ['code', 'message']);
    assert(Number.isInteger(json.code) && json.message.length > 10);
    return;
  }
  assert.equal(headers['content-type'], 'application/problem+json');
  assert.equal(json.status, statusCode);
  for (const member of ['type', 'title', 'detail', 'instance']) assert(json[member].length > 3);
  for (const { path, rule } of json.errors ?? []) {
    assert(path.startsWith('$'));
    assert.match(rule, RULE);
  }
}

function decoded({ data }: OutgoingRecord): Published {
  const { head, body } = decodeStreamRecord(data);
  const bytes = Buffer.from(body);
  return { receiptId: head.receiptId, bytes, text: bytes.toString('utf8') };
}
