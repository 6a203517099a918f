import type { EmulatorName } from './emulators/kind.ts';
import type { ProcessIdentity } from './process-identity.ts';

/** A running emulator: who it is and where it listens. Written to `$LOCAL_DIR/emulator.json`. */
export interface Emulator {
  readonly name: EmulatorName;
  readonly process: ProcessIdentity;
  /** Leader of the group that also holds the emulator's function workers; they outlive a kill -9 of it. */
  readonly processGroup: number;
  readonly port: number;
  readonly endpoint: string;
  readonly version: string;
}
