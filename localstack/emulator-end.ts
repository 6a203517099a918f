import { rmSync } from 'node:fs';
import { createClients } from './clients.ts';
import type { Emulator } from './emulator-record.ts';
import { emulatorOf } from './emulators/emulators.ts';
import { readJson } from './json-file.ts';
import { restoreLocks, saveLocks } from './object-locks.ts';
import type { LocalPaths } from './paths.ts';
import { endGroup, killGroup } from './process.ts';
import { identify, isRunning } from './process-identity.ts';

/** Saving a full state took under 2 s; afterwards the group is killed. */
const STOP_MILLIS = 30_000;
/** For one that saves nothing: LocalStack takes up to half a minute to end by itself, and nothing depends on it. */
const NOTHING_TO_SAVE_MILLIS = 5_000;

/** Ends the recorded emulator, with its data saved where it keeps any. Returns whether one was running. */
export async function stopEmulator(paths: LocalPaths): Promise<boolean> {
  const recorded = readJson<Emulator>(paths.emulatorRecord);
  if (recorded === undefined) return false;
  if (!isRunning(recorded.process)) {
    // A crash: the record stays, so that the next start knows that the state is not to be trusted.
    endLeftOvers(recorded);
    return false;
  }
  if (!emulatorOf(recorded.name).keepsData) {
    await endGroup(recorded.process, NOTHING_TO_SAVE_MILLIS);
    wipeState(paths);
    return true;
  }
  const locksSaved = await trySaveLocks(recorded, paths);
  const stateSaved = await endGroup(recorded.process, STOP_MILLIS);
  // What is not saved whole is not trusted: the record stays, and the next start wipes.
  if (locksSaved && stateSaved) rmSync(paths.emulatorRecord, { force: true });
  return true;
}

async function trySaveLocks({ endpoint }: Emulator, paths: LocalPaths): Promise<boolean> {
  try {
    const { s3 } = createClients(endpoint);
    await restoreLocks(s3, paths.objectLocks);
    await saveLocks(s3, paths.objectLocks);
    return true;
  } catch {
    return false;
  }
}

/** Removes everything that depends on the emulator's state: its data, checkpoints, keys and deployment records. */
export function wipeState(paths: LocalPaths): void {
  for (const path of [
    paths.emulatorData,
    paths.eventSource,
    paths.environment,
    paths.workload,
    paths.outputs,
    paths.deployment,
    paths.emulatorRecord,
  ]) {
    rmSync(path, { recursive: true, force: true });
  }
}

/** State is saved at a clean end only, so after a crash both persistence folders are inconsistent. */
export function discardCrashed(recorded: Emulator, paths: LocalPaths): void {
  endLeftOvers(recorded);
  wipeState(paths);
}

/** Ends workers whose leader is dead. The system gives a group's id to nobody while a member lives, so a living leader is a stranger. */
function endLeftOvers(recorded: Emulator): void {
  if (identify(recorded.processGroup) === undefined) killGroup(recorded.processGroup, 'SIGKILL');
}
