import { LineageError } from '../errors.ts';
import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import { type Hold, holdIdOf, holdKey, holdRowsOf, isActive } from '../holds/hold.ts';
import { checkRegistration } from '../producers/check-registration.ts';
import { recordKey } from '../producers/commit-change.ts';
import type { ProducerRecord } from '../producers/producer.ts';
import type { Registration } from '../producers/registration.ts';
import { areTexts, type Fields, isCount, isObject, isTime } from './shape.ts';

/**
 * Reads a document of a register.
 * @param key under which it lies: a document is believed only where its content belongs
 * @returns undefined for what nobody of ours wrote there
 */
export type ReadDocument<T> = (key: string, document: unknown) => T | undefined;

/** The wrapped key of an HMAC epoch, as far as it tells whether it is one. */
export const readEpoch: ReadDocument<object> = (key, document) => {
  if (!isObject(document) || document.hmacKey !== 1) return undefined;
  const { epoch, notBefore, kmsKeyArn, wrapped } = document;
  const isWhole = isCount(epoch, 0) && isTime(notBefore) && areTexts(kmsKeyArn, wrapped);
  return isWhole && key === `${EvidencePrefix.keys}hmac/epoch-${epoch}.json` ? document : undefined;
};

export const readProducer: ReadDocument<ProducerRecord> = (key, document) => {
  if (!isObject(document) || document.producer !== 1) return undefined;
  const { producer: _p, version, at, change: _c, by: _by, keyId: _k, keys, ...rest } = document;
  if (!isCount(version, 1) || !isTime(at) || !Array.isArray(keys) || !keys.every(isIssuedKey)) {
    return undefined;
  }
  const registration = readRegistration(rest);
  if (!registration || key !== recordKey(registration, version)) return undefined;
  return { ...(document as unknown as ProducerRecord), ...registration };
};

/** The rows of a step of a hold, none of an outcome. */
export const readHolds: ReadDocument<readonly Hold[]> = (key, document) => {
  if (!isObject(document)) return undefined;
  if (document.holdOutcome === 1) return [];
  return document.hold === 1 && isStep(key, document) ? holdRowsOf(document) : undefined;
};

function isStep(key: string, document: Fields): boolean {
  const { id, number, status, runId, runKey, group, reference, reason, by, at, set } = document;
  const isWhole =
    isCount(number, 1) &&
    areTexts(id, runId, runKey, reference, reason, by) &&
    (group === undefined || typeof group === 'string') &&
    isTime(at) &&
    (set === undefined || (isObject(set) && areTexts(set.reason, set.by) && isTime(set.at)));
  if (!isWhole) return false;
  const hold = document as unknown as Hold;
  return (
    status === (isActive(hold) ? 'active' : 'released') &&
    id === holdIdOf(hold, hold.reference) &&
    key === holdKey(hold.id, hold.number)
  );
}

/** Its retention class may be configured no more: whatever it is, it was when the record was made. */
function readRegistration(fields: Fields): Registration | undefined {
  const { retentionClass } = fields;
  if (!areTexts(retentionClass)) return undefined;
  try {
    return checkRegistration(fields, [retentionClass as string]);
  } catch (error) {
    if (error instanceof LineageError) return undefined;
    throw error;
  }
}

function isIssuedKey(key: unknown): boolean {
  if (!isObject(key)) return false;
  const { keyId, issuedAt, validUntil } = key;
  return areTexts(keyId) && isTime(issuedAt) && (validUntil === undefined || isTime(validUntil));
}
