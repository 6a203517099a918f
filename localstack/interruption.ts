import { readJson } from './json-file.ts';
import { localPaths } from './paths.ts';
import { isRunning, type ProcessIdentity } from './process-identity.ts';

/** What a shell expects of a command that was ended with Ctrl-C. */
const EXIT_CODE = 130;

/** Makes Ctrl-C end npm start with a sentence; whoever holds a lock or runs a command lets go on `exit`. */
export function explainInterruption(localDir: string): void {
  const interrupted = () => {
    process.stderr.write(`${process.stderr.isTTY ? '\n' : ''}${describeInterruption(localDir)}\n`);
    process.exit(EXIT_CODE);
  };
  process.once('SIGINT', interrupted).once('SIGTERM', interrupted);
}

function describeInterruption(localDir: string): string {
  const emulator = readJson<{ process: ProcessIdentity }>(localPaths(localDir).emulatorRecord);
  return emulator !== undefined && isRunning(emulator.process)
    ? 'Interrupted, and the emulator is left running: npm start goes on from here, npm stop ends it.'
    : 'Interrupted before the emulator ran, so nothing is left running: npm start begins again.';
}
