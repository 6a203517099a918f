import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Clients, createClients } from './clients.ts';
import { type Deployment, deploy, wasDestroyed } from './deploy.ts';
import { type Emulator, emulatorWatch, startEmulator } from './emulator.ts';
import { stopEmulator, wipeState } from './emulator-end.ts';
import { whileEmulatorLives } from './emulator-life.ts';
import {
  describeEnvironment,
  type Environment,
  type Keys,
  type Seed,
  writeEnvironment,
} from './environment.ts';
import { UserError } from './errors.ts';
import { startEventSource, stopEventSource } from './event-source.ts';
import { readJson } from './json-file.ts';
import { tryLock } from './lock.ts';
import { type LocalPaths, localPaths, REPOSITORY } from './paths.ts';
import { freePort } from './port.ts';
import { findPython } from './prerequisites.ts';
import { isRunning } from './process-identity.ts';
import { type Progress, silent } from './progress.ts';
import { kinesisMappings, reconcile } from './reconcile.ts';
import { ensureVenv } from './venv.ts';

/** How a local environment is started. */
export interface StartOptions {
  /** Absolute. */
  readonly localDir: string;
  /** @default - a free one */
  readonly port?: number;
  /** @default - silent */
  readonly progress?: Progress;
  readonly seed: Seed;
  /** Told what the user should know, one sentence each. @default - nobody */
  readonly notify?: (sentence: string) => void;
}

/** Starts everything that is not up: emulator, stacks, settings, event source runner, producers. Safe to repeat. */
export async function startLocal(options: StartOptions): Promise<Environment> {
  const paths = localPaths(options.localDir);
  const lock = join(paths.root, 'start.lock');
  if (!tryLock(lock)) {
    throw new UserError(`Another start is at work in ${paths.root}: wait until it is done.`);
  }
  try {
    return await start(paths, options);
  } finally {
    rmSync(lock, { force: true });
  }
}

/** Ends the runner, then the emulator, which saves its state. Returns whether anything was running. */
export async function stopLocal(localDir: string): Promise<boolean> {
  const paths = localPaths(localDir);
  const ranMappings = await stopEventSource(paths);
  return (await stopEmulator(paths)) || ranMappings;
}

/** Ends everything and leaves nothing of it: for environments that live as long as one test run or benchmark. */
export async function removeLocal(localDir: string): Promise<void> {
  await stopLocal(localDir);
  rmSync(localDir, { recursive: true, force: true });
}

/** Ends everything and removes the state; the installed emulator and the synthesised stacks stay. */
export async function resetLocal(localDir: string): Promise<void> {
  await stopLocal(localDir);
  wipeState(localPaths(localDir));
}

async function start(paths: LocalPaths, options: StartOptions): Promise<Environment> {
  const progress = options.progress ?? silent;
  const python = findPython();
  const venv = await progress('Installing the emulator', () => ensureVenv(python));
  const emulator = await progress('Starting the emulator', () => raise(venv, paths, options));
  const clients = createClients(emulator.endpoint);
  return whileEmulatorLives(emulator, async () => {
    const deployment = await deploy(
      paths,
      {
        repository: REPOSITORY,
        endpoint: emulator.endpoint,
        abortWhen: emulatorWatch(emulator),
      },
      clients,
      progress,
    );
    await progress('Applying what the emulator dropped', () =>
      reconcile(clients, deployment.stacks),
    );
    await progress('Starting the event source runner', () =>
      runMappings(paths, emulator, clients, deployment),
    );
    return describe(paths, emulator, deployment, options.seed, progress);
  });
}

async function raise(venv: string, paths: LocalPaths, options: StartOptions): Promise<Emulator> {
  const recorded = readJson<Emulator>(paths.emulatorRecord);
  // A runner of a crashed emulator would go on with the next one, whose streams have the same names.
  if (recorded !== undefined && !isRunning(recorded.process)) await stopEventSource(paths);
  const port = options.port ?? recorded?.port ?? (await freePort());
  const { emulator, wiped } = await startEmulator(venv, paths, port);
  if (wiped) {
    options.notify?.('The emulator had ended without saving its state, so this starts empty.');
  }
  if (!(await wasDestroyed(paths, createClients(emulator.endpoint)))) return emulator;
  options.notify?.('The stacks had been destroyed, so this starts empty.');
  await resetLocal(paths.root);
  return (await startEmulator(venv, paths, port)).emulator;
}

async function runMappings(
  paths: LocalPaths,
  emulator: Emulator,
  clients: Clients,
  { stacks, changed }: Deployment,
): Promise<void> {
  // A changed template may have changed the settings that a running runner has read.
  if (changed) await stopEventSource(paths);
  await startEventSource(paths, emulator.endpoint, await kinesisMappings(clients, stacks));
}

async function describe(
  paths: LocalPaths,
  emulator: Emulator,
  deployment: Deployment,
  seed: Seed,
  progress: Progress,
): Promise<Environment> {
  const described = describeEnvironment(emulator, deployment.outputs);
  const before = readJson<Environment>(paths.environment);
  const keys: Keys =
    before?.keys ?? (await progress('Registering the demo producers', () => seed(described)));
  const environment: Environment = { ...described, keys };
  writeEnvironment(paths.environment, environment);
  return environment;
}
