import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import { sha256Hex } from '../evidence/store-key.ts';
import { type Digest, isDigestKey, isSealed } from './digest.ts';
import { type Hole, MAX_DIGEST_BYTES } from './verify-chain.ts';
import type { Damage, ReportDamage } from './verify-damage.ts';
import { readDigest } from './verify-document.ts';
import type { Suspects } from './verify-moves.ts';
import { holdObject } from './verify-object.ts';
import { type ListedObject, readWhole, type SealedStore } from './verify-store.ts';

/** Slots of the tally: 4 MB, whatever the store holds. */
const SLOT_HEX_DIGITS = 5;
/** Objects that are looked up in the digests by name; those beyond are counted. */
const MAX_CANDIDATES = 10_000;

interface Candidate {
  readonly version: ListedObject;
  claims: number;
}

/** What a search has to know of the chain. */
export interface SearchOptions {
  readonly covers: (version: ListedObject) => boolean;
  readonly head: Digest;
  readonly holes: readonly Hole[];
  /** Whether a version that landed after the head should be sealed by now. */
  readonly isOverdue: (version: ListedObject) => boolean;
  readonly report: ReportDamage;
  readonly suspects: Suspects;
}

/**
 * Finds what stands in the store and in no digest, in flat memory: sealed versions that are there and listed versions are
 * counted in slots by a hash of their names, and only where the counts differ names are compared.
 */
export class UnsealedSearch {
  readonly #store: SealedStore;
  readonly #tally = new Int32Array(16 ** SLOT_HEX_DIGITS);

  constructor(store: SealedStore) {
    this.#store = store;
  }

  /** Notes a sealed version that the store holds. */
  sealed(version: Pick<ListedObject, 'key' | 'versionId'>): void {
    this.#count(version, -1);
  }

  /** Lists the store, once when everything in it is sealed. */
  async search(options: SearchOptions) {
    let notSealedYet = 0;
    let before: string | undefined;
    for await (const version of this.#listed(options)) {
      const { key, versionId } = version;
      if (version.deleteMarker || key === before) {
        const detail = version.deleteMarker ? 'a delete marker' : `version ${versionId}`;
        options.report({ kind: 'second_version', key, ...(versionId && { versionId }), detail });
      }
      if (version.deleteMarker) continue;
      before = key;
      if (!this.#isAfterHead(version, options)) this.#count(version, 1);
      else if (options.isOverdue(version)) options.report(unsealedTail(version, options));
      else notSealedYet++;
    }
    const isEven = this.#tally.every((surplus) => surplus === 0);
    return { notSealedYet, notJudged: isEven ? 0 : await this.#compare(options) };
  }

  async *#listed({ covers }: SearchOptions): AsyncGenerator<ListedObject> {
    for await (const version of this.#store.list('')) {
      if (isSealed(version.key) && covers(version)) yield version;
    }
  }

  /** A copy without a list of versions does not know when an object landed: it goes by names first. */
  #isAfterHead({ lastModified }: ListedObject, { head }: SearchOptions): boolean {
    return this.#store.knowsVersions && Date.parse(lastModified) >= Date.parse(head.to);
  }

  async #compare(options: SearchOptions): Promise<number> {
    const candidates = new Map<string, Candidate>();
    let notJudged = 0;
    for await (const version of this.#listed(options)) {
      if (version.deleteMarker || this.#isAfterHead(version, options)) continue;
      if (this.#tally[this.#slotOf(version)] === 0) continue;
      if (candidates.size < MAX_CANDIDATES) {
        candidates.set(this.#nameOf(version), { version, claims: 0 });
      } else notJudged++;
    }
    await this.#claim(candidates);
    for (const candidate of candidates.values()) await this.#judge(candidate, options);
    return notJudged;
  }

  /** Counts how many digests list each candidate. */
  async #claim(candidates: ReadonlyMap<string, Candidate>): Promise<void> {
    for await (const { key, versionId } of this.#store.list(EvidencePrefix.digests)) {
      const opened = isDigestKey(key) ? await this.#store.open(key, versionId) : undefined;
      const bytes = opened && (await readWhole(opened, MAX_DIGEST_BYTES));
      const digest = bytes ? readDigest(bytes) : '';
      if (typeof digest === 'string') continue;
      for (const object of digest.objects) {
        const candidate = candidates.get(this.#nameOf(object));
        if (candidate) candidate.claims++;
      }
    }
  }

  async #judge({ version, claims }: Candidate, options: SearchOptions): Promise<void> {
    const { key, versionId } = version;
    const at = { key, ...(versionId && { versionId }) };
    if (claims === 1) return;
    if (claims > 1) {
      const kind = this.#store.knowsVersions ? 'malformed_digest' : 'second_version';
      return options.report({ kind, ...at, detail: `it was sealed ${claims} times` });
    }
    const landed = Date.parse(version.lastModified);
    const isIn = ({ from, to }: Hole) => landed >= Date.parse(from) && landed < Date.parse(to);
    if (options.holes.some(isIn)) return; // its digest is what is damaged
    const opened = await this.#store.open(key, versionId);
    const found = opened && (await holdObject(key, opened)).sha256;
    const damage: Damage =
      landed >= Date.parse(options.head.to)
        ? unsealedTail(version, options)
        : { kind: 'extra_object', ...at, detail: `it landed at ${version.lastModified}` };
    options.suspects.add({ damage, ...(found !== undefined && { found }) });
  }

  #count(version: Pick<ListedObject, 'key' | 'versionId'>, by: number): void {
    const slot = this.#slotOf(version);
    this.#tally[slot] = (this.#tally[slot] as number) + by;
  }

  #slotOf(version: Pick<ListedObject, 'key' | 'versionId'>): number {
    return Number.parseInt(sha256Hex(this.#nameOf(version)).slice(0, SLOT_HEX_DIGITS), 16);
  }

  #nameOf({ key, versionId }: Pick<ListedObject, 'key' | 'versionId'>): string {
    return this.#store.knowsVersions ? `${key}\n${versionId}` : key;
  }
}

function unsealedTail({ key, versionId, lastModified }: ListedObject, { head }: SearchOptions) {
  const detail = `it landed at ${lastModified}, the head ends at ${head.to}`;
  return { kind: 'unsealed_tail', key, ...(versionId && { versionId }), detail } as const;
}
