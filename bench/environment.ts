import { recordedEmulator } from '../localstack/emulator-life.ts';
import { type Environment, readEnvironment } from '../localstack/environment.ts';
import { readKnobs } from '../localstack/knobs.ts';
import { isRunning } from '../localstack/process-identity.ts';
import { startTemporary } from '../localstack/temporary.ts';

/** Does something with the environment that runs, or with one of its own that ends with it. */
export async function withEnvironment<T>(
  work: (environment: Environment) => Promise<T>,
): Promise<T> {
  const running = findRunning();
  if (running) return work(running);
  const { environment, remove } = await startTemporary('bench');
  try {
    return await work(environment);
  } finally {
    await remove();
  }
}

function findRunning(): Environment | undefined {
  const { localDir } = readKnobs();
  try {
    return isRunning(recordedEmulator(localDir).process) ? readEnvironment(localDir) : undefined;
  } catch {
    return undefined; // nothing was ever started there
  }
}
