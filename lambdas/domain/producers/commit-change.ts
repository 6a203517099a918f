import { LineageError } from '../errors.ts';
import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import type { Clock, DocumentVault } from '../evidence/ports.ts';
import { lockFor, type RetentionPolicy } from '../evidence/retention.ts';
import { bearerKeyHash } from './bearer-key.ts';
import type { NewKey, RandomText } from './issued-key.ts';
import type { ProducerDirectory } from './ports.ts';
import type { Producer, ProducerRecord } from './producer.ts';
import { ProducerConflictError } from './producer-errors.ts';
import type { Registration } from './registration.ts';

export interface ChangeDependencies {
  readonly vault: DocumentVault;
  readonly directory: ProducerDirectory;
  readonly retention: RetentionPolicy;
  readonly clock: Clock;
  readonly randomText: RandomText;
}

/** A producer after a change, and the key that the change issued: shown this once. */
export interface ChangedProducer {
  readonly producer: Producer;
  readonly key?: string;
}

/** What a change is called, who makes it, and the key that it ends or issues. */
export interface Change extends Pick<ProducerRecord, 'change' | 'by' | 'keyId'> {
  readonly issued?: NewKey;
}

/** Longer than any function lives: a record this old whose rows are missing has nobody who still writes them. */
const BROKEN_OFF_AFTER_MILLIS = 60_000;

/**
 * Locks the record of a change, then writes the rows. The record of a version is written once, so that
 * of two changes at the same time one is made and the other refused.
 * @param before undefined at registration
 * @throws ProducerConflictError; UnavailableError, after which the change may stand or come to stand
 */
export async function commitChange(
  before: Producer | undefined,
  state: Omit<Producer, 'version'>,
  { change, by, issued, keyId = issued?.shown.keyId }: Change,
  dependencies: ChangeDependencies,
): Promise<ChangedProducer> {
  const { vault, directory, retention, clock } = dependencies;
  const { registration, keys } = state;
  const after: Producer = { version: (before?.version ?? 0) + 1, registration, keys };
  if (!(await directory.mayHaveRole(registration))) {
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
    await vault.putDocument(recordKey(registration, after.version), record, lock);
  } catch (error) {
    if (!(error instanceof LineageError) || error.code !== 'conflicting_object') throw error;
    await finishOther(before, registration, after.version, dependencies);
    throw changedMeanwhile();
  }
  const newKey = issued && { keyId: issued.shown.keyId, keyHash: bearerKeyHash(issued.key) };
  if (!(await directory.put(before, after, newKey))) throw changedMeanwhile();
  return { producer: after, ...(issued && { key: issued.key }) };
}

/**
 * Writes the rows of a change whose record stands, in case it broke off between the two. Only the newest
 * record may be finished: a later one says that this change was made, and that the table has lost it.
 * @throws ProducerConflictError for such a table
 */
async function finishOther(
  before: Producer | undefined,
  registration: Registration,
  version: number,
  { vault, directory, clock }: ChangeDependencies,
): Promise<void> {
  const held = await vault.find(recordKey(registration, version));
  if (!held) return;
  const record = JSON.parse(Buffer.from(held).toString('utf8')) as ProducerRecord;
  if (clock() - Date.parse(record.at) < BROKEN_OFF_AFTER_MILLIS) return;
  if (await vault.find(recordKey(registration, version + 1))) throw tableIsBehind();
  await directory.put(before, await finished(record, before, directory));
}

/**
 * What is left of a change that broke off. A key that it issued was shown to nobody, and its hash is
 * nowhere: it is left out, and the others keep the validity they had, since no client can change over.
 * A role that another producer has got since is left out as well.
 */
async function finished(
  record: ProducerRecord,
  before: Producer | undefined,
  directory: ProducerDirectory,
): Promise<Producer> {
  const { producer: _p, version, at: _at, change, by: _by, keyId: _k, keys, ...rest } = record;
  const { roleArn: _role, ...withoutRole } = rest;
  const issuedOne = change === 'registered' || change === 'key_issued';
  return {
    version,
    registration: (await directory.mayHaveRole(rest)) ? rest : withoutRole,
    keys: issuedOne ? (before?.keys ?? []) : keys,
  };
}

const changedMeanwhile = () =>
  new ProducerConflictError(
    'changed_meanwhile',
    'this producer was changed at the same time: look at it again, then repeat',
  );

const tableIsBehind = () =>
  new ProducerConflictError(
    'table_is_behind',
    'the vault holds later changes of this producer than the producers table, which was lost or restored: see docs/operations.md, Producers and keys, before it is changed',
  );

/** `producers/<id>/<version>.json`, eight digits, so that a listing is in order. */
export function recordKey({ producerId }: Registration, version: number): string {
  return `${EvidencePrefix.producers}${producerId}/${String(version).padStart(8, '0')}.json`;
}
