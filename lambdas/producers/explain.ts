import {
  ProducerConflictError,
  UnknownProducerError,
} from '../domain/producers/change-producer.ts';
import { InvalidRegistrationError } from '../domain/producers/check-registration.ts';
import { HttpProblem, notFound } from '../shared/http/problem.ts';

/** The answer for what the caller can put right; every other error as it is. */
export function explain(error: unknown): unknown {
  if (error instanceof InvalidRegistrationError) {
    return new HttpProblem(400, 'Bad Request', 'the request breaks a rule; see errors', {
      errors: error.violations,
    });
  }
  if (error instanceof ProducerConflictError) {
    return new HttpProblem(409, 'Conflict', error.message, {
      errors: [{ path: '$', rule: error.code }],
    });
  }
  return error instanceof UnknownProducerError ? notFound(error.message) : error;
}
