import { ChainWalk, type LateBegin, stemOf, type WalkedDigest } from '../integrity/verify-chain.ts';
import type { ReportDamage } from '../integrity/verify-damage.ts';
import { type KnownKeys, TrustedKeys } from '../integrity/verify-keys.ts';
import { type RecountState, Recounts } from '../integrity/verify-recounts.ts';
import { type ListedObject, listingOf, type SealedStore } from '../integrity/verify-store.ts';

/** The last digest that was proven. */
export interface VerifiedHead {
  readonly key: string;
  readonly number: number;
  readonly from: string;
  readonly to: string;
  readonly sha256: string;
  readonly fingerprint: string;
  readonly anchor: string;
}

/** How far the chain was proven. */
export interface ChainState {
  /** Key of the first digest. */
  readonly first: string;
  /** Where it begins, when the digests before that expired. */
  readonly begin?: LateBegin;
  readonly head: VerifiedHead;
  readonly keys: KnownKeys;
  /** Fingerprints of all keys that proven digests were signed with. */
  readonly signers: readonly string[];
  /** Absent in a report of a store that did not look at them. */
  readonly recounts?: RecountState;
}

export interface WalkAhead {
  readonly state?: ChainState;
  /** Digests that were read, the head verified before not counted. */
  readonly digests: number;
  /** Whether the walk came to the end of the chain. */
  readonly isAtEnd: boolean;
}

/** Walks from the head verified last, or from the first digest, as far as there is time. @throws AccessDeniedError */
export async function walkAhead(
  ahead: readonly ListedObject[],
  before: ChainState | undefined,
  {
    store,
    report,
    asOfMillis,
    settledMillis,
    hasTime,
  }: {
    readonly store: SealedStore;
    readonly report: ReportDamage;
    readonly asOfMillis: number;
    readonly settledMillis: number;
    readonly hasTime: () => boolean;
  },
): Promise<WalkAhead> {
  let isAtEnd = true;
  // A digest is begun with all of its parts, or not at all.
  async function* parts() {
    let stem = '';
    for (const listed of ahead) {
      const next = stemOf(listed.key) ?? listed.key;
      if (next !== stem && stem !== '' && !hasTime()) {
        isAtEnd = false;
        return;
      }
      stem = next;
      yield listed;
    }
  }
  const keys = new TrustedKeys(store, undefined, before?.keys);
  const chain = new ChainWalk(listingOf(store, parts), {
    ...{ keys, report, asOfMillis, settledMillis },
    firstNumber: before?.head.number ?? 0,
  });
  const signers = new Set(before?.signers);
  const recounts = new Recounts(before?.recounts);
  let { first, head } = before ?? {};
  let digests = 0;
  for await (const walked of chain.walk()) {
    const { key, sha256 } = walked;
    if (key !== before?.head.key) digests++;
    else if (sha256 !== before.head.sha256) {
      const detail = `verified before with SHA-256 ${before.head.sha256}`;
      report({ kind: 'modified_object', key, detail });
    }
    if (!walked.proven) continue;
    if (key !== before?.head.key || !before.recounts) recounts.add(walked.digest);
    first ??= key;
    head = headOf(walked);
    signers.add(head.fingerprint);
  }
  const isProven = first !== undefined && head !== undefined;
  const begin = chain.begin ?? before?.begin;
  return {
    digests,
    isAtEnd,
    ...(isProven && {
      state: {
        ...{ first, head, keys: keys.known, signers: [...signers] },
        ...(begin && { begin }),
        recounts: recounts.state,
      } as ChainState,
    }),
  };
}

function headOf({ digest, key, sha256 }: WalkedDigest): VerifiedHead {
  const { number, from, to, signer, anchor } = digest;
  return { key, number, from, to, sha256, fingerprint: signer.fingerprint, anchor };
}
