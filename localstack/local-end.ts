import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { stopEmulator, wipeState } from './emulator-end.ts';
import { stopEventSource } from './event-source.ts';
import { readJson } from './json-file.ts';
import { checkFolder } from './local-folder.ts';
import { type LocalPaths, localPaths } from './paths.ts';
import { endGroup } from './process.ts';
import type { ProcessIdentity } from './process-identity.ts';

/** What a killed worker still writes while its folder is removed; rm tries again. */
const REMOVE = { recursive: true, force: true, maxRetries: 5, retryDelay: 200 } as const;

/** Ends cdk, the runner, then the emulator, which saves its state. Returns whether one of the last two was running. */
export async function stopLocal(localDir: string): Promise<boolean> {
  checkFolder(localDir);
  return stop(localPaths(localDir));
}

/** Ends everything and leaves nothing of it: for environments that live as long as one test run or benchmark. */
export async function removeLocal(localDir: string): Promise<void> {
  checkFolder(localDir);
  // Tests that start emulators of their own may put them into folders of the environment.
  for (const folder of [localDir, ...foldersOf(localDir)]) await stop(localPaths(folder));
  rmSync(localDir, REMOVE);
}

/** Ends everything and removes the state; the logs, the installed emulator and the synthesised stacks stay. */
export async function resetLocal(localDir: string): Promise<void> {
  await stopLocal(localDir);
  wipeState(localPaths(localDir));
}

async function stop(paths: LocalPaths): Promise<boolean> {
  // Left by a start that was killed; it would go on deploying into nothing, and write into the folder.
  const cdk = readJson<ProcessIdentity>(paths.cdkRecord);
  if (cdk !== undefined) await endGroup(cdk, 0);
  rmSync(paths.cdkRecord, { force: true });
  const ranMappings = await stopEventSource(paths);
  return (await stopEmulator(paths)) || ranMappings;
}

function foldersOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(folder, entry.name));
  } catch {
    return [];
  }
}
