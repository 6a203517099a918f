import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import { methodNotAllowed } from './methods.ts';
import { notFound } from './problem.ts';

/** What a route gets: decoded path parameters and query, both compared byte for byte from here on. */
interface RouteRequest {
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | undefined>>;
}

type RouteHandler = (request: RouteRequest) => Promise<APIGatewayProxyResult>;

export interface Route {
  /** Segments separated by `/`; `{name}` takes one segment. */
  readonly path: string;
  readonly handle: RouteHandler;
}

/**
 * Finds what answers a GET request; nothing runs before the result is called. A trailing slash is no other resource.
 * @throws HttpProblem 404 for an unknown path, 405 for another method: neither needs a key
 */
export function findRoute(
  routes: readonly Route[],
  event: APIGatewayProxyEvent,
): () => Promise<APIGatewayProxyResult> {
  const segments = segmentsOf(event.pathParameters?.proxy ?? event.path);
  const query = event.queryStringParameters ?? {};
  for (const { path, handle } of routes) {
    const parameters = matchPath(segmentsOf(path), segments);
    if (!parameters) continue;
    if (event.httpMethod !== 'GET') throw methodNotAllowed(['GET']);
    return () => handle({ parameters, query });
  }
  throw notFound('there is nothing at this path; see the list of routes in the documentation');
}

function segmentsOf(path: string): string[] {
  return path.split('/').filter((segment) => segment !== '');
}

function matchPath(
  pattern: readonly string[],
  segments: readonly string[],
): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const parameters: Record<string, string> = {};
  for (const [i, expected] of pattern.entries()) {
    const segment = segments[i] as string;
    if (expected.startsWith('{')) parameters[expected.slice(1, -1)] = segment;
    else if (expected !== segment) return undefined;
  }
  return parameters;
}
