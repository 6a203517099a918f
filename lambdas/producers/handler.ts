import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { ChangeDependencies } from '../domain/producers/change-producer.ts';
import { type ApiLogger, apiHandler } from '../shared/http/api-handler.ts';
import { type AuthenticationDependencies, authenticate } from '../shared/http/authenticate.ts';
import { notFound } from '../shared/http/problem.ts';
import { explain } from './explain.ts';
import { addProducer, changeProducer, listProducers, showProducer } from './routes.ts';

export interface ProducersDependencies extends AuthenticationDependencies, ChangeDependencies {
  readonly logger: ApiLogger;
}

/** Who may call a route, and what it does. `admin` may look at everything that it may change. */
const LOOK = ['read', 'admin'] as const;
const CHANGE = ['admin'] as const;

const routes = new Map([
  ['GET /api/v1/producers', { scopes: LOOK, handle: listProducers }],
  ['POST /api/v1/producers', { scopes: CHANGE, handle: addProducer }],
  ['GET /api/v1/producers/{producerId}', { scopes: LOOK, handle: showProducer }],
  ['PATCH /api/v1/producers/{producerId}', { scopes: CHANGE, handle: changeProducer }],
] as const);

/** Registers producers, changes them and shows them; a key is in one answer only. */
export function createHandler(dependencies: ProducersDependencies) {
  return apiHandler(
    dependencies.logger,
    async (event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> => {
      const route = routes.get(`${event.httpMethod} ${event.resource}` as never);
      if (!route) throw notFound('there is nothing at this path');
      const { producerId } = await authenticate(event, route.scopes, dependencies);
      try {
        return await route.handle(event, { via: 'api', producerId }, dependencies);
      } catch (error) {
        throw explain(error);
      }
    },
  );
}
