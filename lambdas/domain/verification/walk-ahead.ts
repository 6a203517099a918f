import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import { ChainWalk, stemOf, type WalkedDigest } from '../integrity/verify-chain.ts';
import type { ReportDamage } from '../integrity/verify-damage.ts';
import { type KnownKeys, TrustedKeys } from '../integrity/verify-keys.ts';
import type { ListedObject, SealedStore } from '../integrity/verify-store.ts';

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
  readonly head: VerifiedHead;
  readonly keys: KnownKeys;
  /** Fingerprints of all keys that proven digests were signed with. */
  readonly signers: readonly string[];
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
    settledMillis,
    hasTime,
  }: {
    readonly store: SealedStore;
    readonly report: ReportDamage;
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
    ...{ keys, report, settledMillis },
    firstNumber: before?.head.number ?? 0,
  });
  const signers = new Set(before?.signers);
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
    first ??= key;
    head = headOf(walked);
    signers.add(head.fingerprint);
  }
  const isProven = first !== undefined && head !== undefined;
  return {
    digests,
    isAtEnd,
    ...(isProven && {
      state: { first, head, keys: keys.known, signers: [...signers] } as ChainState,
    }),
  };
}

/** A store whose chain is what is given. */
export function listingOf(
  store: SealedStore,
  chain: () => AsyncIterable<ListedObject>,
): SealedStore {
  return {
    ...(store.bucket !== undefined && { bucket: store.bucket }),
    knowsVersions: store.knowsVersions,
    list: (prefix) => (prefix === EvidencePrefix.digests ? chain() : store.list(prefix)),
    open: (key, versionId) => store.open(key, versionId),
  };
}

function headOf({ digest, key, sha256 }: WalkedDigest): VerifiedHead {
  const { number, from, to, signer, anchor } = digest;
  return { key, number, from, to, sha256, fingerprint: signer.fingerprint, anchor };
}
