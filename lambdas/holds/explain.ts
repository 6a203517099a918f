import { ownSentence } from '../domain/errors.ts';
import { HoldRefusedError } from '../domain/holds/hold-errors.ts';
import { explainAmbiguity } from '../shared/http/ambiguous-run.ts';
import { HttpProblem } from '../shared/http/problem.ts';

const ANSWERS = {
  invalid: [400, 'Bad Request'],
  unknown: [404, 'Not Found'],
  conflict: [409, 'Conflict'],
} as const;

/** The answer for what the caller can put right; every other error as it is. */
export function explain(error: unknown): unknown {
  if (!(error instanceof HoldRefusedError)) return explainAmbiguity(error);
  const [status, title] = ANSWERS[error.refused];
  return new HttpProblem(status, title, ownSentence(error), { errors: error.violations });
}
