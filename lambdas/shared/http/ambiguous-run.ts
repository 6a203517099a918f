import { AmbiguousRunError } from '../../domain/openlineage/read-run.ts';
import { HttpProblem } from './problem.ts';

/** The answer for an id that names several runs; every other error as it is. */
export function explainAmbiguity(error: unknown): unknown {
  if (!(error instanceof AmbiguousRunError)) return error;
  return new HttpProblem(
    409,
    'Conflict',
    `this id is no UUID and names a run in each of several groups; repeat with ?submitter= and one of: ${error.groups.join(', ')}`,
  );
}
