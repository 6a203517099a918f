import { emulatorWatch } from './emulator.ts';
import type { Emulator } from './emulator-record.ts';
import { UserError } from './errors.ts';
import { readJson } from './json-file.ts';
import { localPaths } from './paths.ts';

/** A dead emulator must be noticed within a second. */
const LOOK_MILLIS = 250;

/** Does something that needs the emulator; fails with a clear sentence within a second when the emulator dies. */
export async function whileEmulatorLives<T>(
  emulator: Emulator,
  work: () => Promise<T>,
): Promise<T> {
  const look = emulatorWatch(emulator);
  let timer: NodeJS.Timeout | undefined;
  const death = new Promise<never>((_resolve, reject) => {
    timer = setInterval(() => {
      const sentence = look();
      if (sentence !== undefined) reject(new UserError(sentence));
    }, LOOK_MILLIS);
  });
  try {
    return await Promise.race([work(), death]);
  } catch (error) {
    // A refused connection is how the death shows first.
    const sentence = look();
    throw sentence === undefined ? error : new UserError(sentence);
  } finally {
    clearInterval(timer);
  }
}

/** The emulator of a local environment as recorded. Throws a UserError when nothing was started there. */
export function recordedEmulator(localDir: string): Emulator {
  const emulator = readJson<Emulator>(localPaths(localDir).emulatorRecord);
  if (emulator === undefined) throw new UserError('No emulator was started: run npm start.');
  return emulator;
}
