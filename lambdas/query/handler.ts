import type { ReadDeliveryDependencies } from '../domain/evidence/read-delivery.ts';
import type { ReadRunDependencies } from '../domain/openlineage/read-run.ts';
import { type ApiLogger, apiHandler } from '../shared/http/api-handler.ts';
import { type AuthenticationDependencies, authenticate } from '../shared/http/authenticate.ts';
import { unavailable } from '../shared/http/problem.ts';
import { jsonResponse } from '../shared/http/response.ts';
import { findRoute, type Route } from '../shared/http/router.ts';
import { eventRoutes } from './event-routes.ts';
import type { HealthCheck } from './health.ts';
import { runRoutes } from './run-routes.ts';
import { traceRoutes } from './trace-routes.ts';

export interface QueryDependencies
  extends ReadRunDependencies,
    ReadDeliveryDependencies,
    AuthenticationDependencies {
  readonly health: HealthCheck;
  readonly logger: ApiLogger;
}

/** Answers what the store knows. Every route but the health check needs a key with the scope `read`. */
export function createHandler(dependencies: QueryDependencies) {
  const routes: readonly Route[] = [
    ...runRoutes(dependencies),
    ...eventRoutes(dependencies),
    ...traceRoutes(dependencies),
  ];
  return apiHandler(dependencies.logger, async (event) => {
    if (event.resource === '/health') {
      if (!(await dependencies.health.isHealthy())) throw unavailable();
      return jsonResponse(200, { status: 'ok' });
    }
    const answer = findRoute(routes, event);
    await authenticate(event, 'read', dependencies);
    return answer();
  });
}
