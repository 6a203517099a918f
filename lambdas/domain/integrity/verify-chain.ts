import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import { sha256Hex } from '../evidence/store-key.ts';
import { besideDigest, type Digest } from './digest.ts';
import type { ReportDamage } from './verify-damage.ts';
import { readDigest } from './verify-document.ts';
import type { TrustedKeys } from './verify-keys.ts';
import { type ListedObject, readWhole, type SealedStore } from './verify-store.ts';

/** A digest is held whole: this many bytes list a quarter of a million objects. */
export const MAX_DIGEST_BYTES = 128 * 1024 * 1024;
/** A P-256 signature in base64 takes 96 bytes. */
const MAX_SIGNATURE_BYTES = 1024;
/** Digests out of their place that are remembered, to tell a moved one from a missing one. */
const MAX_STRAYS = 10_000;

/** Intervals without a usable digest that are remembered, to blame the digest and not what landed in them. */
const MAX_HOLES = 1_000;

/** A document, and the signature and the leaves beside it. */
const PART = /^(.*)\.(?:json|sig|leaves)$/;

/** What lies under the name of one digest. */
interface DigestParts {
  /** Of the document, whether it is there or not. */
  readonly key: string;
  readonly versions: Map<string, ListedObject>;
}

/** A digest that stands in its place. */
export interface WalkedDigest {
  readonly digest: Digest;
  readonly key: string;
  readonly sha256: string;
  readonly signature: string | undefined;
  /** Beside it. */
  readonly leaves: ListedObject | undefined;
  /** Whether all that belongs to it should stand beside it by now. */
  readonly isSettled: boolean;
  /** Whether a trusted key signed it: only then does it prove anything of its objects. */
  readonly proven: boolean;
}

/** Half-open interval whose digest is not there or cannot be used: what landed in it cannot be judged. */
export interface Hole {
  readonly from: string;
  readonly to: string;
}

interface Gap {
  readonly key: string;
  readonly first: number;
  readonly last: number;
  readonly detail: string;
}

/** Walks a chain from its first digest to its head, in the order of intervals, one digest at a time. */
export class ChainWalk {
  readonly #store: SealedStore;
  readonly #keys: TrustedKeys;
  readonly #report: ReportDamage;
  readonly #settledMillis: number;
  readonly #firstNumber: number | 'any';
  readonly holes: Hole[] = [];
  /** Whether the store has not even a part of a digest. */
  isEmpty = true;
  #last: WalkedDigest | undefined;
  /** Digests since the last one that stood in its place, which are there and cannot be read, or left a part behind. */
  #unusable = 0;
  readonly #gaps: Gap[] = [];
  /** Documents whose other parts are there. */
  readonly #orphaned: string[] = [];
  /** Numbers of the digests that stand elsewhere, by the key they belong to. */
  readonly #strays = new Map<string, number>();

  /**
   * @param settledMillis what was sealed after it may not have its signature beside it yet
   * @param firstNumber of the first digest that the store lists, where that is not the chain's first
   */
  constructor(
    store: SealedStore,
    context: {
      keys: TrustedKeys;
      report: ReportDamage;
      settledMillis: number;
      firstNumber?: number | 'any';
    },
  ) {
    this.#store = store;
    this.#keys = context.keys;
    this.#report = context.report;
    this.#settledMillis = context.settledMillis;
    this.#firstNumber = context.firstNumber ?? 0;
  }

  async *walk(): AsyncGenerator<WalkedDigest> {
    for await (const parts of this.#digests()) {
      const walked = await this.#read(parts);
      if (!walked) continue;
      this.#link(walked);
      this.#last = walked;
      this.#unusable = 0;
      yield walked;
    }
    this.#reportMissing();
  }

  /** The parts of each digest, which a listing has side by side. */
  async *#digests(): AsyncGenerator<DigestParts> {
    let current: DigestParts | undefined;
    for await (const listed of this.#store.list(EvidencePrefix.digests)) {
      this.isEmpty = false;
      const { key, versionId } = listed;
      const stem = stemOf(key);
      if (stem === undefined) {
        this.#report({ kind: 'extra_object', key, detail: 'it is no part of a digest' });
        continue;
      }
      if (listed.deleteMarker) {
        this.#report({ kind: 'second_version', key, detail: 'a delete marker' });
        continue;
      }
      if (current && current.key !== `${stem}.json`) {
        yield current;
        current = undefined;
      }
      current ??= { key: `${stem}.json`, versions: new Map() };
      if (current.versions.has(key)) {
        this.#report({ kind: 'second_version', key, detail: `version ${versionId}` });
      }
      // The oldest version, which is listed last, was written while there was none.
      current.versions.set(key, listed);
    }
    if (current) yield current;
  }

  /** Undefined for what cannot be used, which is reported or will be. */
  async #read({ key, versions }: DigestParts): Promise<WalkedDigest | undefined> {
    const document = versions.get(key);
    const opened = document && (await this.#store.open(key, document.versionId));
    const beside = versions.get(besideDigest(key, 'signature'));
    if (!opened) {
      // The document is written first: whatever stands without it was beside one that is gone.
      this.#unusable++;
      this.#orphaned.push(key);
      return undefined;
    }
    if (opened.lock === 'none') {
      this.#report({ kind: 'retention_short', key, detail: 'the digest is not locked' });
    }
    const bytes = await readWhole(opened, MAX_DIGEST_BYTES);
    const digest = bytes ? readDigest(bytes) : `it is larger than ${MAX_DIGEST_BYTES} bytes`;
    if (!bytes || typeof digest === 'string') {
      this.#unusable++;
      this.#report({ kind: 'malformed_digest', key, detail: String(digest) });
      return undefined;
    }
    const { bucket = digest.location.bucket } = this.#store;
    if (digest.location.key !== key || digest.location.bucket !== bucket) {
      const detail = `it is that of ${digest.location.bucket}/${digest.location.key}`;
      this.#report({ kind: 'moved_object', key, detail });
      if (this.#strays.size < MAX_STRAYS) this.#strays.set(digest.location.key, digest.number);
      this.#addHole(digest);
      return undefined;
    }
    const signature = await this.#signatureOf(digest, beside, opened.signature);
    const damage = await this.#keys.judge(digest, bytes, signature);
    if (damage) this.#report(damage);
    return {
      ...{ digest, key, sha256: sha256Hex(bytes), signature, proven: !damage },
      leaves: versions.get(besideDigest(key, 'leaves')),
      isSettled: Date.parse(digest.sealedAt) < this.#settledMillis,
    };
  }

  /** The text beside a digest and in its metadata. Where they differ, one that does not hold must not hide. */
  async #signatureOf(
    { location, sealedAt }: Digest,
    version: ListedObject | undefined,
    metadata: string | undefined,
  ): Promise<string | undefined> {
    const key = besideDigest(location.key, 'signature');
    const opened = version && (await this.#store.open(key, version.versionId));
    const beside = opened && (await readWhole(opened, MAX_SIGNATURE_BYTES))?.toString();
    if (opened?.lock === 'none') {
      this.#report({ kind: 'retention_short', key, detail: 'the signature is not locked' });
    }
    const isSettled = metadata === undefined || Date.parse(sealedAt) < this.#settledMillis;
    if (!opened && isSettled) {
      this.#report({ kind: 'missing_object', key, detail: 'the signature beside a digest' });
    } else if (opened && metadata !== undefined && metadata !== beside) {
      const detail = 'it is not the one in the metadata of the digest';
      this.#report({ kind: 'bad_signature', key, detail });
    }
    return metadata ?? beside;
  }

  #link({ digest, key }: WalkedDigest): void {
    const last = this.#last;
    const { number, previous, from } = digest;
    const begin = this.#firstNumber === 'any' ? number : this.#firstNumber;
    const first = last ? last.digest.number + 1 : begin;
    if (number > first) {
      if (last) this.#addHole({ from: last.digest.to, to: from });
      const missing = number - first - this.#unusable;
      const detail = `numbers ${first} to ${number - 1}, ${missing} of them; the last was ${previous?.key}`;
      if (missing > 0) this.#gaps.push({ key, first, last: number - 1, detail });
      return;
    }
    const breaks = [
      number !== first && 'number',
      last && previous?.key !== last.key && 'key before',
      last && previous?.sha256 !== last.sha256 && 'hash before',
      last && previous?.signature !== last.signature && 'signature before',
      last && Date.parse(from) !== Date.parse(last.digest.to) && 'begin of the interval',
    ].filter(Boolean);
    // What does not hold itself is reported as such: that its successor says so too is no damage of the successor.
    if (breaks.length > 0 && (last?.proven ?? true)) {
      this.#report({ kind: 'broken_chain', key, detail: `it differs in: ${breaks.join(', ')}` });
    }
  }

  #addHole({ from, to }: Hole): void {
    if (this.holes.length < MAX_HOLES) this.holes.push({ from, to });
  }

  /** A digest that stands elsewhere was reported as moved, and is not missing as well. */
  #reportMissing(): void {
    const numbers = [...this.#strays.values()].sort((a, b) => a - b);
    for (const { key, first, last, detail } of this.#gaps) {
      const moved = countBelow(numbers, last + 1) - countBelow(numbers, first);
      if (moved <= last - first) this.#report({ kind: 'missing_digest', key, detail });
    }
    for (const key of this.#orphaned) {
      if (this.#strays.has(key)) continue;
      this.#report({ kind: 'missing_digest', key, detail: 'other parts of it are there' });
    }
  }
}

/** What the names of all parts of a digest begin with; undefined for what is no part of one. */
export function stemOf(key: string): string | undefined {
  return PART.exec(key)?.[1];
}

/** How many of sorted numbers are below a bound. */
function countBelow(numbers: readonly number[], bound: number): number {
  let low = 0;
  for (let high = numbers.length; low < high; ) {
    const middle = (low + high) >>> 1;
    if ((numbers[middle] as number) < bound) low = middle + 1;
    else high = middle;
  }
  return low;
}
