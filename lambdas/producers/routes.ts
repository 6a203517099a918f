import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { retentionClasses } from '../domain/evidence/retention.ts';
import { registerProducer } from '../domain/producers/change-producer.ts';
import { changeAsAsked } from '../domain/producers/change-request.ts';
import { checkRegistration } from '../domain/producers/check-registration.ts';
import type { ChangeDependencies, ChangedProducer } from '../domain/producers/commit-change.ts';
import { type ChangedBy, viewProducer } from '../domain/producers/producer.ts';
import {
  InvalidRegistrationError,
  UnknownProducerError,
} from '../domain/producers/producer-errors.ts';
import type { Handle } from '../shared/http/administration.ts';
import { readJsonBody } from '../shared/http/json-body.ts';
import { pageOf } from '../shared/http/page.ts';
import { jsonResponse } from '../shared/http/response.ts';

export const listProducers: Handle<ChangeDependencies> = async (event, _by, { directory }) => {
  const { cursor, limit } = pageOf(event);
  const { producers, next } = await directory.list(limit, cursor);
  return jsonResponse(200, { items: producers.map(viewProducer), cursor: next ?? null });
};

export const showProducer: Handle<ChangeDependencies> = async (event, _by, { directory }) => {
  const producer = await directory.find(idOf(event));
  if (!producer) throw new UnknownProducerError();
  return jsonResponse(200, viewProducer(producer));
};

export const addProducer: Handle<ChangeDependencies> = async (event, by, dependencies) => {
  const registration = checkRegistration(bodyOf(event), retentionClasses(dependencies.retention));
  return answer(201, await registerProducer(registration, askedBy(by), dependencies));
};

export const changeProducer: Handle<ChangeDependencies> = async (event, by, dependencies) =>
  answer(200, await changeAsAsked(idOf(event), bodyOf(event), askedBy(by), dependencies));

const askedBy = (producerId: string): ChangedBy => ({ via: 'api', producerId });

function idOf(event: APIGatewayProxyEvent): string {
  return event.pathParameters?.producerId ?? '';
}

function bodyOf(event: APIGatewayProxyEvent): unknown {
  return readJsonBody(event, (rule) => new InvalidRegistrationError([{ path: '$', rule }]));
}

function answer(status: number, { producer, key }: ChangedProducer): APIGatewayProxyResult {
  const response = jsonResponse(status, {
    ...viewProducer(producer),
    ...(key !== undefined && { key }),
  });
  return { ...response, headers: { ...response.headers, 'cache-control': 'no-store' } };
}
