import { traceIdOf } from '../domain/traces/ids.ts';
import { readTrace } from '../domain/traces/read-trace.ts';
import { badTraceId, notFound } from '../shared/http/problem.ts';
import { jsonTextResponse } from '../shared/http/response.ts';
import type { Route } from '../shared/http/router.ts';

export function traceRoutes(dependencies: Parameters<typeof readTrace>[1]): Route[] {
  return [
    {
      path: '/traces/{traceId}',
      handle: async ({ parameters }) => {
        const traceId = traceIdOf(parameters.traceId);
        if (traceId === undefined) throw badTraceId();
        const answer = await readTrace(traceId, dependencies);
        if (answer === undefined) throw notFound('no span and no run names this trace');
        return jsonTextResponse(200, answer);
      },
    },
  ];
}
