import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import { DAY_MILLIS } from '../evidence/retention.ts';
import { sha256Hex } from '../store-key.ts';
import { type Digest, isDigestKey, isSealed, MAX_LATE } from './digest.ts';
import { MAX_DIGEST_BYTES } from './verify-chain.ts';
import type { Damage, ReportDamage } from './verify-damage.ts';
import { checkDigest } from './verify-document.ts';
import type { Holes } from './verify-holes.ts';
import type { Suspects } from './verify-moves.ts';
import { holdObject } from './verify-object.ts';
import { secondVersions } from './verify-second-version.ts';
import { type ListedObject, readWhole, type SealedStore } from './verify-store.ts';

/** Slots of the tally: 4 MB, whatever the store holds. */
const SLOT_HEX_DIGITS = 5;
/** Objects that are looked up in the digests by name; those beyond are counted. */
const MAX_CANDIDATES = 10_000;

/** What a search leaves open. */
interface Unsealed {
  /** In a store that is in use: landed after the head, and not overdue. */
  notSealedYet: number;
  /** Beyond what is compared by name. */
  notJudged: number;
  /** Landed before a chain whose first digests expired. */
  beforeChain: number;
}

/** What a search has to know of the chain. */
export interface SearchOptions {
  readonly covers: (version: ListedObject) => boolean;
  readonly head: Digest;
  readonly holes: Pick<Holes, 'has'>;
  /** Where the first digest begins, when those before it expired. RFC 3339 UTC. */
  readonly begin: string | undefined;
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

  /** Lists the store, once when everything in it is sealed and stands there once. */
  async search(options: SearchOptions): Promise<Unsealed> {
    const done = { notSealedYet: 0, notJudged: 0, beforeChain: 0 };
    const doubled: ListedObject[][] = [];
    for await (const versions of this.#keys()) {
      for (const version of versions.filter((each) => isJudged(each, options))) {
        if (!this.#isAfterHead(version, options)) this.#count(version, 1);
        else if (options.isOverdue(Date.parse(version.lastModified))) {
          if (!isInHole(version, options)) {
            options.report(unsealed(version, `the last digest ends at ${options.head.to}`));
          }
        } else done.notSealedYet++;
      }
      if (versions.length === 1 && !versions[0]?.deleteMarker) continue;
      if (doubled.length < MAX_CANDIDATES) doubled.push(versions);
      else reportSecond(secondVersions(versions), versions, options);
    }
    const isEven = this.#tally.every((surplus) => surplus === 0);
    if (!isEven || doubled.length > 0) await this.#compare(doubled, options, done);
    return done;
  }

  /** All versions of each key, the newest first. */
  async *#keys(): AsyncGenerator<ListedObject[]> {
    let versions: ListedObject[] = [];
    for await (const version of this.#store.list('')) {
      if (!isSealed(version.key)) continue;
      if (versions.length > 0 && versions[0]?.key !== version.key) {
        yield versions;
        versions = [];
      }
      versions.push(version);
    }
    if (versions.length > 0) yield versions;
  }

  /** A copy without a list of versions does not know when an object landed: it goes by names first. */
  #isAfterHead({ lastModified }: ListedObject, { head }: SearchOptions): boolean {
    return this.#store.knowsVersions && Date.parse(lastModified) >= Date.parse(head.to);
  }

  async #compare(
    doubled: readonly ListedObject[][],
    options: SearchOptions,
    done: Unsealed,
  ): Promise<void> {
    const claims = new Map(doubled.flat().map((version) => [this.#nameOf(version), 0]));
    const candidates: ListedObject[] = [];
    for await (const versions of this.#keys()) {
      for (const version of versions.filter((each) => isJudged(each, options))) {
        if (this.#isAfterHead(version, options)) continue;
        if (this.#tally[this.#slotOf(version)] === 0) continue;
        if (candidates.length < MAX_CANDIDATES) {
          candidates.push(version);
          claims.set(this.#nameOf(version), 0);
        } else done.notJudged++;
      }
    }
    await this.#claim(claims);
    const claimsOf = (version: ListedObject) => claims.get(this.#nameOf(version)) ?? 0;
    const second = new Set<string>();
    for (const versions of doubled) {
      const damages = secondVersions(versions, (version) => claimsOf(version) > 0);
      reportSecond(damages, versions, options);
      for (const { key, versionId } of damages)
        second.add(this.#nameOf({ key, ...(versionId && { versionId }) }));
    }
    for (const version of candidates) {
      // A second version is no extra object as well.
      if (second.has(this.#nameOf(version))) continue;
      const outcome = await this.#judge(version, claimsOf(version), options);
      if (outcome) done[outcome]++;
    }
  }

  /** Counts how many digests list each version. */
  async #claim(claims: Map<string, number>): Promise<void> {
    for await (const { key, versionId } of this.#store.list(EvidencePrefix.digests)) {
      const opened = isDigestKey(key) ? await this.#store.open(key, versionId) : undefined;
      const bytes = opened && (await readWhole(opened, MAX_DIGEST_BYTES));
      const digest = bytes ? checkDigest(bytes) : '';
      if (typeof digest === 'string') continue;
      for (const object of digest.objects) {
        const name = this.#nameOf(object);
        const before = claims.get(name);
        if (before !== undefined && !object.again) claims.set(name, before + 1);
      }
    }
  }

  /** Answers what is to be counted, of what is no damage. */
  async #judge(
    version: ListedObject,
    claims: number,
    options: SearchOptions,
  ): Promise<keyof Unsealed | undefined> {
    const { key, versionId, lastModified } = version;
    const at = { key, ...(versionId && { versionId }) };
    if (claims > 1) {
      const kind = this.#store.knowsVersions ? 'malformed_digest' : 'second_version';
      options.report({ kind, ...at, detail: `it was sealed ${claims} times` });
    }
    if (claims > 0) return undefined;
    const landed = Date.parse(lastModified);
    if (landed < Date.parse(options.begin ?? '')) return 'beforeChain';
    // What landed in a hole is not blamed: its digest is.
    if (isInHole(version, options)) return undefined;
    const swept = sweptMillis(options.head);
    if (landed >= swept && !options.isOverdue(swept + DAY_MILLIS)) return 'notSealedYet';
    const opened = await this.#store.open(key, versionId);
    const found = opened && (await holdObject(key, opened)).sha256;
    const { to } = options.head;
    const why =
      landed >= Date.parse(to)
        ? `the last digest ends at ${to}`
        : `no digest lists it, and what landed late was last sealed at ${new Date(swept).toISOString()}`;
    const damage: Damage =
      landed >= swept
        ? unsealed(version, why)
        : { kind: 'extra_object', ...at, detail: extraDetail(lastModified, to, this.#store) };
    options.suspects.add({ damage, ...(found !== undefined && { found }) });
    return undefined;
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

function isJudged(version: ListedObject, { covers }: SearchOptions): boolean {
  return !version.deleteMarker && covers(version);
}

function isInHole({ lastModified }: ListedObject, { holes }: SearchOptions): boolean {
  return holes.has(Date.parse(lastModified));
}

/** Reports those that the verification covers. */
function reportSecond(
  damages: readonly Damage[],
  versions: readonly ListedObject[],
  { covers, report }: SearchOptions,
): void {
  const covered = new Set(versions.filter(covers).map(({ versionId }) => versionId));
  for (const damage of damages) if (covered.has(damage.versionId)) report(damage);
}

/** In a copy without a list of versions the time of a file is all that there is. */
function extraDetail(lastModified: string, headTo: string, { knowsVersions }: SealedStore): string {
  return knowsVersions
    ? `it landed at ${lastModified}, and the digest of that time does not list it`
    : `no digest lists it; its file is of ${lastModified}, and digests seal until ${headTo}`;
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
