import { UnreadableRecordError } from '../errors.ts';
import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import type {
  ListedVersion,
  ObjectReader,
  ObjectVersion,
  VersionInspector,
} from '../evidence/ports.ts';
import { DAY_MILLIS } from '../evidence/retention.ts';
import { versionName } from '../evidence/version-name.ts';
import { sha256Hex } from '../store-key.ts';
import { ChainKeys } from './chain-keys.ts';
import { besideDigest, type Digest, digestBegin, isDigestPlace } from './digest.ts';
import { readDigest } from './read-digest.ts';
import { firstVersions } from './seal-listing.ts';
import { isSignedBy } from './signing-key.ts';

export interface ProofReaders {
  readonly inspector: VersionInspector;
  readonly reader: ObjectReader;
}

/** What the chain itself takes. */
export interface ChainReaders extends Pick<ProofReaders, 'reader'> {
  readonly inspector: Pick<VersionInspector, 'list'>;
}

/** A digest that was read; whether it is one of the chain nobody said. */
interface ReadDocument {
  readonly version: ListedVersion;
  readonly digest: Digest;
  /** Hex, of its bytes. */
  readonly sha256: string;
  readonly bytes: Buffer;
}

/** A digest of the chain that was read. */
export interface ReadDigest extends ReadDocument {
  /** Base64, of the key that `digest.signer` names. */
  readonly signature: string;
}

type Verdict = { readonly signature: string } | 'unsigned' | 'unreadable';

/** Documents that are no digest of ours, and that one look passes over. */
const MAX_PASSED = 64;

/** Of those, places of one begin (`_<n>`): the digest of it is nearly always the one that was put first. */
const MAX_PLACES = 16;

/** Digests kept in memory, of some 100 KB: versions are looked for in the order in which they landed. */
const MAX_KEPT_DIGESTS = 16;

/** What was listed of a day. */
interface ListedDay {
  /** Keys are written once: of several versions the first is ours. */
  readonly byKey: ReadonlyMap<string, ListedVersion>;
  readonly inOrder: readonly ListedVersion[];
  /** The last begin first, and of one begin what was put first. */
  readonly newestFirst: ReadonlyArray<{ readonly begin: number; readonly version: ListedVersion }>;
}

/**
 * The digests of a vault, for one answer or one run: each day is listed once, and a digest is read when it is asked for. Only
 * those count that a key of the chain signed ({@link ChainKeys}).
 */
export class SignedDigests {
  readonly bucket: string;
  readonly #readers: ChainReaders;
  readonly #keys: ChainKeys;
  readonly #days = new Map<string, Promise<ListedDay>>();
  readonly #kept = new Map<string, ReadDocument>();
  /** Of each that was asked for, its signature, or why it does not count. */
  readonly #verdicts = new Map<string, Verdict>();

  constructor(bucket: string, readers: ChainReaders) {
    this.bucket = bucket;
    this.#readers = readers;
    this.#keys = new ChainKeys(this, readers);
  }

  /**
   * What by its name is the digest in whose interval an instant (RFC 3339 UTC) lies, if that has been sealed: the last
   * that begins before. It is not read.
   */
  async covering(instant: string): Promise<ListedVersion | undefined> {
    const at = Date.parse(instant);
    for (const day of [at, at - DAY_MILLIS]) {
      const last = (await this.ofDay(day)).findLast(({ key }) => digestBegin(key) <= at);
      if (last) return last;
    }
    return undefined;
  }

  /**
   * The digest in whose interval an instant (RFC 3339 UTC) lies, else the last one before. What stands among
   * them and is none was put there by somebody: it is passed over.
   * @throws UnreadableRecordError when what is none stands where that of the instant would be
   */
  async sealing(instant: string): Promise<ReadDigest | undefined> {
    const at = Date.parse(instant);
    let isBroken = false;
    let passed = 0;
    let place = { begin: Number.NaN, nth: 0 };
    for (const day of [at, at - DAY_MILLIS]) {
      for (const { begin, version } of (await this.#day(day)).newestFirst) {
        if (begin > at) continue;
        place = { begin, nth: begin === place.begin ? place.nth + 1 : 0 };
        if (place.nth >= MAX_PLACES) continue;
        if (passed++ > MAX_PASSED) throw unreadable();
        const read = await this.#acceptedOrBroken(version);
        if (read === 'broken') isBroken = true;
        else if (read && isBroken && at >= Date.parse(read.digest.to)) throw unreadable();
        else if (read) return read;
      }
    }
    if (isBroken) throw unreadable();
    return undefined;
  }

  /** What has the name of a digest that begins on a UTC day, in order. */
  async ofDay(millis: number): Promise<readonly ListedVersion[]> {
    return (await this.#day(millis)).inOrder;
  }

  /** An object of the chain by its key. */
  async at(key: string): Promise<ListedVersion | undefined> {
    const [, day = ''] = /\/dt=([\d-]+)\//.exec(key) ?? [];
    const millis = Date.parse(day);
    return Number.isNaN(millis) ? undefined : (await this.#day(millis)).byKey.get(key);
  }

  /**
   * Whoever put it there.
   * @throws UnreadableRecordError when what stands there is no digest of this place
   */
  async read(version: ListedVersion): Promise<ReadDocument> {
    const name = versionName(version);
    const known = this.#kept.get(name);
    if (known) return known;
    const bytes = Buffer.from(await this.#readers.reader.read(version));
    const digest = readDigest(bytes, version);
    if (!digest) throw unreadable();
    const read = { version, digest, bytes, sha256: sha256Hex(bytes) };
    const [oldest] = this.#kept.keys();
    if (this.#kept.size >= MAX_KEPT_DIGESTS && oldest !== undefined) this.#kept.delete(oldest);
    this.#kept.set(name, read);
    return read;
  }

  /**
   * A digest of the chain; undefined when the signature is not beside it (yet).
   * @throws UnreadableRecordError when it is none, or no key of the chain signed it
   */
  async accepted(version: ListedVersion): Promise<ReadDigest | undefined> {
    const name = versionName(version);
    const verdict = this.#verdicts.get(name) ?? (await this.#judge(version));
    this.#verdicts.set(name, verdict);
    if (verdict === 'unsigned') return undefined;
    if (verdict === 'unreadable') throw unreadable();
    return { ...(await this.read(version)), ...verdict };
  }

  async #acceptedOrBroken(version: ListedVersion): Promise<ReadDigest | 'broken' | undefined> {
    try {
      return await this.accepted(version);
    } catch (error) {
      if (error instanceof UnreadableRecordError) return 'broken';
      throw error;
    }
  }

  async #judge(version: ListedVersion): Promise<Verdict> {
    try {
      const { bytes, digest } = await this.read(version);
      const beside = await this.at(besideDigest(version.key, 'signature'));
      if (!beside) return 'unsigned';
      const text = Buffer.from(await this.#readers.reader.read(beside)).toString('latin1');
      const signature = text.trim();
      const key = await this.#keys.of(digest.signer.fingerprint);
      return key && isSignedBy(key, bytes, signature) ? { signature } : 'unreadable';
    } catch (error) {
      if (error instanceof UnreadableRecordError) return 'unreadable';
      throw error;
    }
  }

  #day(millis: number): Promise<ListedDay> {
    const prefix = `${EvidencePrefix.digests}dt=${new Date(millis).toISOString().slice(0, 10)}/`;
    const known = this.#days.get(prefix);
    if (known) return known;
    const listed = this.#list(prefix);
    this.#days.set(prefix, listed);
    // What failed is asked for again.
    listed.catch(() => this.#days.delete(prefix));
    return listed;
  }

  async #list(prefix: string): Promise<ListedDay> {
    const listed: ListedVersion[] = [];
    for await (const version of this.#readers.inspector.list(this.bucket, prefix)) {
      listed.push(version);
    }
    const byKey = new Map(firstVersions(listed).map((version) => [version.key, version]));
    const inOrder = [...byKey.values()]
      .filter(({ key }) => isDigestPlace(key))
      .sort((a, b) => (a.key < b.key ? -1 : 1));
    const newestFirst = inOrder
      .map((version) => ({
        ...{ begin: digestBegin(version.key), version },
        putAt: Date.parse(version.lastModified),
      }))
      .sort((a, b) => b.begin - a.begin || a.putAt - b.putAt);
    return { byKey, inOrder, newestFirst };
  }
}

function unreadable(): UnreadableRecordError {
  return new UnreadableRecordError('digest_unreadable');
}

/** Where an object version stands in a digest, and the leaves before its own. */
export function placeIn(digest: Digest, version: ObjectVersion) {
  const name = versionName(version);
  let before = 0;
  for (const object of digest.objects) {
    if (versionName(object) === name) return { object, firstLeaf: before };
    before += object.records;
  }
  return undefined;
}
