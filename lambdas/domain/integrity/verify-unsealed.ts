import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import { DAY_MILLIS } from '../evidence/retention.ts';
import { sha256Hex } from '../evidence/store-key.ts';
import { type Digest, isDigestKey, isSealed } from './digest.ts';
import { MAX_LATE } from './seal-sweep.ts';
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
  /** Whether what waits for a digest since then should have one by now. */
  readonly isOverdue: (sinceMillis: number) => boolean;
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
      else if (options.isOverdue(Date.parse(version.lastModified))) {
        options.report(unsealed(version, `the head ends at ${options.head.to}`));
      } else notSealedYet++;
    }
    const isEven = this.#tally.every((surplus) => surplus === 0);
    if (isEven) return { notSealedYet, notJudged: 0 };
    const compared = await this.#compare(options);
    return { ...compared, notSealedYet: notSealedYet + compared.notSealedYet };
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

  async #compare(options: SearchOptions) {
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
    let notSealedYet = 0;
    for (const candidate of candidates.values()) {
      if (await this.#judge(candidate, options)) notSealedYet++;
    }
    return { notSealedYet, notJudged };
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
        if (candidate && !object.again) candidate.claims++;
      }
    }
  }

  /** Answers true for what waits for its digest and is not damage yet. */
  async #judge({ version, claims }: Candidate, options: SearchOptions): Promise<boolean> {
    const { key, versionId, lastModified } = version;
    const at = { key, ...(versionId && { versionId }) };
    if (claims > 1) {
      const kind = this.#store.knowsVersions ? 'malformed_digest' : 'second_version';
      options.report({ kind, ...at, detail: `it was sealed ${claims} times` });
    }
    const landed = Date.parse(lastModified);
    const isIn = ({ from, to }: Hole) => landed >= Date.parse(from) && landed < Date.parse(to);
    // What landed in a hole is not blamed: its digest is.
    if (claims > 0 || options.holes.some(isIn)) return false;
    const swept = sweptMillis(options.head);
    if (landed >= swept && !options.isOverdue(swept + DAY_MILLIS)) return true;
    const opened = await this.#store.open(key, versionId);
    const found = opened && (await holdObject(key, opened)).sha256;
    const damage: Damage =
      landed >= swept
        ? unsealed(version, `what landed late was last sealed at ${new Date(swept).toISOString()}`)
        : { kind: 'extra_object', ...at, detail: `it landed at ${lastModified}` };
    options.suspects.add({ damage, ...(found !== undefined && { found }) });
    return false;
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

function unsealed({ key, versionId, lastModified }: ListedObject, why: string): Damage {
  const detail = `it landed at ${lastModified}; ${why}`;
  return { kind: 'unsealed_tail', key, ...(versionId && { versionId }), detail };
}

/**
 * What landed before was sealed, wherever it was filed: the digest that begins a UTC day takes what landed late, and those
 * after it what it could not hold.
 */
function sweptMillis({ from, objects }: Digest): number {
  const isFull = objects.filter(({ late }) => late).length >= MAX_LATE;
  return Math.floor(Date.parse(from) / DAY_MILLIS) * DAY_MILLIS - (isFull ? DAY_MILLIS : 0);
}
