import { mapConcurrently } from '../concurrency.ts';
import type { EpochKey } from '../evidence/keyed-hash.ts';
import type { SubjectKeys } from './ports.ts';
import {
  PLACEHOLDER,
  type SubjectPseudonyms,
  subjectLookup,
  subjectPseudonym,
} from './pseudonym.ts';

/** An event is about a few persons. A stranger's could name thousands, each of them a row: further ones are dropped. */
export const MAX_SUBJECTS_OF_RECORD = 100;

/** Enough to hide latency, few enough for one connection pool. */
const CONCURRENT_LOOKUPS = 16;

/** The persons that a record names where the policy says that one stands, in the order of the document. */
export class NamedSubjects {
  readonly #identities = new Set<string>();
  readonly #key: EpochKey;

  /** @param key of the record's epoch */
  constructor(key: EpochKey) {
    this.#key = key;
  }

  get count(): number {
    return this.#identities.size;
  }

  /** Notes who is asked for. Its answer stands for nobody: it shows how long the line will be. */
  readonly note: SubjectPseudonyms = (identity) => {
    const isOne = this.#identities.has(identity) || this.count < MAX_SUBJECTS_OF_RECORD;
    if (isOne) this.#identities.add(identity);
    return isOne ? PLACEHOLDER : undefined;
  };

  lookups(): string[] {
    return [...this.#identities].map((identity) => subjectLookup(this.#key, identity));
  }

  /** @param secrets by look-up; of an erased subject there is none */
  pseudonyms(secrets: ReadonlyMap<string, Uint8Array>): SubjectPseudonyms {
    return (identity) => {
      if (!this.#identities.has(identity)) return undefined;
      const secret = secrets.get(subjectLookup(this.#key, identity));
      return secret && subjectPseudonym(secret, identity);
    };
  }
}

/**
 * The keys of all subjects of some records, each got once; who is new gets one.
 * @throws UnavailableError when the table does not answer
 */
export async function secretsOf(
  named: readonly NamedSubjects[],
  keys: SubjectKeys,
): Promise<ReadonlyMap<string, Uint8Array>> {
  const lookups = [...new Set(named.flatMap((subjects) => subjects.lookups()))];
  const secrets = new Map<string, Uint8Array>();
  await mapConcurrently(lookups, CONCURRENT_LOOKUPS, async (lookup) => {
    const secret = await keys.secretOf(lookup);
    if (secret) secrets.set(lookup, secret);
  });
  return secrets;
}
