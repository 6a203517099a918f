import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { ChangeRefusedError, ownSentence } from '../../domain/errors.ts';
import type { Scope } from '../../domain/producers/registration.ts';
import { explainAmbiguity } from './ambiguous-run.ts';
import { type ApiLogger, apiHandler } from './api-handler.ts';
import { type AuthenticationDependencies, authenticate } from './authenticate.ts';
import { HttpProblem, notFound } from './problem.ts';

/** @param by id of the producer whose key or role asks */
export type Handle<Dependencies> = (
  event: APIGatewayProxyEvent,
  by: string,
  dependencies: Dependencies,
) => Promise<APIGatewayProxyResult>;

/** Who may call a route, and what it does. */
export interface Route<Dependencies> {
  readonly scopes: readonly Scope[];
  readonly handle: Handle<Dependencies>;
}

export interface AdministrationDependencies extends AuthenticationDependencies {
  readonly logger: ApiLogger;
}

/** An API function by which people change what is registered: each route for those with one of its scopes. */
export function administrationHandler<Dependencies extends AdministrationDependencies>(
  routes: Readonly<Record<string, Readonly<Record<string, Route<Dependencies>>>>>,
  dependencies: Dependencies,
) {
  return apiHandler(dependencies.logger, async (event) => {
    const route = routes[event.resource]?.[event.httpMethod];
    if (!route) throw notFound('there is nothing at this path');
    const { producerId } = await authenticate(event, route.scopes, dependencies);
    try {
      return await route.handle(event, producerId, dependencies);
    } catch (error) {
      throw explain(error);
    }
  });
}

const ANSWERS = {
  invalid: [400, 'Bad Request'],
  unknown: [404, 'Not Found'],
  conflict: [409, 'Conflict'],
} as const;

/** The answer for what the caller can put right; every other error as it is. */
function explain(error: unknown): unknown {
  if (!(error instanceof ChangeRefusedError)) return explainAmbiguity(error);
  const [status, title] = ANSWERS[error.refused];
  return new HttpProblem(status, title, ownSentence(error), { errors: error.violations });
}
