import { inject } from 'vitest';
import { emulatorOf } from '../../localstack/emulators/emulators.ts';
import { localPaths } from '../../localstack/paths.ts';

/** Paths of the logs that the emulator of the suite writes, and our runner where it polls in the emulator's place. */
export function localLogs(): readonly string[] {
  const { emulatorLog, eventSourceLog } = localPaths(inject('localDir'));
  const { pollsKinesis } = emulatorOf(inject('environment').emulator.name);
  return pollsKinesis ? [emulatorLog] : [emulatorLog, eventSourceLog];
}
