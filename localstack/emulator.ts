import { endpointOf } from './aws.ts';
import { createClients } from './clients.ts';
import { discardCrashed } from './emulator-end.ts';
import { emulatorOf } from './emulators/emulators.ts';
import type { EmulatorKind, EmulatorName } from './emulators/kind.ts';
import { UserError } from './errors.ts';
import { readJson, writeJson } from './json-file.ts';
import { restoreLocks } from './object-locks.ts';
import type { LocalPaths } from './paths.ts';
import { isListening } from './port.ts';
import { killGroup, startDetached, waitUntil } from './process.ts';
import { isRunning, type ProcessIdentity } from './process-identity.ts';

/** A running emulator: who it is and where it listens. Written to `$LOCAL_DIR/emulator.json`. */
export interface Emulator {
  readonly name: EmulatorName;
  readonly process: ProcessIdentity;
  /** Leader of the group that also holds the emulator's function workers; they outlive a kill -9 of it. */
  readonly processGroup: number;
  readonly port: number;
  readonly endpoint: string;
  readonly version: string;
}

/** Ready after 0.5 to 1.2 s on an idle machine; with saved data on a busy one it takes longer. */
const READY_MILLIS = 60_000;

/** How a start went. */
export interface EmulatorStart {
  readonly emulator: Emulator;
  /** It was not running before. */
  readonly started: boolean;
  /** State was lost in a crash and removed. */
  readonly wiped: boolean;
}

/**
 * Starts the emulator with the program that `kind` installed and the locks it had, or returns the one that runs.
 * @param settings variables of the emulator beside those that every start needs
 */
export async function startEmulator(
  kind: EmulatorKind,
  program: string,
  paths: LocalPaths,
  port: number,
  settings: Readonly<Record<string, string>> = {},
): Promise<EmulatorStart> {
  const recorded = readJson<Emulator>(paths.emulatorRecord);
  if (recorded !== undefined && isRunning(recorded.process)) {
    return { emulator: await reuse(recorded, kind, paths, port), started: false, wiped: false };
  }
  if (recorded !== undefined) discardCrashed(recorded, paths);
  await requireFreePort(port);
  requireOwnData(kind, paths);
  const { args, env } = kind.launch(paths.emulatorData, port);
  const options = {
    log: paths.emulatorLog,
    env: { ...env, ...settings },
    cwd: paths.emulatorData,
  };
  const started = startDetached(program, args, options);
  if (started === undefined) throw didNotStart(paths, 'ended at once');
  const emulator: Emulator = {
    name: kind.name,
    process: started,
    processGroup: started.pid,
    port,
    endpoint: endpointOf(port),
    version: kind.version,
  };
  writeJson(paths.emulatorRecord, emulator);
  await untilReady(emulator, paths);
  await restoreLocks(createClients(emulator.endpoint).s3, paths.objectLocks);
  return { emulator, started: true, wiped: recorded !== undefined };
}

/** A check for long steps: a sentence once the emulator is gone. */
export function emulatorWatch(emulator: Emulator): () => string | undefined {
  return () =>
    isRunning(emulator.process)
      ? undefined
      : 'The emulator ended while it was needed: run npm start again, it begins with an empty state.';
}

async function reuse(
  recorded: Emulator,
  kind: EmulatorKind,
  paths: LocalPaths,
  port: number,
): Promise<Emulator> {
  if (recorded.name !== kind.name) throw otherEmulator(recorded.name, kind, paths);
  if (recorded.port !== port) {
    throw new UserError(
      `The emulator already runs on port ${recorded.port}: run npm stop first, or set EMULATOR_PORT=${recorded.port}.`,
    );
  }
  if (!(await waitUntil(() => isHealthy(recorded), READY_MILLIS, 100))) {
    throw new UserError(
      'The emulator runs but does not answer: run npm run reset, then npm start again.',
    );
  }
  // A start that was interrupted right after the emulator came up has not got to it.
  await restoreLocks(createClients(recorded.endpoint).s3, paths.objectLocks);
  return recorded;
}

/** What one emulator stored, another cannot read; whose data a folder holds is written into it. */
function requireOwnData(kind: EmulatorKind, paths: LocalPaths): void {
  const owner = readJson<{ name: EmulatorName }>(paths.emulatorKind)?.name;
  if (owner !== undefined && owner !== kind.name) throw otherEmulator(owner, kind, paths);
  writeJson(paths.emulatorKind, { name: kind.name });
}

function otherEmulator(owner: EmulatorName, kind: EmulatorKind, paths: LocalPaths): UserError {
  return new UserError(
    `${paths.root} holds the data of ${owner}: run npm run reset to remove it, or name another folder in LOCAL_DIR for ${kind.name}.`,
  );
}

/** Throws a UserError that names the way out when something listens on the port. */
export async function requireFreePort(port: number): Promise<void> {
  if (await isListening(port)) {
    throw new UserError(
      `Port ${port} is taken by another program: end it, or choose another port with EMULATOR_PORT=${port + 1} npm start.`,
    );
  }
}

async function untilReady(emulator: Emulator, paths: LocalPaths): Promise<void> {
  let gone = false;
  const ready = await waitUntil(
    async () => {
      gone = !isRunning(emulator.process);
      return gone || (await isHealthy(emulator));
    },
    READY_MILLIS,
    100,
  );
  if (ready && !gone) return;
  killGroup(emulator.processGroup, 'SIGKILL');
  throw didNotStart(paths, gone ? 'ended while starting' : 'was not ready after 60 s');
}

async function isHealthy({ endpoint, name }: Emulator): Promise<boolean> {
  try {
    const answer = await fetch(endpoint + emulatorOf(name).healthPath, {
      signal: AbortSignal.timeout(2_000),
    });
    return answer.ok;
  } catch {
    return false;
  }
}

function didNotStart(paths: LocalPaths, how: string): UserError {
  return new UserError(
    `The emulator ${how} (${paths.emulatorLog}): run npm run reset, then npm start again.`,
  );
}
