import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { ChangeDependencies } from '../domain/producers/commit-change.ts';
import type { Scope } from '../domain/producers/registration.ts';
import { type ApiLogger, apiHandler } from '../shared/http/api-handler.ts';
import { type AuthenticationDependencies, authenticate } from '../shared/http/authenticate.ts';
import type { MethodTable } from '../shared/http/methods.ts';
import { notFound } from '../shared/http/problem.ts';
import { explain } from './explain.ts';
import { addProducer, changeProducer, type Handle, listProducers, showProducer } from './routes.ts';

export interface ProducersDependencies extends AuthenticationDependencies, ChangeDependencies {
  readonly logger: ApiLogger;
}

/** Who may call a route, and what it does. */
interface Route {
  readonly scopes: readonly Scope[];
  readonly handle: Handle;
}

/** `admin` may look at everything that it may change. */
const LOOK: readonly Scope[] = ['read', 'admin'];
const CHANGE: readonly Scope[] = ['admin'];

const ROUTES: Readonly<Record<string, Readonly<Record<string, Route>>>> = {
  '/api/v1/producers': {
    GET: { scopes: LOOK, handle: listProducers },
    POST: { scopes: CHANGE, handle: addProducer },
  },
  '/api/v1/producers/{producerId}': {
    GET: { scopes: LOOK, handle: showProducer },
    PATCH: { scopes: CHANGE, handle: changeProducer },
  },
} satisfies MethodTable<'/api/v1/producers' | '/api/v1/producers/{producerId}', Route>;

/** Registers producers, changes them and shows them; a key is in one answer only. */
export function createHandler(dependencies: ProducersDependencies) {
  return apiHandler(
    dependencies.logger,
    async (event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> => {
      const route = ROUTES[event.resource]?.[event.httpMethod];
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
