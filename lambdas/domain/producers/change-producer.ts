import { LineageError } from '../errors.ts';
import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import { lockFor, type RetentionPolicy } from '../evidence/retention.ts';
import type { Clock, DocumentVault, ProducerDirectory } from '../ports.ts';
import { bearerKeyHash, composeBearerKey } from './bearer-key.ts';
import {
  type ChangedBy,
  type IssuedKey,
  isValidAt,
  type Producer,
  type ProducerRecord,
} from './producer.ts';
import type { Registration } from './registration.ts';

export interface ChangeDependencies {
  readonly vault: DocumentVault;
  readonly directory: ProducerDirectory;
  readonly retention: RetentionPolicy;
  readonly clock: Clock;
  /** Letters and digits from a cryptographic source. */
  readonly randomText: (alphabet: string, length: number) => string;
}

/** A producer after a change, and the key that the change issued: shown this once. */
export interface ChangedProducer {
  readonly producer: Producer;
  readonly key?: string;
}

/** The change is well formed and does not fit what stands there; the text says what to do. */
export class ProducerConflictError extends LineageError {
  override readonly name = 'ProducerConflictError';
}

export class UnknownProducerError extends LineageError {
  override readonly name = 'UnknownProducerError';

  constructor() {
    super('unknown_producer', 'no producer is registered under this id');
  }
}

/** More would leave nobody sure which key is in use where. */
const MAX_VALID_KEYS = 2;
/** A year: an overlap without end would be a second key for good. */
export const MAX_OVERLAP_HOURS = 8_760;
/** A week: a client that is deployed weekly changes its key without a night shift. */
export const DEFAULT_OVERLAP_HOURS = 168;
const HOUR_MILLIS = 3_600_000;
/** Longer than any function lives: a record this old whose rows are missing has nobody who still writes them. */
const BROKEN_OFF_AFTER_MILLIS = 60_000;

const ID_ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';
const SECRET_ALPHABET = `${ID_ALPHABET}ABCDEFGHIJKLMNOPQRSTUVWXYZ`;
const ID_CHARACTERS = 12;
/** 32 of 62 letters: 190 bits. */
const SECRET_CHARACTERS = 32;

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
  const issued = issueKey(dependencies);
  const keys = [issued.shown];
  return commit(
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
  if (isSame(registration, producer.registration)) return { producer };
  return commit(producer, { ...producer, registration }, { change: 'changed', by }, dependencies);
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
  return commit(producer, { ...producer, registration }, { change, by }, dependencies);
}

/**
 * Issues a further key. The one before it stays valid for the overlap, or ends at once when that is
 * zero; none is made to last longer than it would have.
 * @throws UnknownProducerError; ProducerConflictError while two keys are valid: ending one that a
 * client still sends would cost its events, so that is never done on the side
 */
export async function rotateKey(
  producerId: string,
  overlapHours: number,
  by: ChangedBy,
  dependencies: ChangeDependencies,
): Promise<ChangedProducer> {
  const producer = await findProducer(producerId, dependencies);
  if (producer.keys.length >= MAX_VALID_KEYS && overlapHours > 0) {
    throw new ProducerConflictError(
      'two_keys_are_valid',
      'two keys of this producer are valid: end one of them first, or rotate without an overlap, which ends both',
    );
  }
  const issued = issueKey(dependencies);
  const endMillis = dependencies.clock() + overlapHours * HOUR_MILLIS;
  const keys = [...producer.keys.map((key) => endingAt(key, endMillis)), issued.shown];
  return commit(
    producer,
    { ...producer, keys },
    { change: 'key_issued', by, issued },
    dependencies,
  );
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
  return commit(producer, { ...producer, keys }, { change: 'key_ended', by, keyId }, dependencies);
}

interface Change extends Pick<ProducerRecord, 'change' | 'by' | 'keyId'> {
  readonly issued?: ReturnType<typeof issueKey>;
}

/**
 * Locks the record of a change, then writes the rows. The record of a version is written once, so that
 * of two changes at the same time one is made and the other refused.
 */
async function commit(
  before: Producer | undefined,
  state: Omit<Producer, 'version'>,
  { change, by, issued, keyId = issued?.shown.keyId }: Change,
  dependencies: ChangeDependencies,
): Promise<ChangedProducer> {
  const { vault, directory, retention, clock } = dependencies;
  const { registration, keys } = state;
  const after: Producer = { version: (before?.version ?? 0) + 1, registration, keys };
  if (!(await directory.claimRole(registration))) {
    throw new ProducerConflictError('role_is_taken', 'another producer is registered by this role');
  }
  const now = clock();
  const record: ProducerRecord = {
    ...{ producer: 1, version: after.version, at: new Date(now).toISOString(), change, by },
    ...(keyId !== undefined && { keyId }),
    ...registration,
    keys,
  };
  try {
    const lock = lockFor(retention, retention.recordDays, now, now);
    await vault.putDocument(recordKey(after), record, lock);
  } catch (error) {
    if (!(error instanceof LineageError) || error.code !== 'conflicting_object') throw error;
    await finishOther(before, after, dependencies);
    throw changedMeanwhile();
  }
  const newKey = issued && { keyId: issued.shown.keyId, keyHash: bearerKeyHash(issued.key) };
  if (!(await directory.put(before, after, newKey))) throw changedMeanwhile();
  return { producer: after, ...(issued && { key: issued.key }) };
}

/**
 * Writes the rows of a change whose record stands, in case it broke off between the two. A key that it
 * issued was shown to nobody, and its hash is nowhere: it is left out.
 */
async function finishOther(
  before: Producer | undefined,
  { registration, version }: Producer,
  { vault, directory, clock }: ChangeDependencies,
): Promise<void> {
  const held = await vault.find(recordKey({ registration, version }));
  if (!held) return;
  const record = JSON.parse(Buffer.from(held).toString('utf8')) as ProducerRecord;
  const { producer: _p, version: _v, by: _by, at, change, keyId, keys, ...rest } = record;
  if (clock() - Date.parse(at) < BROKEN_OFF_AFTER_MILLIS) return;
  const isLost = (key: IssuedKey) => key.keyId === keyId && change !== 'key_ended';
  await directory.put(before, {
    ...{ version, registration: rest },
    keys: keys.filter((key) => !isLost(key)),
  });
}

const changedMeanwhile = () =>
  new ProducerConflictError(
    'changed_meanwhile',
    'this producer was changed at the same time: look at it again, then repeat',
  );

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

/** `producers/<id>/<version>.json`, eight digits, so that a listing is in order. */
function recordKey({ registration, version }: Pick<Producer, 'registration' | 'version'>): string {
  return `${EvidencePrefix.producers}${registration.producerId}/${String(version).padStart(8, '0')}.json`;
}

function issueKey({ clock, randomText }: ChangeDependencies) {
  const keyId = randomText(ID_ALPHABET, ID_CHARACTERS);
  const key = composeBearerKey(keyId, randomText(SECRET_ALPHABET, SECRET_CHARACTERS));
  const shown: IssuedKey = { keyId, issuedAt: new Date(clock()).toISOString() };
  return { key, shown };
}

function endingAt(key: IssuedKey, epochMillis: number): IssuedKey {
  return isValidAt(key, epochMillis)
    ? { ...key, validUntil: new Date(epochMillis).toISOString() }
    : key;
}

/** Order of members says nothing. */
function isSame(a: Registration, b: Registration): boolean {
  const sorted = (value: unknown): unknown =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.entries(value)
          .map(([name, inner]) => [name, sorted(inner)])
          .sort(([x], [y]) => (String(x) < String(y) ? -1 : 1))
      : value;
  return JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
}
