import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import { HOUR_MILLIS } from '../evidence/hour-shard.ts';
import { sha256Hex } from '../store-key.ts';
import { besideDigest, type Digest, digestBegin } from './digest.ts';
import type { ReportDamage } from './verify-damage.ts';
import { checkDigest } from './verify-document.ts';
import { type ChainGap, gapBefore, missingDigests, StrayDigests } from './verify-gaps.ts';
import { Holes } from './verify-holes.ts';
import type { TrustedKeys } from './verify-keys.ts';
import { shortLock } from './verify-lock.ts';
import { secondVersions } from './verify-second-version.ts';
import { type ListedObject, readWhole, type SealedStore } from './verify-store.ts';

/** A digest is held whole: this many bytes list a quarter of a million objects. */
export const MAX_DIGEST_BYTES = 128 * 1024 * 1024;
/** A P-256 signature in base64 takes 96 bytes. */
const MAX_SIGNATURE_BYTES = 1024;

/** A document, and the signature and the leaves beside it. */
const PART = /^(.*)\.(?:json|sig|leaves)$/;

/** What lies under the name of one digest. */
interface DigestParts {
  /** Of the document, whether it is there or not. */
  readonly key: string;
  /** Of each part, the newest first. */
  readonly versions: Map<string, ListedObject[]>;
}

/** A digest that stands in its place. */
export interface WalkedDigest {
  readonly digest: Digest;
  readonly key: string;
  readonly versionId?: string;
  readonly sha256: string;
  readonly signature: string | undefined;
  /** Beside it. */
  readonly leaves: ListedObject | undefined;
  /** Whether all that belongs to it should stand beside it by now. */
  readonly isSettled: boolean;
  /** Whether a trusted key signed it: only then does it prove anything of its objects. */
  readonly proven: boolean;
}

/** A chain whose first digests are gone as they promised: it can be proven from here on. */
export interface LateBegin {
  /** RFC 3339 UTC. */
  readonly from: string;
  readonly number: number;
  /** When the last of the digests before had been promised until. */
  readonly retainedUntil: string;
}

/** Walks a chain from its first digest to its head, in the order of intervals, one digest at a time. */
export class ChainWalk {
  readonly #store: SealedStore;
  readonly #keys: TrustedKeys;
  readonly #report: ReportDamage;
  readonly #settledMillis: number;
  readonly #firstNumber: number | 'any';
  readonly #asOfMillis: number;
  readonly #covers: (version: ListedObject) => boolean;
  readonly holes = new Holes();
  /** Where the chain begins, when those before it expired. */
  begin: LateBegin | undefined;
  /** Whether the store has not even a part of a digest. */
  isEmpty = true;
  #last: WalkedDigest | undefined;
  #isProven = false;
  /** Digests since the last one that stood in its place, which are there and cannot be read, or left a part behind. */
  #unusable = new Set<string>();
  readonly #gaps: ChainGap[] = [];
  /** Documents whose other parts are there. */
  readonly #orphaned: string[] = [];
  readonly #strays = new StrayDigests();

  /**
   * @param asOfMillis what was promised until then need not be there any more
   * @param settledMillis what was sealed after it may not have its signature beside it yet
   * @param covers what is asked for: digests that are not there and seal nothing of it are no loss at the end of a chain
   * @param firstNumber of the first digest that the store lists, where that is not the chain's first
   */
  constructor(
    store: SealedStore,
    context: {
      keys: TrustedKeys;
      report: ReportDamage;
      asOfMillis: number;
      settledMillis: number;
      firstNumber?: number | 'any';
      covers?: (version: ListedObject) => boolean;
    },
  ) {
    this.#store = store;
    this.#keys = context.keys;
    this.#report = context.report;
    this.#asOfMillis = context.asOfMillis;
    this.#settledMillis = context.settledMillis;
    this.#firstNumber = context.firstNumber ?? 0;
    this.#covers = context.covers ?? (() => true);
  }

  async *walk(): AsyncGenerator<WalkedDigest> {
    for await (const parts of this.#digests()) {
      const walked = await this.#read(parts);
      if (!walked) continue;
      this.#link(walked);
      this.#last = walked;
      this.#unusable = new Set();
      this.#judgeInterval(walked);
      yield walked;
    }
    this.holes.end();
    this.#reportMissing();
  }

  /** The parts of each digest, which a listing has side by side. */
  async *#digests(): AsyncGenerator<DigestParts> {
    let current: DigestParts | undefined;
    for await (const listed of this.#store.list(EvidencePrefix.digests)) {
      this.isEmpty = false;
      const { key } = listed;
      const stem = stemOf(key);
      if (stem === undefined) {
        const detail = 'below digests/ lies nothing but digests, their signatures and leaves';
        this.#report({ kind: 'extra_object', key, detail });
        continue;
      }
      if (current && current.key !== `${stem}.json`) {
        yield current;
        current = undefined;
      }
      current ??= { key: `${stem}.json`, versions: new Map() };
      const ofKey = current.versions.get(key);
      if (ofKey) ofKey.push(listed);
      else current.versions.set(key, [listed]);
    }
    if (current) yield current;
  }

  /** Undefined for what cannot be used, which is reported or will be. */
  async #read({ key, versions }: DigestParts): Promise<WalkedDigest | undefined> {
    const first = (ofKey: readonly ListedObject[] | undefined) =>
      ofKey?.findLast(({ deleteMarker }) => !deleteMarker);
    for (const ofKey of versions.values()) secondVersions(ofKey).forEach(this.#report);
    const document = first(versions.get(key));
    const opened = document && (await this.#store.open(key, document.versionId));
    const beside = first(versions.get(besideDigest(key, 'signature')));
    if (!opened) {
      // The document is written first: whatever stands without it was beside one that is gone.
      this.#unusable.add(key);
      this.#orphaned.push(key);
      return undefined;
    }
    const bytes = await readWhole(opened, MAX_DIGEST_BYTES);
    const digest = bytes ? checkDigest(bytes) : `it is larger than ${MAX_DIGEST_BYTES} bytes`;
    if (!bytes || typeof digest === 'string') {
      this.#unusable.add(key);
      this.#report({ kind: 'malformed_digest', key, detail: String(digest) });
      return undefined;
    }
    const { bucket = digest.location.bucket } = this.#store;
    if (digest.location.key !== key || digest.location.bucket !== bucket) {
      const detail = `it is that of ${digest.location.bucket}/${digest.location.key}`;
      this.#report({ kind: 'moved_object', key, detail });
      this.#strays.add(digest.number, digest.location.key);
      this.#addHole(digest);
      return undefined;
    }
    const signature = await this.#signatureOf(digest, beside, opened.signature);
    const { isProven, damage } = await this.#keys.judge(digest, bytes, signature);
    if (damage) this.#report(damage);
    const short = shortLock('the digest', digest.lock, opened.lock);
    if (short) this.#report({ kind: 'retention_short', key, detail: short });
    return {
      ...{ digest, key, sha256: sha256Hex(bytes), signature, proven: isProven },
      ...(document.versionId !== undefined && { versionId: document.versionId }),
      leaves: first(versions.get(besideDigest(key, 'leaves'))),
      isSettled: Date.parse(digest.sealedAt) < this.#settledMillis,
    };
  }

  /** The text beside a digest and in its metadata. Where they differ, one that does not hold must not hide. */
  async #signatureOf(
    { location, sealedAt, lock }: Digest,
    version: ListedObject | undefined,
    metadata: string | undefined,
  ): Promise<string | undefined> {
    const key = besideDigest(location.key, 'signature');
    const opened = version && (await this.#store.open(key, version.versionId));
    // What is too long for a signature is none that holds.
    const beside = opened && ((await readWhole(opened, MAX_SIGNATURE_BYTES))?.toString() ?? '');
    const short = opened && shortLock('the signature', lock, opened.lock);
    if (short) this.#report({ kind: 'retention_short', key, detail: short });
    const isSettled = metadata === undefined || Date.parse(sealedAt) < this.#settledMillis;
    if (!opened && isSettled) {
      this.#report({
        kind: 'missing_object',
        key,
        detail: 'the signature of the digest beside it',
      });
    } else if (opened && metadata !== undefined && metadata !== beside) {
      const detail = 'it is not the one in the metadata of the digest';
      this.#report({ kind: 'bad_signature', key, detail });
    }
    return metadata ?? beside;
  }

  #link(walked: WalkedDigest): void {
    const { digest, key } = walked;
    const last = this.#last;
    const { number, previous, from } = digest;
    const begin = this.#firstNumber === 'any' ? number : this.#firstNumber;
    const gap = gapBefore(digest, last?.digest, begin, this.#unusable);
    if (gap) {
      this.holes.add(Number.NEGATIVE_INFINITY, Date.parse(from));
      if (!last) this.begin = this.#lateBegin(walked);
      if (!this.begin || last) this.#gaps.push(gap);
      return;
    }
    const first = last ? last.digest.number + 1 : begin;
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

  /** Only a proven digest is believed that those before it need not be there any more. */
  #lateBegin({ digest, proven }: WalkedDigest): LateBegin | undefined {
    const { from, number, previous } = digest;
    const retainedUntil = previous?.retainUntil;
    if (!proven || retainedUntil === undefined || this.#unusable.size > 0) return undefined;
    const isOver = Date.parse(retainedUntil) < this.#asOfMillis;
    return isOver ? { from, number, retainedUntil } : undefined;
  }

  /** A digest that proves nothing is blamed, and not what landed in its interval. */
  #judgeInterval({ digest, proven }: WalkedDigest): void {
    if (!proven) {
      this.#addHole(digest);
      return;
    }
    const { from, to, number } = digest;
    const isFirst = !this.#isProven && number === this.#firstNumber;
    this.holes.proven({ from: Date.parse(from), to: Date.parse(to) }, isFirst);
    this.#isProven = true;
  }

  /** No digest is believed to be of a longer interval than there are. */
  #addHole({ from, to }: Pick<Digest, 'from' | 'to'>): void {
    const begin = Date.parse(from);
    this.holes.add(begin, Math.min(Date.parse(to), begin + HOUR_MILLIS));
  }

  /** Whether a digest is one of those behind the last that is there, which nobody asks for. */
  #isBeyond(key: string): boolean {
    const begin = digestBegin(key);
    if (Number.isNaN(begin) || (this.#last && key < this.#last.key)) return false;
    return !this.#covers({ key, lastModified: new Date(begin).toISOString() });
  }

  #reportMissing(): void {
    for (const damage of missingDigests(this.#gaps, this.#strays)) this.#report(damage);
    for (const key of this.#orphaned) {
      if (this.#strays.has(key) || this.#isBeyond(key)) continue;
      const detail = 'its document is not there, other parts of it are';
      this.#report({ kind: 'missing_digest', key, detail });
    }
  }
}

/** What the names of all parts of a digest begin with; undefined for what is no part of one. */
export function stemOf(key: string): string | undefined {
  return PART.exec(key)?.[1];
}
