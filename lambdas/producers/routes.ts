import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { retentionClasses } from '../domain/evidence/retention.ts';
import { JsonDocument } from '../domain/json/document.ts';
import { findOddities, type TextOddity } from '../domain/json/oddities.ts';
import { registerProducer } from '../domain/producers/change-producer.ts';
import { changeAsAsked } from '../domain/producers/change-request.ts';
import { checkRegistration } from '../domain/producers/check-registration.ts';
import type { ChangeDependencies, ChangedProducer } from '../domain/producers/commit-change.ts';
import { type ChangedBy, viewProducer } from '../domain/producers/producer.ts';
import {
  InvalidRegistrationError,
  UnknownProducerError,
} from '../domain/producers/producer-errors.ts';
import { readBody } from '../shared/http/body.ts';
import { HttpProblem } from '../shared/http/problem.ts';
import { jsonResponse } from '../shared/http/response.ts';

export type Handle = (
  event: APIGatewayProxyEvent,
  by: ChangedBy,
  dependencies: ChangeDependencies,
) => Promise<APIGatewayProxyResult>;

const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 1_000;
const WHOLE = /^\d{1,4}$/;
/** A sort key of the producers' partition. */
const CURSOR = /^[0-9a-f]{64}$/;

export const listProducers: Handle = async (event, _by, { directory }) => {
  const { limit: asked, cursor } = event.queryStringParameters ?? {};
  const limit = asked === undefined ? DEFAULT_LIMIT : Number(WHOLE.exec(asked)?.[0]);
  if (!(limit >= 1 && limit <= MAX_LIMIT)) {
    throw new HttpProblem(400, 'Bad Request', `limit is a whole number from 1 to ${MAX_LIMIT}`);
  }
  if (cursor !== undefined && !CURSOR.test(cursor)) {
    throw new HttpProblem(400, 'Bad Request', 'the cursor is none that a page ended with');
  }
  const { producers, next } = await directory.list(limit, cursor);
  return jsonResponse(200, { items: producers.map(viewProducer), cursor: next ?? null });
};

export const showProducer: Handle = async (event, _by, { directory }) => {
  const producer = await directory.find(idOf(event));
  if (!producer) throw new UnknownProducerError();
  return jsonResponse(200, viewProducer(producer));
};

export const addProducer: Handle = async (event, by, dependencies) => {
  const registration = checkRegistration(bodyOf(event), retentionClasses(dependencies.retention));
  return answer(201, await registerProducer(registration, by, dependencies));
};

export const changeProducer: Handle = async (event, by, dependencies) =>
  answer(200, await changeAsAsked(idOf(event), bodyOf(event), by, dependencies));

function idOf(event: APIGatewayProxyEvent): string {
  return event.pathParameters?.producerId ?? '';
}

/** The parser's own message would quote the body, which may hold what its sender takes for a secret. */
function bodyOf(event: APIGatewayProxyEvent): unknown {
  const { text } = readBody(event);
  let oddities: ReadonlySet<TextOddity>;
  let body: unknown;
  try {
    oddities = findOddities(new JsonDocument(text));
    body = JSON.parse(text);
  } catch {
    throw new InvalidRegistrationError([{ path: '$', rule: 'json' }]);
  }
  // Readers differ on which of two members counts, and one of them may have let the request through.
  if (oddities.has('duplicate_keys')) {
    throw new InvalidRegistrationError([{ path: '$', rule: 'duplicate_keys' }]);
  }
  return body;
}

function answer(status: number, { producer, key }: ChangedProducer): APIGatewayProxyResult {
  const response = jsonResponse(status, {
    ...viewProducer(producer),
    ...(key !== undefined && { key }),
  });
  return { ...response, headers: { ...response.headers, 'cache-control': 'no-store' } };
}
