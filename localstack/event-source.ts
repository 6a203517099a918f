import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { localEnvironment } from './aws.ts';
import { UserError } from './errors.ts';
import type { RunnerConfig } from './event-source/runner.ts';
import { readJson, writeJson } from './json-file.ts';
import { livingHolder } from './lock.ts';
import { type LocalPaths, REPOSITORY } from './paths.ts';
import { endGroup, startDetached, waitUntil } from './process.ts';
import { isRunning } from './process-identity.ts';

const ENTRY = fileURLToPath(new URL('event-source/main.ts', import.meta.url));
/** The SDK clients alone take half a second to load. */
const START_MILLIS = 20_000;
/** A running invocation is waited for; longer than the longest local function takes. */
const STOP_MILLIS = 15_000;

/** Files by which a runner is found and configured, below `$LOCAL_DIR/event-source`. */
export function runnerFiles(folder: string) {
  return {
    config: join(folder, 'config.json'),
    lock: join(folder, 'runner.lock'),
    /** Who was started last: it takes the lock only after half a second. */
    started: join(folder, 'started.json'),
    /** Written when every mapping was read: who is ready. */
    ready: join(folder, 'ready.json'),
  };
}

/** Starts the event source runner for these mappings; one that already runs with the same mappings is kept. */
export async function startEventSource(
  paths: LocalPaths,
  endpoint: string,
  mappings: readonly string[],
): Promise<void> {
  const folder = paths.eventSource;
  const files = runnerFiles(folder);
  const config: RunnerConfig = { endpoint, mappings: [...mappings].sort(), folder };
  const current = readJson<RunnerConfig>(files.config);
  if (livingHolder(files.lock)) {
    if (JSON.stringify(current) === JSON.stringify(config)) return;
    await stopEventSource(paths);
  }
  mkdirSync(folder, { recursive: true });
  writeJson(files.config, config);
  const started = startDetached(process.execPath, ['--import', 'tsx', ENTRY, folder], {
    log: paths.eventSourceLog,
    env: localEnvironment(endpoint),
    cwd: REPOSITORY,
  });
  if (started !== undefined) writeJson(files.started, started);
  const isReady = () => livingHolder(files.ready) !== undefined;
  await waitUntil(() => isReady() || started === undefined || !isRunning(started), START_MILLIS);
  if (!isReady()) {
    if (started !== undefined) await endGroup(started, 0);
    throw new UserError(
      `The event source runner did not start (${paths.eventSourceLog}): run npm run reset, then npm start again.`,
    );
  }
}

/** Ends the runner: it finishes the invocations that run and keeps its checkpoints. Returns whether one was running. */
export async function stopEventSource(paths: LocalPaths): Promise<boolean> {
  const files = runnerFiles(paths.eventSource);
  const runner = livingHolder(files.lock) ?? livingHolder(files.started);
  if (runner === undefined) return false;
  await endGroup(runner, STOP_MILLIS);
  rmSync(files.lock, { force: true });
  return true;
}
