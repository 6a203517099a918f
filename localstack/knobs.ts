import { chosenEmulator } from './emulators/emulators.ts';
import type { EmulatorKind } from './emulators/kind.ts';
import { UserError } from './errors.ts';
import { localDir } from './paths.ts';

/** What the user may set from outside. */
export interface Knobs {
  /** Absolute. */
  readonly localDir: string;
  readonly port: number;
  readonly emulator: EmulatorKind;
}

const DEFAULT_PORT = 4566;
/** Ports below need root. */
const FIRST_PORT = 1_024;

/** Reads LOCAL_DIR, EMULATOR_PORT and EMULATOR. Throws a UserError for a port or an emulator that is none. */
export function readKnobs(env: NodeJS.ProcessEnv = process.env): Knobs {
  const port = env.EMULATOR_PORT ? Number(env.EMULATOR_PORT) : DEFAULT_PORT;
  if (!Number.isInteger(port) || port < FIRST_PORT || port > 65_535) {
    throw new UserError(
      `EMULATOR_PORT is ${env.EMULATOR_PORT}: set it to a port between ${FIRST_PORT} and 65535.`,
    );
  }
  return { localDir: localDir(env), port, emulator: chosenEmulator(env) };
}
