import { traceIdOf } from '../domain/traces/ids.ts';
import { readTrace } from '../domain/traces/read-trace.ts';
import { HttpProblem, jsonTextResponse, notFound } from '../shared/http/problem.ts';
import type { Route } from '../shared/http/router.ts';
import type { ReadDependencies } from './run-routes.ts';

export function traceRoutes(dependencies: ReadDependencies): Route[] {
  return [
    {
      path: '/traces/{traceId}',
      handle: async ({ parameters }) => {
        const traceId = traceIdOf(parameters.traceId);
        if (traceId === undefined) {
          throw new HttpProblem(400, 'Bad Request', 'a trace id is 32 hex digits and not all zero');
        }
        const answer = await readTrace(traceId, dependencies);
        if (answer === undefined) throw notFound('no span and no run names this trace');
        return jsonTextResponse(200, answer);
      },
    },
  ];
}
