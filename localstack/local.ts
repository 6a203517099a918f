import { join } from 'node:path';
import { type Clients, createClients } from './clients.ts';
import { type Deployment, deploy, stuckStacks, wasDestroyed } from './deploy.ts';
import { emulatorWatch, requireFreePort, startEmulator } from './emulator.ts';
import { whileEmulatorLives } from './emulator-life.ts';
import type { Emulator } from './emulator-record.ts';
import type { EmulatorKind } from './emulators/kind.ts';
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
import { isRunning } from './process-identity.ts';
import { type Progress, silent } from './progress.ts';
import { kinesisMappings, reconcile } from './reconcile.ts';

/** How a local environment is started. */
export interface StartOptions {
  /** Absolute. */
  readonly localDir: string;
  readonly emulator: EmulatorKind;
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
  const program = await progress('Installing the emulator', () => options.emulator.install());
  const emulator = await progress('Starting the emulator', () =>
    raise(program, paths, port, options),
  );
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
      reconcile(clients, deployment.stacks, options.emulator),
    );
    if (!options.emulator.pollsKinesis) {
      await progress('Starting the event source runner', () =>
        runMappings(paths, emulator, clients, deployment),
      );
    }
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
  program: string,
  paths: LocalPaths,
  port: number,
  options: StartOptions,
): Promise<Emulator> {
  const recorded = readJson<Emulator>(paths.emulatorRecord);
  // A runner of a crashed emulator would go on with the next one, whose streams have the same names.
  if (recorded !== undefined && !isRunning(recorded.process)) await stopEventSource(paths);
  const { emulator, wiped } = await startEmulator(options.emulator, program, paths, port);
  if (wiped) {
    options.notify?.('The emulator had ended without saving its state, so this starts empty.');
  }
  const why = await unusable(paths, createClients(emulator.endpoint));
  if (why === undefined) return emulator;
  options.notify?.(`${why}, so this starts empty.`);
  await resetLocal(paths.root);
  return (await startEmulator(options.emulator, program, paths, port)).emulator;
}

/** Why nothing can be deployed on what the emulator holds. Throws a UserError where a reset would take evidence away. */
async function unusable(paths: LocalPaths, clients: Clients): Promise<string | undefined> {
  if (await wasDestroyed(paths, clients)) return 'The stacks had been destroyed';
  const stuck = await stuckStacks(clients);
  if (stuck.length === 0) return undefined;
  if (readJson<Environment>(paths.environment) === undefined) {
    return `An earlier deployment had not ended well (${stuck.join(', ')})`;
  }
  throw new UserError(
    `The last deployment did not end well (${stuck.join(', ')}): run npm run reset, which removes what was stored, then npm start again.`,
  );
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
