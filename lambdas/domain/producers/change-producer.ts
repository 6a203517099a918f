import { isDeepStrictEqual } from 'node:util';
import { HOUR_MILLIS } from '../evidence/hour-shard.ts';
import { type ChangeDependencies, type ChangedProducer, commitChange } from './commit-change.ts';
import { endingAt, issueKey, isValidAt } from './issued-key.ts';
import type { ChangedBy, Producer } from './producer.ts';
import {
  InvalidRegistrationError,
  ProducerConflictError,
  UnknownProducerError,
} from './producer-errors.ts';
import type { Registration } from './registration.ts';

/** More would leave nobody sure which key is in use where. */
const MAX_VALID_KEYS = 2;
/** A year: an overlap without end would be a second key for good. */
const MAX_OVERLAP_HOURS = 8_760;
/** A week: a client that is deployed weekly changes its key without a night shift. */
export const DEFAULT_OVERLAP_HOURS = 168;

/**
 * Registers a producer and issues its first key.
 * @throws ProducerConflictError when the id or the role is taken
 */
export async function registerProducer(
  registration: Registration,
  by: ChangedBy,
  dependencies: ChangeDependencies,
): Promise<ChangedProducer> {
  if (await dependencies.directory.find(registration.producerId)) {
    throw new ProducerConflictError('producer_exists', 'a producer with this id is registered');
  }
  const issued = issueKey(dependencies.clock(), dependencies.randomText);
  const keys = [issued.shown];
  return commitChange(
    undefined,
    { registration, keys },
    { change: 'registered', by, issued },
    dependencies,
  );
}

/**
 * Changes fields of a registration; without a difference nothing is written.
 * @param patch answers the registration after the change; what it throws passes
 * @throws UnknownProducerError, ProducerConflictError
 */
export async function changeRegistration(
  producerId: string,
  patch: (registration: Registration) => Registration,
  by: ChangedBy,
  dependencies: ChangeDependencies,
): Promise<ChangedProducer> {
  const producer = await findProducer(producerId, dependencies);
  const registration = patch(producer.registration);
  if (isDeepStrictEqual(registration, producer.registration)) return { producer };
  return commitChange(
    producer,
    { ...producer, registration },
    { change: 'changed', by },
    dependencies,
  );
}

/** Disables or enables all keys of a producer and its role. @throws UnknownProducerError, ProducerConflictError */
export async function setDisabled(
  producerId: string,
  disabled: boolean,
  by: ChangedBy,
  dependencies: ChangeDependencies,
): Promise<ChangedProducer> {
  const producer = await findProducer(producerId, dependencies);
  if (producer.registration.disabled === disabled) return { producer };
  const registration = { ...producer.registration, disabled };
  const change = disabled ? 'disabled' : 'enabled';
  return commitChange(producer, { ...producer, registration }, { change, by }, dependencies);
}

/**
 * Issues a further key. The one before it stays valid for the overlap, or ends at once when that is
 * zero; none is made to last longer than it would have.
 * @param overlapHours as it was asked for, checked here for every caller: a whole number from 0 to a year
 * @throws InvalidRegistrationError; UnknownProducerError; ProducerConflictError while two keys are valid: ending one that a
 * client still sends would cost its events, so that is never done on the side
 */
export async function rotateKey(
  producerId: string,
  overlapHours: unknown,
  by: ChangedBy,
  dependencies: ChangeDependencies,
): Promise<ChangedProducer> {
  const overlap = checkOverlap(overlapHours);
  const producer = await findProducer(producerId, dependencies);
  if (producer.keys.length >= MAX_VALID_KEYS && overlap > 0) {
    throw new ProducerConflictError(
      'two_keys_are_valid',
      'two keys of this producer are valid: end one of them first, or rotate without an overlap, which ends both',
    );
  }
  const issued = issueKey(dependencies.clock(), dependencies.randomText);
  const endMillis = dependencies.clock() + overlap * HOUR_MILLIS;
  const keys = [...producer.keys.map((key) => endingAt(key, endMillis)), issued.shown];
  return commitChange(
    producer,
    { ...producer, keys },
    { change: 'key_issued', by, issued },
    dependencies,
  );
}

function checkOverlap(hours: unknown): number {
  const isWhole = Number.isSafeInteger(hours);
  if (isWhole && (hours as number) >= 0 && (hours as number) <= MAX_OVERLAP_HOURS) {
    return hours as number;
  }
  const rule = `whole_number_from_0_to_${MAX_OVERLAP_HOURS}`;
  throw new InvalidRegistrationError([{ path: '$.overlapHours', rule }]);
}

/** Ends one key at once, within the cache time of the functions. @throws UnknownProducerError, ProducerConflictError */
export async function endKey(
  producerId: string,
  keyId: string,
  by: ChangedBy,
  dependencies: ChangeDependencies,
): Promise<ChangedProducer> {
  const producer = await findProducer(producerId, dependencies);
  if (!producer.keys.some((key) => key.keyId === keyId)) {
    throw new ProducerConflictError('key_not_valid', 'this producer has no valid key with this id');
  }
  const now = dependencies.clock();
  const keys = producer.keys.map((key) => (key.keyId === keyId ? endingAt(key, now) : key));
  return commitChange(
    producer,
    { ...producer, keys },
    { change: 'key_ended', by, keyId },
    dependencies,
  );
}

/** The producer with the keys that are valid: an ended one is forgotten with the next change. */
async function findProducer(
  producerId: string,
  { directory, clock }: ChangeDependencies,
): Promise<Producer> {
  const producer = await directory.find(producerId);
  if (!producer) throw new UnknownProducerError();
  const now = clock();
  return { ...producer, keys: producer.keys.filter((key) => isValidAt(key, now)) };
}
