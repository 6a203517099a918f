import { join } from 'node:path';
import { type Clients, createClients } from './clients.ts';
import { type Deployment, deploy, wasDestroyed } from './deploy.ts';
import { type Emulator, emulatorWatch, requireFreePort, startEmulator } from './emulator.ts';
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
import { resetLocal } from './local-end.ts';
import { claimFolder } from './local-folder.ts';
import { holdLock } from './lock.ts';
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
  claimFolder(paths.root);
  const release = holdLock(join(paths.root, 'start.lock'));
  if (release === undefined) {
    throw new UserError(`Another start is at work in ${paths.root}: wait until it is done.`);
  }
  try {
    return await start(paths, options);
  } finally {
    release();
  }
}

async function start(paths: LocalPaths, options: StartOptions): Promise<Environment> {
  const progress = options.progress ?? silent;
  const port = await choosePort(paths, options);
  const python = findPython();
  const venv = await progress('Installing the emulator', () => ensureVenv(python));
  const emulator = await progress('Starting the emulator', () => raise(venv, paths, port, options));
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

/** Looked at first: installing takes half a minute, and a taken port makes it useless. */
async function choosePort(paths: LocalPaths, options: StartOptions): Promise<number> {
  const recorded = readJson<Emulator>(paths.emulatorRecord);
  const port = options.port ?? recorded?.port ?? (await freePort());
  if (recorded === undefined || !isRunning(recorded.process)) await requireFreePort(port);
  return port;
}

async function raise(
  venv: string,
  paths: LocalPaths,
  port: number,
  options: StartOptions,
): Promise<Emulator> {
  const recorded = readJson<Emulator>(paths.emulatorRecord);
  // A runner of a crashed emulator would go on with the next one, whose streams have the same names.
  if (recorded !== undefined && !isRunning(recorded.process)) await stopEventSource(paths);
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
