import { groupBy } from '../collections.ts';
import { mapConcurrently } from '../concurrency.ts';
import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import { HOUR_MILLIS } from '../evidence/hour-shard.ts';
import type { VersionInspector } from '../evidence/ports.ts';
import { DAY_MILLIS } from '../evidence/retention.ts';
import { type Digest, digestBegin } from '../integrity/digest.ts';
import type { ReportDamage } from '../integrity/verify-damage.ts';
import type { Suspects } from '../integrity/verify-moves.ts';
import { holdObject } from '../integrity/verify-object.ts';
import { secondVersions } from '../integrity/verify-second-version.ts';
import type { ListedObject, SealedStore } from '../integrity/verify-store.ts';
import { digestAt } from './chain-names.ts';

/**
 * What is archived late is sealed by the sweep of the sealer, which begins every UTC day and goes on with the next digest
 * when one is full. Nothing waits longer than this.
 */
const LATE_MILLIS = 2 * DAY_MILLIS;
/** The longest interval of a digest. */
const INTERVAL_MILLIS = HOUR_MILLIS;
/** Small reads: as many as wait well below the sockets of a client. */
const DIGESTS_AT_ONCE = 8;

/** Folders of the vault that are cut up by date, below themselves or below the folders in them. */
const DATED: readonly string[] = [EvidencePrefix.quarantine, EvidencePrefix.findings];
const DATED_BELOW: readonly string[] = [
  EvidencePrefix.lineage,
  EvidencePrefix.traces,
  EvidencePrefix.reports,
];

/** Folders that are looked at together, most of them those of one day. */
export interface FolderGroup {
  /** `dt=<UTC date>/`, or the name of a folder that no date cuts up. */
  readonly name: string;
  readonly prefixes: readonly string[];
}

/** Every folder of the vault but those of the chain, in the order of names, known to us or not. @throws AccessDeniedError */
export async function folderGroups(
  inspector: VersionInspector,
  bucket: string,
): Promise<FolderGroup[]> {
  const list = (prefix: string) => inspector.folders(bucket, prefix);
  const top = (await list('')).filter((folder) => folder !== EvidencePrefix.digests);
  const dated = top.filter((folder) => DATED.includes(folder));
  for (const folder of top.filter((name) => DATED_BELOW.includes(name))) {
    dated.push(...(await list(folder)));
  }
  const prefixes = (await Promise.all(dated.map(list))).flat();
  const others = top.filter((folder) => ![...DATED, ...DATED_BELOW].includes(folder));
  const lastName = (prefix: string) => `${prefix.split('/').at(-2)}/`;
  const groups = groupBy([...prefixes, ...others], lastName);
  return [...groups]
    .map(([name, ofName]) => ({ name, prefixes: ofName }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Finds what stands in folders and in no digest. */
export class ExtraObjects {
  versions = 0;
  readonly #store: SealedStore;
  readonly #documents: readonly ListedObject[];
  readonly #headTo: number;
  readonly #isBegunLate: boolean;
  readonly #report: ReportDamage;
  readonly #suspects: Suspects;

  /**
   * @param documents of the chain, in order, up to the head
   * @param headTo end of the head: what landed too short a time before it is not judged yet
   * @param isBegunLate whether the first digests expired: what landed before the others cannot be judged
   */
  constructor(
    store: SealedStore,
    context: {
      documents: readonly ListedObject[];
      headTo: string;
      isBegunLate: boolean;
      report: ReportDamage;
      suspects: Suspects;
    },
  ) {
    this.#store = store;
    this.#documents = context.documents;
    this.#headTo = Date.parse(context.headTo);
    this.#isBegunLate = context.isBegunLate;
    this.#report = context.report;
    this.#suspects = context.suspects;
  }

  /** @throws AccessDeniedError */
  async look({ prefixes }: FolderGroup): Promise<void> {
    const unclaimed = new Map<string, ListedObject>();
    const doubled: ListedObject[][] = [];
    for (const prefix of prefixes) await this.#list(prefix, unclaimed, doubled);
    const due = new Set(unclaimed.keys());
    const readable = new Map<number, Digest | undefined>();
    const landed = [...unclaimed.values()].map(({ lastModified }) => Date.parse(lastModified));
    await this.#claim(new Set(landed.map((at) => this.#indexAt(at))), unclaimed, readable);
    // Only what came late is left now, and what is extra.
    const later = new Set<number>();
    for (const { lastModified } of unclaimed.values()) {
      const at = Date.parse(lastModified);
      const last = this.#indexAt(at + LATE_MILLIS + INTERVAL_MILLIS);
      for (let index = this.#indexAt(at) + 1; index <= last; index++) later.add(index);
    }
    await this.#claim(later, unclaimed, readable);
    const isSealed = (version: ListedObject) =>
      due.has(nameOf(version)) && !unclaimed.has(nameOf(version));
    for (const versions of doubled) {
      for (const damage of secondVersions(versions, isSealed)) {
        this.#report(damage);
        // A second version is no extra object as well.
        unclaimed.delete(`${damage.key}\n${damage.versionId}`);
      }
    }
    for (const version of unclaimed.values()) {
      if (this.#isIn(readable, Date.parse(version.lastModified))) await this.#extra(version);
    }
  }

  async #list(
    prefix: string,
    found: Map<string, ListedObject>,
    doubled: ListedObject[][],
  ): Promise<void> {
    let ofKey: ListedObject[] = [];
    for await (const version of this.#store.list(prefix)) {
      this.versions++;
      if (ofKey[0]?.key !== version.key) ofKey = [];
      ofKey.push(version);
      // Once for each key: the list is filled as the listing goes on.
      if (ofKey.length === (ofKey[0]?.deleteMarker ? 1 : 2)) doubled.push(ofKey);
      if (version.deleteMarker) continue;
      const isDue = Date.parse(version.lastModified) + LATE_MILLIS <= this.#headTo;
      if (isDue) found.set(nameOf(version), version);
    }
  }

  async #claim(
    indexes: ReadonlySet<number>,
    unclaimed: Map<string, ListedObject>,
    readable: Map<number, Digest | undefined>,
  ): Promise<void> {
    await mapConcurrently([...indexes], DIGESTS_AT_ONCE, async (index) => {
      const document = this.#documents[index];
      const digest = document && (await digestAt(this.#store, document));
      readable.set(index, digest);
      for (const object of digest?.objects ?? []) unclaimed.delete(nameOf(object));
    });
  }

  /** Whether the digest is there and readable that an instant belongs to: if not, that is what is damaged. */
  #isIn(readable: ReadonlyMap<number, Digest | undefined>, at: number): boolean {
    const digest = readable.get(this.#indexAt(at));
    const isBeforeChain = this.#indexAt(at) < 0;
    return (
      (isBeforeChain && !this.#isBegunLate) || (digest !== undefined && at < Date.parse(digest.to))
    );
  }

  async #extra({ key, versionId, lastModified }: ListedObject): Promise<void> {
    const opened = await this.#store.open(key, versionId);
    const found = opened && (await holdObject(key, opened)).sha256;
    const detail = `it landed at ${lastModified}, and no digest since lists it`;
    const damage = { kind: 'extra_object', key, ...(versionId && { versionId }), detail } as const;
    this.#suspects.add({ damage, ...(found !== undefined && { found }) });
  }

  /** Index of the last digest that begins at or before an instant; -1 for none. */
  #indexAt(at: number): number {
    let low = 0;
    for (let high = this.#documents.length; low < high; ) {
      const middle = (low + high) >>> 1;
      if (digestBegin((this.#documents[middle] as ListedObject).key) <= at) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }
}

function nameOf({ key, versionId }: Pick<ListedObject, 'key' | 'versionId'>): string {
  return `${key}\n${versionId}`;
}
