import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chosenEmulator } from './emulators/emulators.ts';
import type { Environment } from './environment.ts';
import { UserError } from './errors.ts';
import { startLocal } from './local.ts';
import { removeLocal } from './local-end.ts';
import { claimFolder } from './local-folder.ts';
import { REPOSITORY } from './paths.ts';
import { startDetached } from './process.ts';
import { identify, type ProcessIdentity } from './process-identity.ts';
import type { Progress } from './progress.ts';
import { seed } from './seed.ts';

const GUARDIAN = fileURLToPath(new URL('./guardian.ts', import.meta.url));

/** An environment that lives as long as this process, beside what `npm start` left running. */
export interface Temporary {
  readonly environment: Environment;
  /** Absolute. */
  readonly localDir: string;
  /** Ends everything and removes the folder. */
  readonly remove: () => Promise<void>;
}

/** Starts an environment of the emulator that EMULATOR names, in `.local/<name>-<pid>`. Nothing of it stays, however this process ends. */
export async function startTemporary(name: string, progress?: Progress): Promise<Temporary> {
  const localDir = join(REPOSITORY, '.local', `${name}-${process.pid}`);
  const remove = () => removeLocal(localDir);
  const emulator = chosenEmulator();
  claimFolder(localDir);
  startGuardian(localDir);
  try {
    const options = { localDir, emulator, seed, ...(progress !== undefined && { progress }) };
    return { environment: await startLocal(options), localDir, remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

/**
 * Starts a process that removes the environment in this folder once its owner is gone, however that ended; it ends by
 * itself when the folder is gone. Returns who it is.
 */
export function startGuardian(localDir: string, owner = identify(process.pid)): ProcessIdentity {
  const args = ['--import', 'tsx', GUARDIAN, localDir, JSON.stringify(owner)];
  const started = startDetached(process.execPath, args, {
    log: join(localDir, 'guardian.log'),
    env: process.env,
    cwd: REPOSITORY,
  });
  if (started === undefined) {
    throw new UserError('The guardian of the environment did not start: run the command again.');
  }
  return started;
}
