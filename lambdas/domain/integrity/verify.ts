import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import { hourFolder, hourOf } from '../evidence/hour-shard.ts';
import { receiptTime } from '../evidence/receipt.ts';
import { UNANCHORED } from './digest.ts';
import type { RecordProof } from './record-proof.ts';
import type { SigningKey } from './signing-key.ts';
import { ChainWalk, type LateBegin, type WalkedDigest } from './verify-chain.ts';
import type { ReportDamage } from './verify-damage.ts';
import { TrustedKeys } from './verify-keys.ts';
import { Suspects } from './verify-moves.ts';
import { checkObjects, type ObjectCheck } from './verify-objects.ts';
import { proofsIn } from './verify-record.ts';
import { Recounts, type RecountTally } from './verify-recounts.ts';
import type { SealedStore } from './verify-store.ts';
import { UnsealedSearch } from './verify-unsealed.ts';

/** How long the sealer may take beyond the intervals themselves, in a store that is in use. */
const SEALING_GRACE_MILLIS = 10 * 60_000;
/** Intervals are whole divisors of an hour. */
const MAX_INTERVAL_MILLIS = 3_600_000;
/** An object waits for the end of its interval, and then for the next run of the sealer. */
const INTERVALS_UNTIL_SEALED = 2;

const PREFIXES: ReadonlySet<string> = new Set(Object.values(EvidencePrefix));

export interface VerifyOptions {
  readonly report: ReportDamage;
  /** Our own clock. */
  readonly nowMillis: number;
  /** Whether objects still land in the store: in a copy everything must be sealed. */
  readonly isLive?: boolean;
  /** The key of the first digest, known from elsewhere; otherwise the first digest is trusted for its own. */
  readonly pinned?: SigningKey;
  /** Hex SHA-256 of a digest, known from elsewhere: the chain must reach it. */
  readonly head?: string;
  /** Which versions are read; the chain is always walked as a whole. */
  readonly covers?: (version: { readonly key: string; readonly lastModified: string }) => boolean;
  /** Proves the records of a receipt: reads no objects but those that may hold them, and judges no others. */
  readonly receiptId?: string;
  /** Called after each digest. */
  readonly progress?: (done: Readonly<Verification>) => void;
}

/** What a verification looked at, and what it could not say. */
export interface Verification {
  digests: number;
  /** Digests under a trusted key. */
  proven: number;
  /** Versions read and compared, their bytes, and their lines. */
  objects: number;
  bytes: number;
  records: number;
  /** Of digests that are not proven: what they say of objects is worth nothing. */
  objectsNotProven: number;
  /** Sealed by name and size, since the sealer could not read them. */
  unread: number;
  /** Not there, and their locks had ended: whoever may delete may have deleted them. */
  expired: number;
  locksNotKnown: number;
  versionsKnown: boolean;
  /** In a store that is in use: landed after the head, and not overdue. */
  notSealedYet: number;
  /** Beyond what is compared by name. */
  notJudged: number;
  /** Landed before a chain whose first digests expired: no digest is left that could tell of them. */
  beforeChain: number;
  /** Where the chain begins, when the digests before that expired. */
  begin?: LateBegin;
  recounts: RecountTally;
  /** Digests whose heads were sent nowhere. */
  unanchored: number;
  trust: 'pinned' | 'on first use';
  /** Fingerprint of the key that signed the first proven digest: every later one was announced under a key before it. */
  firstSigner?: string;
  /** The last proven digest. */
  head?: {
    readonly key: string;
    readonly number: number;
    readonly to: string;
    readonly sha256: string;
    readonly fingerprint: string;
    readonly anchor: string;
  };
  proofs: RecordProof[];
}

/**
 * Verifies a vault or a copy of one. Damage is reported as it is found; what may only be displaced is reported at the end.
 * @throws AccessDeniedError, UnavailableError when it cannot look: that never means that something holds
 */
export async function verify(store: SealedStore, options: VerifyOptions): Promise<Verification> {
  const { report, receiptId } = options;
  const done = nothingDone(store, options);
  const suspects = new Suspects(report);
  const unsealed = new UnsealedSearch(store);
  const { nowMillis, isLive } = options;
  const settledMillis = isLive ? nowMillis - SEALING_GRACE_MILLIS : Number.POSITIVE_INFINITY;
  const keys = new TrustedKeys(store, options.pinned);
  const recounts = new Recounts();
  const covers = options.covers ?? (() => true);
  const chain = new ChainWalk(store, {
    ...{ keys, report, asOfMillis: nowMillis, settledMillis, covers },
  });
  const hour = receiptId === undefined ? '' : hourOfReceipt(receiptId);
  const check: ObjectCheck = {
    ...{ store, report, suspects },
    covers: (object) => covers(object) && object.key.includes(hour),
    unread(object) {
      unsealed.sealed(object);
      done.unread++;
    },
    present(object, held) {
      if (!object.again) unsealed.sealed(object);
      done.objects++;
      done.bytes += held.bytes;
      done.records += held.records?.lines.length ?? 0;
      if (held.lock === 'unknown') done.locksNotKnown++;
    },
    mayBeGone({ retainUntil }) {
      const isExpired = retainUntil !== undefined && Date.parse(retainUntil) < nowMillis;
      if (isExpired) done.expired++;
      return isExpired;
    },
    whole(checked) {
      if (receiptId !== undefined) done.proofs.push(...proofsIn(checked, receiptId));
    },
  };
  let head: WalkedDigest | undefined;
  let isHeadSeen = options.head === undefined;
  for await (const walked of chain.walk()) {
    done.digests++;
    if (walked.digest.anchor === UNANCHORED) done.unanchored++;
    if (walked.proven) {
      done.proven++;
      done.firstSigner ??= walked.digest.signer.fingerprint;
      head = walked;
      isHeadSeen ||= walked.sha256 === options.head;
      recounts.add(walked.digest, (from) => covers({ key: walked.key, lastModified: from }));
      await checkObjects(walked, check);
    } else done.objectsNotProven += walked.digest.objects.length;
    options.progress?.(done);
  }
  // What holds nothing of a vault is no vault: nothing can be missing from it.
  const isVault = !chain.isEmpty || (await holdsEvidence(store));
  if (!isHeadSeen && isVault) {
    const last = head ? `; the last that is proven is ${head.key}` : '';
    const detail = `no proven digest has the SHA-256 ${options.head}${last}`;
    report({ kind: 'missing_digest', key: EvidencePrefix.digests, detail });
  }
  done.recounts = recounts.tally;
  if (chain.begin) done.begin = chain.begin;
  if (head) {
    const { digest, key, sha256 } = head;
    const { number, from, to, signer, anchor } = digest;
    done.head = { key, number, to, sha256, fingerprint: signer.fingerprint, anchor };
    const dueMillis = settledMillis - INTERVALS_UNTIL_SEALED * (Date.parse(to) - Date.parse(from));
    const isOverdue = (sinceMillis: number) => sinceMillis < dueMillis;
    if (receiptId === undefined) {
      recounts.damages().forEach(report);
      const { holes, begin } = chain;
      const search = {
        covers,
        head: digest,
        holes,
        begin: begin?.from,
        isOverdue,
        report,
        suspects,
      };
      Object.assign(done, await unsealed.search(search));
    }
  }
  const firstDueMillis = settledMillis - INTERVALS_UNTIL_SEALED * MAX_INTERVAL_MILLIS;
  if (chain.isEmpty && (await holdsEvidence(store, firstDueMillis))) {
    report({
      kind: 'missing_digest',
      key: EvidencePrefix.digests,
      detail: 'there is not one, and objects have long landed',
    });
  }
  suspects.resolve();
  return done;
}

function nothingDone({ knowsVersions }: SealedStore, { pinned }: VerifyOptions): Verification {
  return {
    ...{ digests: 0, proven: 0, objects: 0, bytes: 0, records: 0 },
    ...{
      objectsNotProven: 0,
      unread: 0,
      expired: 0,
      locksNotKnown: 0,
      notSealedYet: 0,
      notJudged: 0,
      beforeChain: 0,
      unanchored: 0,
    },
    recounts: new Recounts().tally,
    versionsKnown: knowsVersions,
    trust: pinned ? 'pinned' : 'on first use',
    proofs: [],
  };
}

/** Whether something stands under a prefix of the vault, and landed before. */
async function holdsEvidence(
  store: SealedStore,
  beforeMillis = Number.POSITIVE_INFINITY,
): Promise<boolean> {
  for await (const { key, lastModified } of store.list('')) {
    const isOfVault = PREFIXES.has(key.slice(0, key.indexOf('/') + 1));
    if (isOfVault && Date.parse(lastModified) < beforeMillis) return true;
  }
  return false;
}

/** The folder of the hour in which a receipt was issued; empty, which is part of every key, for one that does not say. */
function hourOfReceipt(receiptId: string): string {
  const millis = receiptTime(receiptId);
  return millis === undefined ? '' : hourFolder(hourOf(millis));
}
