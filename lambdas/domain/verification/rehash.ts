import { ChainWalk, stemOf } from '../integrity/verify-chain.ts';
import type { ReportDamage } from '../integrity/verify-damage.ts';
import { TrustedKeys } from '../integrity/verify-keys.ts';
import type { Suspects } from '../integrity/verify-moves.ts';
import { checkObjects } from '../integrity/verify-objects.ts';
import { listingOf, type SealedStore } from '../integrity/verify-store.ts';

/** What was read again and compared. */
export interface Rehashed {
  digests: number;
  objects: number;
  bytes: number;
  records: number;
  /** Of digests that no known key signed: what they say of objects is worth nothing. */
  objectsNotProven: number;
  /** Sealed by name and size, since the sealer could not read them. */
  unread: number;
  /** Objects that are gone, whose lock had ended. */
  expired: number;
  /** Objects of which S3 did not say how they are locked. */
  locksNotKnown: number;
}

/** Reads digests again, one by one and in any order, with every object that they seal. */
export class Rehash {
  readonly done: Rehashed = {
    ...{ digests: 0, objects: 0, bytes: 0, records: 0 },
    ...{ objectsNotProven: 0, unread: 0, expired: 0, locksNotKnown: 0 },
  };
  readonly #store: SealedStore;
  readonly #keys: TrustedKeys;
  readonly #report: ReportDamage;
  readonly #suspects: Suspects;
  readonly #asOfMillis: number;

  /** @param signers fingerprints of the keys that the chain was proven with */
  constructor(
    store: SealedStore,
    context: {
      signers: readonly string[];
      report: ReportDamage;
      suspects: Suspects;
      asOfMillis: number;
    },
  ) {
    this.#store = store;
    this.#keys = new TrustedKeys(store, undefined, { proven: context.signers });
    this.#report = context.report;
    this.#suspects = context.suspects;
    this.#asOfMillis = context.asOfMillis;
  }

  /** @param key of a digest @throws AccessDeniedError */
  async check(key: string): Promise<void> {
    const { done } = this;
    const chain = new ChainWalk(
      listingOf(this.#store, () => this.#store.list(stemOf(key) ?? key)),
      {
        ...{ keys: this.#keys, report: this.#report, asOfMillis: this.#asOfMillis },
        settledMillis: Number.POSITIVE_INFINITY,
        firstNumber: 'any',
      },
    );
    for await (const walked of chain.walk()) {
      done.digests++;
      if (!walked.proven) {
        done.objectsNotProven += walked.digest.objects.length;
        continue;
      }
      await checkObjects(walked, {
        ...{ store: this.#store, report: this.#report, suspects: this.#suspects },
        covers: () => true,
        unread: () => {
          done.unread++;
        },
        present(_, held) {
          done.objects++;
          done.bytes += held.bytes;
          done.records += held.records?.lines.length ?? 0;
          if (held.lock === 'unknown') done.locksNotKnown++;
        },
        mayBeGone: ({ retainUntil }) => {
          const isExpired = retainUntil !== undefined && Date.parse(retainUntil) < this.#asOfMillis;
          if (isExpired) done.expired++;
          return isExpired;
        },
        whole() {},
      });
    }
  }
}
