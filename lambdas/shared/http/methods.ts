import type { APIGatewayProxyEvent } from 'aws-lambda';
import { HttpProblem } from './problem.ts';

/**
 * The methods of every resource of the API that has a fixed set. The gateway passes all of them on, because its own
 * answer to a wrong one cannot be told from the answer to an unknown path. What lies behind `{proxy+}` is for GET only
 * and known to its router.
 */
export const RESOURCE_METHODS = {
  '/health': ['GET', 'HEAD'],
  '/v1/traces': ['POST'],
  '/api/v1/lineage': ['POST'],
  '/api/v1/lineage/batch': ['POST'],
  '/api/v1/producers': ['GET', 'POST'],
  '/api/v1/producers/{producerId}': ['GET', 'PATCH'],
  '/api/v1/hold': ['PUT', 'DELETE'],
  '/api/v1/holds': ['GET'],
} as const;

type ResourceMethods = typeof RESOURCE_METHODS;

/** What answers each method of some resources: with one too few or too many it does not compile. */
export type MethodTable<Resource extends keyof ResourceMethods, T> = {
  readonly [R in Resource]: { readonly [Method in ResourceMethods[R][number]]: T };
};

const METHODS: ReadonlyMap<string, readonly string[]> = new Map(Object.entries(RESOURCE_METHODS));

/** @throws HttpProblem 405 with `Allow` (RFC 9110, 15.5.6) */
export function refuseOtherMethods({ httpMethod, resource }: APIGatewayProxyEvent): void {
  const methods = METHODS.get(resource);
  if (methods && !methods.includes(httpMethod)) throw methodNotAllowed(methods);
}

export function methodNotAllowed(methods: readonly string[]): HttpProblem {
  const allow = methods.join(', ');
  return new HttpProblem(405, 'Method Not Allowed', `this resource takes ${allow} only`, {
    headers: { allow },
  });
}
