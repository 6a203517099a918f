import { randomBytes } from 'node:crypto';
import type { EpochKey } from '../../../lambdas/domain/evidence/keyed-hash.ts';
import type { EpochKeys } from '../../../lambdas/domain/evidence/ports.ts';
import { STRICT } from '../../../lambdas/domain/redaction/policy.ts';
import type {
  ErasableSubjects,
  SubjectKeys,
  Tombstone,
} from '../../../lambdas/domain/subjects/ports.ts';
import { Faults } from './bucket.ts';

/** One epoch for all time. */
export class SingleEpochKey implements EpochKeys {
  readonly faults = new Faults();
  readonly key: EpochKey;

  constructor(key: EpochKey = { epoch: 0, secret: Buffer.alloc(32, 7) }) {
    this.key = key;
  }

  async at(_epochMillis: number): Promise<EpochKey> {
    this.faults.enter('at');
    return this.key;
  }

  async byEpoch(epoch: number): Promise<EpochKey | undefined> {
    this.faults.enter('byEpoch');
    return epoch === this.key.epoch ? this.key : undefined;
  }
}

/** Subject keys as a map. Calls yield first, so that two writers do interleave. */
export class InMemorySubjectKeys implements SubjectKeys, ErasableSubjects {
  readonly faults = new Faults();
  readonly held = new Map<string, { readonly secret: Uint8Array } | Tombstone>();
  calls = 0;

  async secretOf(lookup: string): Promise<Uint8Array | undefined> {
    this.calls++;
    this.faults.enter('secretOf');
    await Promise.resolve();
    const found = this.held.get(lookup) ?? { secret: randomBytes(32) };
    this.held.set(lookup, found);
    return 'secret' in found ? found.secret : undefined;
  }

  async find(lookup: string): Promise<{ readonly secret: Uint8Array } | Tombstone | undefined> {
    this.faults.enter('find');
    return this.held.get(lookup);
  }

  async erase(lookup: string, erasure: Omit<Tombstone, 'hadKey'>): Promise<Tombstone> {
    this.faults.enter('erase');
    const found = this.held.get(lookup);
    if (found && 'erasureId' in found) return found;
    const tombstone = { ...erasure, hadKey: found !== undefined };
    this.held.set(lookup, tombstone);
    return tombstone;
  }
}

/** What archiving needs beside the stores, for records of the epoch that builders use. */
export function singlePolicy() {
  return {
    epochKeys: new SingleEpochKey(),
    subjectKeys: new InMemorySubjectKeys(),
    policy: STRICT,
    recordPolicy: async () => undefined,
  };
}
