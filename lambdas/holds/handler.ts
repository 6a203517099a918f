import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { DocumentVault, EvidenceVault } from '../domain/evidence/ports.ts';
import type { ReconcileHoldDependencies } from '../domain/holds/reconcile-hold.ts';
import type { Scope } from '../domain/producers/registration.ts';
import { type ApiLogger, apiHandler } from '../shared/http/api-handler.ts';
import { type AuthenticationDependencies, authenticate } from '../shared/http/authenticate.ts';
import type { MethodTable } from '../shared/http/methods.ts';
import { notFound } from '../shared/http/problem.ts';
import { explain } from './explain.ts';
import { type Handle, listHolds, releaseRun, setOnRun } from './routes.ts';

export interface HoldsDependencies
  extends AuthenticationDependencies,
    Omit<ReconcileHoldDependencies, 'vault'> {
  readonly vault: EvidenceVault & DocumentVault;
  readonly logger: ApiLogger;
}

/** Who may call a route, and what it does. */
interface Route {
  readonly scopes: readonly Scope[];
  readonly handle: Handle;
}

const ROUTES: Readonly<Record<string, Readonly<Record<string, Route>>>> = {
  '/api/v1/hold': {
    PUT: { scopes: ['hold'], handle: setOnRun },
    DELETE: { scopes: ['hold'], handle: releaseRun },
  },
  '/api/v1/holds': { GET: { scopes: ['hold', 'audit'], handle: listHolds } },
} satisfies MethodTable<'/api/v1/hold' | '/api/v1/holds', Route>;

/** Sets, releases and lists legal holds. */
export function createHandler(dependencies: HoldsDependencies) {
  return apiHandler(
    dependencies.logger,
    async (event: APIGatewayProxyEvent): Promise<APIGatewayProxyResult> => {
      const route = ROUTES[event.resource]?.[event.httpMethod];
      if (!route) throw notFound('there is nothing at this path');
      const { producerId } = await authenticate(event, route.scopes, dependencies);
      try {
        return await route.handle(event, producerId, dependencies);
      } catch (error) {
        throw explain(error);
      }
    },
  );
}
