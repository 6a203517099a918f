import { endpointOf } from './aws.ts';
import { createClients } from './clients.ts';
import { discardCrashed } from './emulator-end.ts';
import { emulatorEnvironment } from './emulator-environment.ts';
import { UserError } from './errors.ts';
import { readJson, writeJson } from './json-file.ts';
import { restoreLocks } from './object-locks.ts';
import type { LocalPaths } from './paths.ts';
import { isListening } from './port.ts';
import { killGroup, startDetached, waitUntil } from './process.ts';
import { isRunning, type ProcessIdentity } from './process-identity.ts';

/** A running emulator: who it is and where it listens. Written to `$LOCAL_DIR/emulator.json`. */
export interface Emulator {
  readonly process: ProcessIdentity;
  /** Leader of the group that also holds the emulator's function workers; they outlive a kill -9 of it. */
  readonly processGroup: number;
  readonly port: number;
  readonly endpoint: string;
  readonly version: string;
}

/** The version pinned in requirements.txt. */
const EMULATOR_VERSION = '1.5.33';

/** Ready after 0.5 s on an idle machine; with saved data on a busy one it takes longer. */
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
 * Starts the emulator with the locks it had, or returns the one that runs.
 * @param settings variables of the emulator beside those that every start needs
 */
export async function startEmulator(
  python: string,
  paths: LocalPaths,
  port: number,
  settings: Readonly<Record<string, string>> = {},
): Promise<EmulatorStart> {
  const recorded = readJson<Emulator>(paths.emulatorRecord);
  if (recorded !== undefined && isRunning(recorded.process)) {
    return { emulator: await reuse(recorded, paths, port), started: false, wiped: false };
  }
  if (recorded !== undefined) discardCrashed(recorded, paths);
  await requireFreePort(port);
  const started = startDetached(python, ['-m', 'ministack'], {
    log: paths.emulatorLog,
    env: { ...emulatorEnvironment(paths.emulatorData, port), ...settings },
    cwd: paths.emulatorData,
  });
  if (started === undefined) throw didNotStart(paths, 'ended at once');
  const emulator: Emulator = {
    process: started,
    processGroup: started.pid,
    port,
    endpoint: endpointOf(port),
    version: EMULATOR_VERSION,
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

async function reuse(recorded: Emulator, paths: LocalPaths, port: number): Promise<Emulator> {
  if (recorded.port !== port) {
    throw new UserError(
      `The emulator already runs on port ${recorded.port}: run npm stop first, or set EMULATOR_PORT=${recorded.port}.`,
    );
  }
  if (!(await waitUntil(() => isHealthy(recorded.endpoint), READY_MILLIS, 100))) {
    throw new UserError(
      'The emulator runs but does not answer: run npm run reset, then npm start again.',
    );
  }
  // A start that was interrupted right after the emulator came up has not got to it.
  await restoreLocks(createClients(recorded.endpoint).s3, paths.objectLocks);
  return recorded;
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
      return gone || (await isHealthy(emulator.endpoint));
    },
    READY_MILLIS,
    100,
  );
  if (ready && !gone) return;
  killGroup(emulator.processGroup, 'SIGKILL');
  throw didNotStart(paths, gone ? 'ended while starting' : 'was not ready after 60 s');
}

async function isHealthy(endpoint: string): Promise<boolean> {
  try {
    const answer = await fetch(`${endpoint}/_ministack/health`, {
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
