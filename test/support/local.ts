import type { TestProject } from 'vitest/node';
import { describeEmulator } from '../../bin/evidence/deployment.ts';
import type { Environment } from '../../localstack/environment.ts';
import { createProgress } from '../../localstack/progress.ts';
import { startTemporary, type Temporary } from '../../localstack/temporary.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The deployment that the suite runs against. */
    environment: Environment;
    /** Its LOCAL_DIR, absolute. */
    localDir: string;
  }
}

let started: Promise<Temporary> | undefined;
let users = 0;

async function start(): Promise<Temporary> {
  const temporary = await startTemporary('test', createProgress());
  process.stderr.write(`${describeEmulator(temporary.environment.emulator)}\n`);
  return temporary;
}

/** Deploys once for all projects of a run that need it; the last one to end takes it down. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  users++;
  started ??= start();
  const { environment, localDir, remove } = await started;
  project.provide('environment', environment);
  project.provide('localDir', localDir);
  return async () => {
    if (--users === 0) await remove();
  };
}
