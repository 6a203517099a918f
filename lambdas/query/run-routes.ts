import { type ReadRunDependencies, readRun } from '../domain/openlineage/read-run.ts';
import { explainAmbiguity } from '../shared/http/ambiguous-run.ts';
import { HttpProblem, notFound } from '../shared/http/problem.ts';
import { jsonResponse } from '../shared/http/response.ts';
import type { Route } from '../shared/http/router.ts';

export function runRoutes(dependencies: ReadRunDependencies): Route[] {
  const answer = async (runId: string, submitter: string | undefined) => {
    const view = await readRun(runId, submitter, dependencies).catch((error) => {
      throw explainAmbiguity(error);
    });
    if (!view) {
      throw notFound(
        submitter === undefined
          ? 'no event, span or other run names this run'
          : 'nothing of this run comes from that submitter; leave out ?submitter= to see who sent it',
      );
    }
    return jsonResponse(200, view);
  };
  return [
    {
      path: '/runs/{runId}',
      handle: ({ parameters, query }) => answer(parameters.runId as string, query.submitter),
    },
    {
      path: '/run',
      handle: ({ query }) => {
        if (!query.runId) throw new HttpProblem(400, 'Bad Request', 'give the run id: ?runId=');
        return answer(query.runId, query.submitter);
      },
    },
  ];
}
