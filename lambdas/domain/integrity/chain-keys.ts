import type { KeyObject } from 'node:crypto';
import { mapConcurrently } from '../concurrency.ts';
import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import type { ListedVersion } from '../evidence/ports.ts';
import { DAY_MILLIS } from '../evidence/retention.ts';
import { ifReadable } from '../if-readable.ts';
import { publicKeyKey } from './digest.ts';
import type { ChainReaders, SignedDigests } from './proof-digests.ts';
import { firstVersions } from './seal-listing.ts';
import { readPublicKey, type SigningKey } from './signing-key.ts';

/** Generations that a store can have: what landed after so many keys is none. */
const MAX_KEYS = 100;

/** Most stores have one or two. */
const CONCURRENT_KEYS = 4;

/** As {@link publicKeyKey} makes it. */
const KEY_NAME = /^public-keys\/[0-9a-f]{64}\.pem$/;

interface LandedKey extends SigningKey {
  readonly version: ListedVersion;
}

/** The digest that announces a key is the first one after it: documents of a day that are read to find it. */
const MAX_READ_OF_DAY = 16;

/** A sealer that catches up announces a key in an old interval: the stream has kept records no longer than this. */
const MAX_DAYS_BACK = 40;

/**
 * The keys that digests of a vault may be signed with, for who does not walk the chain. The first is the oldest below
 * `public-keys/`: it landed before the first digest, and nobody can date a later one back, for S3 does. Another counts when
 * a digest under a key before it announced it, which is looked for where the sealer writes it: right after the key.
 */
export class ChainKeys {
  readonly #digests: SignedDigests;
  readonly #readers: ChainReaders;
  readonly #known = new Map<string, Promise<KeyObject | undefined>>();
  #landed: Promise<readonly LandedKey[]> | undefined;

  constructor(digests: SignedDigests, readers: ChainReaders) {
    this.#digests = digests;
    this.#readers = readers;
  }

  /** Undefined for a key that nothing leads to. */
  of(fingerprint: string): Promise<KeyObject | undefined> {
    const known = this.#known.get(fingerprint);
    if (known) return known;
    const found = this.#find(fingerprint);
    this.#known.set(fingerprint, found);
    // What failed is asked for again.
    found.catch(() => this.#known.delete(fingerprint));
    return found;
  }

  async #find(fingerprint: string): Promise<KeyObject | undefined> {
    this.#landed ??= this.#list();
    const landed = await this.#landed.catch((error) => {
      this.#landed = undefined;
      throw error;
    });
    const generation = landed.findIndex((key) => key.fingerprint === fingerprint);
    const found = landed[generation];
    if (!found || generation === 0) return found?.key;
    const before = new Set(landed.slice(0, generation).map((key) => key.fingerprint));
    return (await this.#isAnnounced(fingerprint, found.version, before)) ? found.key : undefined;
  }

  /** @param before keys that landed earlier: only one of them can have announced it */
  async #isAnnounced(
    fingerprint: string,
    { lastModified }: ListedVersion,
    before: ReadonlySet<string>,
  ): Promise<boolean> {
    const since = Date.parse(lastModified);
    for (let days = 0; days <= MAX_DAYS_BACK; days++) {
      const written = (await this.#digests.ofDay(since - days * DAY_MILLIS))
        .filter((version) => Date.parse(version.lastModified) >= since)
        .sort((a, b) => Date.parse(a.lastModified) - Date.parse(b.lastModified));
      for (const version of written.slice(0, MAX_READ_OF_DAY)) {
        if (await this.#announces(version, fingerprint, before)) return true;
      }
    }
    return false;
  }

  async #announces(
    version: ListedVersion,
    fingerprint: string,
    before: ReadonlySet<string>,
  ): Promise<boolean> {
    const accepted = await ifReadable(async () => {
      const { nextSigner, signer } = (await this.#digests.read(version)).digest;
      const isSaid = nextSigner?.fingerprint === fingerprint;
      return isSaid && before.has(signer.fingerprint) && (await this.#digests.accepted(version));
    });
    return Boolean(accepted);
  }

  /** In the order in which they landed. What lies among them and is no key under its own name counts for none. */
  async #list(): Promise<readonly LandedKey[]> {
    const listed: ListedVersion[] = [];
    const { inspector } = this.#readers;
    for await (const version of inspector.list(this.#digests.bucket, EvidencePrefix.publicKeys)) {
      if (KEY_NAME.test(version.key)) listed.push(version);
    }
    const named = firstVersions(listed)
      .sort((a, b) => Date.parse(a.lastModified) - Date.parse(b.lastModified))
      .slice(0, MAX_KEYS);
    const landed = await mapConcurrently(named, CONCURRENT_KEYS, (version) => this.#read(version));
    return landed.filter((key) => key !== undefined);
  }

  async #read(version: ListedVersion): Promise<LandedKey | undefined> {
    const bytes = await ifReadable(() => this.#readers.reader.read(version));
    const key = bytes && readPublicKey(Buffer.from(bytes));
    return key && publicKeyKey(key.fingerprint) === version.key ? { ...key, version } : undefined;
  }
}
