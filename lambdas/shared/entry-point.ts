import { Logger } from '@aws-lambda-powertools/logger';
import { errorCode } from '../domain/errors.ts';

/** All that leaves a function which fails: our own code, or the name of a foreign error. */
class FunctionFailedError extends Error {
  override readonly name = 'FunctionFailedError';

  constructor(code: string) {
    super(code);
    // The runtime logs and answers the stack, and the one of this place says nothing.
    this.stack = `${this.name}: ${code}`;
  }
}

/**
 * Exports a handler as a function. The runtime writes what is thrown into the log and into the answer: message,
 * stack, cause and every member, and messages of SDKs, parsers and validators quote what they were given.
 * @throws FunctionFailedError in the place of whatever the handler throws
 */
export function entryPoint<Event, Context, Answer>(
  handle: (event: Event, context: Context) => Promise<Answer>,
): (event: Event, context: Context) => Promise<Answer> {
  endOnFatalErrors();
  return async (event, context) => {
    endOnFatalErrors();
    try {
      return await handle(event, context);
    } catch (error) {
      throw new FunctionFailedError(errorCode(error));
    }
  };
}

const logger = new Logger();

/** What no handler sees. The runtime's listeners print it whole, so ours stand alone, whenever it added its own. */
function endOnFatalErrors(): void {
  for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
    process.removeAllListeners(event).on(event, end);
  }
}

/** Ends the process, as the runtime does after either: Lambda answers for it with `Runtime.ExitError`. */
function end(error: unknown): never {
  logger.error('function ended', { code: errorCode(error) });
  process.exit(1);
}
