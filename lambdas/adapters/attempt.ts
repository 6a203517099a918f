import { UnavailableError } from '../domain/errors.ts';

/**
 * Makes a call of which every failure is passing.
 * @param dependency a word for the code that logs carry; messages of an SDK may quote what was sent
 * @throws UnavailableError
 */
export async function attempt<T>(dependency: string, call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw new UnavailableError(dependency, { cause: error });
  }
}
