import { join } from 'node:path';
import { recordedEmulator } from '../localstack/emulator-life.ts';
import { type Environment, readEnvironment } from '../localstack/environment.ts';
import { readKnobs } from '../localstack/knobs.ts';
import { removeLocal, startLocal } from '../localstack/local.ts';
import { REPOSITORY } from '../localstack/paths.ts';
import { isRunning } from '../localstack/process-identity.ts';
import { seed } from '../localstack/seed.ts';

/** Beside what `npm start` left running, never on top of it. */
const OWN_LOCAL_DIR = join(REPOSITORY, '.local', 'bench');

/** Does something with the environment that runs, or with one of its own that ends with it. */
export async function withEnvironment<T>(
  work: (environment: Environment) => Promise<T>,
): Promise<T> {
  const running = findRunning();
  if (running) return work(running);
  const interrupted = () => void removeLocal(OWN_LOCAL_DIR).finally(() => process.exit(130));
  process.once('SIGINT', interrupted);
  try {
    return await work(await startLocal({ localDir: OWN_LOCAL_DIR, seed }));
  } finally {
    process.off('SIGINT', interrupted);
    await removeLocal(OWN_LOCAL_DIR);
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
