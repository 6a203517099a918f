import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The root folder of the repository. */
export const REPOSITORY = resolve(fileURLToPath(new URL('..', import.meta.url)));

/** The folder named by LOCAL_DIR, absolute: a relative one counts from the repository, wherever the command runs. */
export function localDir({ LOCAL_DIR }: NodeJS.ProcessEnv): string {
  return resolve(REPOSITORY, LOCAL_DIR || '.local');
}

/** Everything the local environment writes, all of it under LOCAL_DIR. */
export interface LocalPaths {
  readonly root: string;
  /** State, S3 data and temporary files of the emulator. */
  readonly emulatorData: string;
  /** Whose data the folder before holds. */
  readonly emulatorKind: string;
  readonly emulatorRecord: string;
  /** Retention and legal holds, which the emulator itself does not keep over a stop. */
  readonly objectLocks: string;
  readonly emulatorLog: string;
  readonly assembly: string;
  readonly outputs: string;
  readonly cdkLog: string;
  /** Which cdk is at work: it leads a process group of its own and outlives a start that is killed. */
  readonly cdkRecord: string;
  /** What was synthesised from which sources, and what was deployed on this emulator state. */
  readonly deployment: string;
  readonly synthesis: string;
  /** Checkpoints, mappings and record of the event source runner. */
  readonly eventSource: string;
  readonly eventSourceLog: string;
  readonly environment: string;
  /** Which workload was sent to this emulator state. */
  readonly workload: string;
}

/** Names the files of one local environment, below an absolute folder. */
export function localPaths(root: string): LocalPaths {
  return {
    root,
    emulatorData: join(root, 'emulator'),
    emulatorKind: join(root, 'emulator', 'kind.json'),
    emulatorRecord: join(root, 'emulator.json'),
    objectLocks: join(root, 'emulator', 'object-locks.json'),
    emulatorLog: join(root, 'emulator.log'),
    assembly: join(root, 'cdk.out'),
    outputs: join(root, 'outputs.json'),
    cdkLog: join(root, 'cdk.log'),
    cdkRecord: join(root, 'cdk-process.json'),
    deployment: join(root, 'deployment.json'),
    synthesis: join(root, 'synthesis.json'),
    eventSource: join(root, 'event-source'),
    eventSourceLog: join(root, 'event-source.log'),
    environment: join(root, 'environment.json'),
    workload: join(root, 'workload.json'),
  };
}
