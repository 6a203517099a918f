import type { EmulatorName } from '../../localstack/emulators/kind.ts';
import type { KnownDefect } from '../support/known-defects.ts';

/** Tests of this folder that an emulator cannot pass. Each is run and has to fail, so the list shrinks by itself. */
export const KNOWN_DEFECTS: Readonly<Record<EmulatorName, readonly KnownDefect[]>> = {
  ministack: [],
  localstack: [],
  // Never run: what fails there is to be listed by whoever has a token.
  'localstack-docker': [],
};

const OTHER_POLLER = {
  'event-source.test.ts': 'tests our runner, which stands in for the poller of MiniStack only',
};

/** Files that are not about the emulator which the suite runs on, and why. */
export const NOT_ABOUT: Readonly<Record<EmulatorName, Readonly<Record<string, string>>>> = {
  ministack: {},
  localstack: OTHER_POLLER,
  'localstack-docker': OTHER_POLLER,
};
