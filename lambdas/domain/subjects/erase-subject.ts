import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import type { EpochKey } from '../evidence/keyed-hash.ts';
import { type RecordDependencies, recordLock } from '../evidence/record-finding.ts';
import type { ErasableSubjects, Tombstone } from './ports.ts';
import { subjectLookup, subjectPseudonym } from './pseudonym.ts';

export interface SubjectDependencies extends Pick<RecordDependencies, 'retention' | 'clock'> {
  readonly vault: Pick<RecordDependencies['vault'], 'putDocument'>;
  readonly subjects: ErasableSubjects;
  /** Of every epoch that was not destroyed: to leave one out would leave a key of the person in place. */
  readonly epochKeys: () => Promise<readonly EpochKey[]>;
  readonly newErasureId: () => string;
}

/** That a key was destroyed: all that the vault ever says of an erasure. Nothing in it leads to the person. */
export interface Erasure {
  readonly erasure: 1;
  /** At random. */
  readonly id: string;
  /** RFC 3339 UTC. */
  readonly at: string;
  readonly by: { readonly via: 'aws-credentials' };
  /** The operator's own, such as the number of a request. */
  readonly reference: string;
  /** One for each HMAC epoch in which the person was named. */
  readonly keysDestroyed: number;
}

/**
 * Destroys the keys of a subject and records that, in this order: a record never claims what was not done. Run
 * again after it broke off, it completes the same records. Stored lines stay as they are; what comes later of this
 * person has nothing in their place.
 * @returns every erasure of this person; none when no key was ever held for them
 * @throws UnavailableError when table or vault does not answer
 */
export async function eraseSubject(
  identity: string,
  reference: string,
  dependencies: SubjectDependencies,
): Promise<readonly Erasure[]> {
  const { subjects, clock, newErasureId, vault } = dependencies;
  const lookups = await lookupsOf(identity, dependencies);
  const held = await Promise.all(lookups.map((lookup) => subjects.find(lookup)));
  if (held.every((subject) => subject === undefined)) return [];

  const erasedAt = new Date(clock()).toISOString();
  const erasure = { erasureId: newErasureId(), erasedAt, reference };
  // Also where no key was held: whoever is named there for the first time would get one.
  const tombstones = await Promise.all(lookups.map((lookup) => subjects.erase(lookup, erasure)));

  const records = recordsOf(tombstones);
  for (const record of records) {
    const key = `${EvidencePrefix.erasures}${record.id}.json`;
    await vault.putDocument(key, record, recordLock(record.at, dependencies));
  }
  return records;
}

function recordsOf(tombstones: readonly Tombstone[]): Erasure[] {
  const records = new Map<string, Erasure>();
  for (const { erasureId: id, erasedAt: at, reference, hadKey } of tombstones) {
    const keysDestroyed = (records.get(id)?.keysDestroyed ?? 0) + (hadKey ? 1 : 0);
    const by = { via: 'aws-credentials' } as const;
    records.set(id, { erasure: 1, id, at, by, reference, keysDestroyed });
  }
  return [...records.values()];
}

/**
 * The pseudonyms of a subject, for an answer to a request for access; of an erased one the ids of the erasures.
 * @returns neither when no key was ever held for them
 */
export async function viewSubject(
  identity: string,
  dependencies: SubjectDependencies,
): Promise<{ readonly pseudonyms: readonly string[]; readonly erasures: readonly string[] }> {
  const lookups = await lookupsOf(identity, dependencies);
  const held = await Promise.all(lookups.map((lookup) => dependencies.subjects.find(lookup)));
  const pseudonyms = held.flatMap((subject) =>
    subject && 'secret' in subject ? subjectPseudonym(subject.secret, identity) : [],
  );
  const erasures = held.flatMap((subject) =>
    subject && 'erasureId' in subject ? subject.erasureId : [],
  );
  return { pseudonyms, erasures: [...new Set(erasures)] };
}

async function lookupsOf(
  identity: string,
  { epochKeys }: Pick<SubjectDependencies, 'epochKeys'>,
): Promise<string[]> {
  return (await epochKeys()).map((key) => subjectLookup(key, identity));
}
