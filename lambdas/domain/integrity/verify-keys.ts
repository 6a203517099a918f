import type { KeyObject } from 'node:crypto';
import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import { type Digest, publicKeyKey } from './digest.ts';
import { isSignedBy, MAX_KEY_BYTES, readPublicKey, type SigningKey } from './signing-key.ts';
import type { Damage } from './verify-damage.ts';
import { readWhole, type SealedStore } from './verify-store.ts';

/** What a verification that goes on behind another one knows of keys (by fingerprint). */
export interface KnownKeys {
  /** The key of the digest before, and the one announced since. */
  readonly trusted?: string;
  readonly announced?: string;
  /** Keys of digests that were proven in their order: when given, digests may be judged in any order, against these alone. */
  readonly proven?: readonly string[];
}

/** Whether a trusted key signed a digest, and what is wrong with it, unless that was said already. */
export interface Judgement {
  readonly isProven: boolean;
  readonly damage?: Damage;
}

/**
 * Which key the next digest may be signed with: the pinned one, or else that of the first digest; after it only one that
 * a digest under the key before announced, and never that key again.
 */
export class TrustedKeys {
  readonly #store: SealedStore;
  #trusted: string | undefined;
  #announced: string | undefined;
  readonly #proven: readonly string[] | undefined;
  readonly #keys = new Map<string, KeyObject>();
  /** Fingerprints whose key is not there, or another: said once, whatever it signed. */
  readonly #unusable = new Set<string>();
  /** Signer of the digest judged last, when nothing trusted had announced it. */
  #stranger: string | undefined;

  constructor(store: SealedStore, pinned?: SigningKey, known: KnownKeys = {}) {
    this.#store = store;
    this.#trusted = pinned?.fingerprint ?? known.trusted;
    this.#announced = known.announced;
    this.#proven = known.proven;
    if (pinned) this.#keys.set(pinned.fingerprint, pinned.key);
  }

  /** Where a later verification goes on. */
  get known(): KnownKeys {
    return {
      ...(this.#trusted !== undefined && { trusted: this.#trusted }),
      ...(this.#announced !== undefined && { announced: this.#announced }),
    };
  }

  /**
   * Digests are asked for in their order.
   * @param signature undefined where none is there, which whoever looked for it reports
   */
  async judge(digest: Digest, bytes: Buffer, signature: string | undefined): Promise<Judgement> {
    const unproven = (damage?: Damage) => ({ isProven: false, ...(damage && { damage }) });
    const { key } = digest.location;
    const { fingerprint } = digest.signer;
    const isAnnounced = fingerprint === this.#announced;
    const isTrusted = this.#proven
      ? this.#proven.includes(fingerprint)
      : this.#trusted === undefined || fingerprint === this.#trusted || isAnnounced;
    const isNamed = fingerprint === this.#stranger;
    this.#stranger = isTrusted || this.#proven ? undefined : fingerprint;
    if (!isTrusted && isNamed) return unproven(); // it goes on as the digest before
    if (!isTrusted) {
      const more = this.#proven ? '' : '; nor is what follows under that key proven';
      const detail = `no trusted digest announced its signer ${fingerprint}${more}`;
      return unproven({ kind: 'wrong_key', key, detail });
    }
    if (this.#unusable.has(fingerprint)) return unproven();
    const publicKey = this.#keys.get(fingerprint) ?? (await this.#load(fingerprint));
    if ('kind' in publicKey) {
      this.#unusable.add(fingerprint);
      return unproven(publicKey);
    }
    if (signature === undefined) return unproven();
    if (!isSignedBy(publicKey, bytes, signature)) {
      const detail = `it is not that of key ${fingerprint}`;
      return unproven({ kind: 'bad_signature', key, detail });
    }
    this.#keys.set(fingerprint, publicKey);
    this.#trusted = fingerprint;
    if (isAnnounced) this.#announced = undefined;
    if (digest.nextSigner) this.#announced = digest.nextSigner.fingerprint;
    return { isProven: true };
  }

  async #load(fingerprint: string): Promise<KeyObject | Damage> {
    const key = publicKeyKey(fingerprint);
    let versionId: string | undefined;
    let isThere = false;
    for await (const listed of this.#store.list(EvidencePrefix.publicKeys)) {
      if (listed.key !== key || listed.deleteMarker) continue;
      isThere = true;
      versionId = listed.versionId; // the oldest is listed last
    }
    const opened = isThere ? await this.#store.open(key, versionId) : undefined;
    if (!opened)
      return {
        kind: 'missing_object',
        key,
        detail: 'the public key of a signer: without it no digest under that key is proven',
      };
    const read = readPublicKey((await readWhole(opened, MAX_KEY_BYTES)) ?? Buffer.alloc(0));
    if (read?.fingerprint === fingerprint) return read.key;
    return { kind: 'wrong_key', key, detail: 'it holds no P-256 key of that fingerprint' };
  }
}
