import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import { lockFor, type RetentionPolicy } from '../evidence/retention.ts';
import type { Clock, EvidenceVault } from '../ports.ts';
import { bearerKeyHash, composeBearerKey } from './bearer-key.ts';
import type { Registration } from './registration.ts';

export interface RegisterProducerDependencies {
  readonly vault: EvidenceVault;
  /** Files the hash of a key with the registration it belongs to. */
  readonly putKey: (keyId: string, keyHash: string, registration: Registration) => Promise<void>;
  readonly retention: RetentionPolicy;
  readonly clock: Clock;
  /** Letters and digits from a cryptographic source. */
  readonly randomText: (alphabet: string, length: number) => string;
}

const ID_ALPHABET = '0123456789abcdefghijklmnopqrstuvwxyz';
const SECRET_ALPHABET = `${ID_ALPHABET}ABCDEFGHIJKLMNOPQRSTUVWXYZ`;
const ID_CHARACTERS = 12;
/** 32 of 62 letters: 190 bits. */
const SECRET_CHARACTERS = 32;

/**
 * Registers a producer and issues its key, which is shown this once. The locked record goes first
 * and never holds a key hash: registrations survive the table, keys are issued anew.
 */
export async function registerProducer(
  registration: Registration,
  { vault, putKey, retention, clock, randomText }: RegisterProducerDependencies,
): Promise<string> {
  const now = clock();
  const keyId = randomText(ID_ALPHABET, ID_CHARACTERS);
  const key = composeBearerKey(keyId, randomText(SECRET_ALPHABET, SECRET_CHARACTERS));
  const at = new Date(now).toISOString();
  await vault.putDocument(
    `${EvidencePrefix.producers}${registration.producerId}/${at.replaceAll(':', '')}-${keyId}.json`,
    { producer: 1, at, change: 'registered', keyId, ...registration },
    lockFor(retention, retention.recordDays, now, now),
  );
  await putKey(keyId, bearerKeyHash(key), registration);
  return key;
}
