import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import { type Digest, fingerprintOf, publicKeyKey } from './digest.ts';
import type { Damage } from './verify-damage.ts';
import { readWhole, type SealedStore } from './verify-store.ts';

/** A P-256 key in PEM takes 178 bytes. */
export const MAX_KEY_BYTES = 16 * 1024;

/** A public key that digests may be signed with. */
export interface SigningKey {
  readonly fingerprint: string;
  readonly key: KeyObject;
}

/** A P-256 public key in PEM, or undefined for anything else. */
export function readPublicKey(pem: Buffer): SigningKey | undefined {
  try {
    const key = createPublicKey(pem);
    if (key.asymmetricKeyDetails?.namedCurve !== 'prime256v1') return undefined;
    return { key, fingerprint: fingerprintOf(key.export({ type: 'spki', format: 'der' })) };
  } catch {
    return undefined;
  }
}

/** What a verification that goes on behind another one knows of keys (by fingerprint). */
export interface KnownKeys {
  /** The key of the digest before, and the one announced since. */
  readonly trusted?: string;
  readonly announced?: string;
  /** Keys of digests that were proven in their order: when given, digests may be judged in any order, against these alone. */
  readonly proven?: readonly string[];
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

  /** What is wrong with the signature of a digest; undefined when nothing is. Digests are asked for in their order. */
  async judge(
    digest: Digest,
    bytes: Buffer,
    signature: string | undefined,
  ): Promise<Damage | undefined> {
    const { key } = digest.location;
    const { fingerprint } = digest.signer;
    const isAnnounced = fingerprint === this.#announced;
    const isTrusted = this.#proven
      ? this.#proven.includes(fingerprint)
      : this.#trusted === undefined || fingerprint === this.#trusted || isAnnounced;
    if (!isTrusted) {
      return { kind: 'wrong_key', key, detail: `signer ${fingerprint} was never announced` };
    }
    const publicKey = this.#keys.get(fingerprint) ?? (await this.#load(fingerprint));
    if ('kind' in publicKey) return publicKey;
    if (signature === undefined || !isSignedBy(publicKey, bytes, signature)) {
      return { kind: 'bad_signature', key, detail: `it is not that of key ${fingerprint}` };
    }
    this.#keys.set(fingerprint, publicKey);
    this.#trusted = fingerprint;
    if (isAnnounced) this.#announced = undefined;
    if (digest.nextSigner) this.#announced = digest.nextSigner.fingerprint;
    return undefined;
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
    if (!opened) return { kind: 'missing_object', key, detail: 'the public key of a signer' };
    const read = readPublicKey((await readWhole(opened, MAX_KEY_BYTES)) ?? Buffer.alloc(0));
    if (read?.fingerprint === fingerprint) return read.key;
    return { kind: 'wrong_key', key, detail: 'it holds no P-256 key of that fingerprint' };
  }
}

/** One signature has one text: what else decodes to it was changed. */
export function isSignedBy(key: KeyObject, bytes: Buffer, signature: string): boolean {
  const der = Buffer.from(signature, 'base64');
  return der.toString('base64') === signature && verify('sha256', bytes, key, der);
}
