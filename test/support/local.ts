import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import type { Environment } from '../../localstack/environment.ts';
import { removeLocal, startLocal } from '../../localstack/local.ts';
import { REPOSITORY } from '../../localstack/paths.ts';
import { createProgress } from '../../localstack/progress.ts';
import { seed } from '../../localstack/seed.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The deployment that the suite runs against. */
    environment: Environment;
    /** Its LOCAL_DIR, absolute. */
    localDir: string;
  }
}

/** Beside what `npm start` left running, never on top of it. */
const LOCAL_DIR = join(REPOSITORY, '.local', `test-${process.pid}`);

let started: Promise<Environment> | undefined;
let users = 0;

/** Deploys once for all projects of a run that need it; the last one to end takes it down. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  users++;
  started ??= startLocal({ localDir: LOCAL_DIR, seed, progress: createProgress() });
  try {
    project.provide('environment', await started);
    project.provide('localDir', LOCAL_DIR);
  } catch (error) {
    await removeLocal(LOCAL_DIR);
    throw error;
  }
  return async () => {
    if (--users === 0) await removeLocal(LOCAL_DIR);
  };
}
