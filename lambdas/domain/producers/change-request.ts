import { retentionClasses } from '../evidence/retention.ts';
import {
  changeRegistration,
  DEFAULT_OVERLAP_HOURS,
  endKey,
  rotateKey,
  setDisabled,
} from './change-producer.ts';
import { patchRegistration } from './check-registration.ts';
import type { ChangeDependencies, ChangedProducer } from './commit-change.ts';
import type { ChangedBy } from './producer.ts';
import { InvalidRegistrationError } from './producer-errors.ts';

/**
 * Makes the one change that a PATCH asks for: `{rotate: true, overlapHours?}`, `{endKey: <key id>}`,
 * `{disabled: true|false}`, or a merge patch of the other fields. Each locked record names one change, so
 * they cannot be mixed.
 * @throws InvalidRegistrationError, UnknownProducerError, ProducerConflictError
 */
export async function changeAsAsked(
  producerId: string,
  asked: unknown,
  by: ChangedBy,
  dependencies: ChangeDependencies,
): Promise<ChangedProducer> {
  if (typeof asked !== 'object' || asked === null || Array.isArray(asked)) throw broken('object');
  const names = Object.keys(asked);
  const request = asked as Readonly<Record<string, unknown>>;
  const operation = OPERATIONS.find((name) => names.includes(name));
  if (operation === undefined) {
    const patch = (registration: Parameters<typeof patchRegistration>[0]) =>
      patchRegistration(registration, asked, retentionClasses(dependencies.retention));
    return changeRegistration(producerId, patch, by, dependencies);
  }
  const others = names.filter((name) => name !== operation && name !== 'overlapHours');
  if (others.length > 0) throw broken('one_change_at_a_time');
  const value = request[operation];
  if (operation !== 'rotate' && names.includes('overlapHours')) {
    throw broken('with_rotate_only', '$.overlapHours');
  }
  switch (operation) {
    case 'rotate': {
      if (value !== true) throw broken('true', '$.rotate');
      const { overlapHours = DEFAULT_OVERLAP_HOURS } = request;
      return rotateKey(producerId, overlapHours, by, dependencies);
    }
    case 'endKey': {
      if (typeof value !== 'string') throw broken('key_id', '$.endKey');
      return endKey(producerId, value, by, dependencies);
    }
    case 'disabled': {
      if (typeof value !== 'boolean') throw broken('boolean', '$.disabled');
      return setDisabled(producerId, value, by, dependencies);
    }
  }
}

const OPERATIONS = ['rotate', 'endKey', 'disabled'] as const;

const broken = (rule: string, path = '$') => new InvalidRegistrationError([{ path, rule }]);
