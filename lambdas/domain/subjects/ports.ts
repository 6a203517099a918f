/** Keys of persons, each at random, in a table that forgets. */
export interface SubjectKeys {
  /**
   * The key held under a look-up, made where there was none: of two who make one at a time both get the first.
   * Never cached, so that an erasure counts at once.
   * @returns undefined when it was erased
   * @throws UnavailableError
   */
  secretOf(lookup: string): Promise<Uint8Array | undefined>;
}

/** What stands where a key was destroyed, so that none is made there again. */
export interface Tombstone {
  readonly erasureId: string;
  /** RFC 3339 UTC. */
  readonly erasedAt: string;
  readonly reference: string;
  /** False where the person had not been named before. */
  readonly hadKey: boolean;
}

/** The same keys, for whoever answers to the persons. */
export interface ErasableSubjects {
  /** Undefined when there was never a key. @throws UnavailableError */
  find(lookup: string): Promise<{ readonly secret: Uint8Array } | Tombstone | undefined>;
  /** Puts a tombstone in the place of a key, or where none is; one that stands there stays. @throws UnavailableError */
  erase(lookup: string, erasure: Omit<Tombstone, 'hadKey'>): Promise<Tombstone>;
}
