import { UserError } from '../errors.ts';
import { EMULATOR_NAMES, type EmulatorKind, type EmulatorName } from './kind.ts';
import { localstack } from './localstack.ts';
import { localstackDocker } from './localstack-docker.ts';
import { ministack } from './ministack.ts';

const KINDS: Readonly<Record<EmulatorName, EmulatorKind>> = {
  ministack,
  localstack,
  'localstack-docker': localstackDocker,
};

/** The emulator of a name that was recorded. */
export function emulatorOf(name: EmulatorName): EmulatorKind {
  return KINDS[name];
}

/** The emulator that `EMULATOR` names; MiniStack when it names none. Throws a UserError for a name that is none. */
export function chosenEmulator({ EMULATOR }: NodeJS.ProcessEnv = process.env): EmulatorKind {
  const name = EMULATOR_NAMES.find((one) => one === (EMULATOR || 'ministack'));
  if (name === undefined) {
    throw new UserError(`EMULATOR is ${EMULATOR}: set it to one of ${EMULATOR_NAMES.join(', ')}.`);
  }
  return KINDS[name];
}
