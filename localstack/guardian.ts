import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { runEntryPoint, UserError } from './errors.ts';
import { isRunning } from './process-identity.ts';

/** A look costs a read of /proc, or one ps; what was left behind may stay for a second. */
const LOOK_MILLIS = 1_000;

await runEntryPoint(async () => {
  const [, , localDir, owner] = process.argv;
  if (localDir === undefined || owner === undefined) {
    throw new UserError('The guardian is started with an environment: run npm test.');
  }
  const identity = JSON.parse(owner);
  // The folder goes when the environment is taken down in the normal way.
  while (isRunning(identity) && existsSync(localDir)) await sleep(LOOK_MILLIS);
  if (!existsSync(localDir)) return;
  // Loaded late: the SDK clients would only take memory from the tests.
  const { removeLocal } = await import('./local-end.ts');
  await removeLocal(localDir);
});
