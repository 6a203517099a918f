import type { KeyObject } from 'node:crypto';
import { groupBy } from '../collections.ts';
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
import { besideDigest, type Digest, digestBegin, isDigestPlace, publicKeyKey } from './digest.ts';
import { readDigest } from './read-digest.ts';
import { isSignedBy, readPublicKey } from './signing-key.ts';

export interface ProofReaders {
  readonly inspector: VersionInspector;
  readonly reader: ObjectReader;
}

/** A digest that was read. */
export interface ReadDigest {
  readonly version: ListedVersion;
  readonly digest: Digest;
  /** Hex, of its bytes. */
  readonly sha256: string;
  readonly bytes: Buffer;
  /** Base64, of the key that `digest.signer` names; absent where nobody asked. */
  readonly signature?: string;
}

/** Documents that are no digest of ours, and that one look passes over. */
const MAX_PASSED = 8;

/** The digests of a vault, for one answer: each day is listed once, and a digest is read when it is asked for. */
export class ProofDigests {
  readonly bucket: string;
  protected readonly readers: ProofReaders;
  readonly #days = new Map<string, Promise<ReadonlyMap<string, ListedVersion>>>();

  constructor(bucket: string, readers: ProofReaders) {
    this.bucket = bucket;
    this.readers = readers;
  }

  /** The digest in whose interval an instant (RFC 3339 UTC) lies, if that has been sealed: the last that begins before. */
  async covering(instant: string): Promise<ListedVersion | undefined> {
    const at = Date.parse(instant);
    for (const day of [at, at - DAY_MILLIS]) {
      const last = (await this.ofDay(day)).findLast(({ key }) => digestBegin(key) <= at);
      if (last) return last;
    }
    return undefined;
  }

  /**
   * The accepted digest in whose interval an instant (RFC 3339 UTC) lies, else the last one before. What stands among
   * them and is none was put there by somebody: it is passed over.
   * @throws UnreadableRecordError when what is none stands where that of the instant would be
   */
  async sealing(instant: string): Promise<ReadDigest | undefined> {
    const at = Date.parse(instant);
    let isBroken = false;
    let passed = 0;
    for (const day of [at, at - DAY_MILLIS]) {
      for (const version of (await this.ofDay(day)).toReversed()) {
        if (digestBegin(version.key) > at) continue;
        if (passed++ > MAX_PASSED) throw new UnreadableRecordError('digest_unreadable');
        try {
          const read = await this.accept(await this.read(version));
          if (read && isBroken && instant >= read.digest.to) break;
          if (read) return read;
        } catch (error) {
          if (!(error instanceof UnreadableRecordError)) throw error;
          isBroken = true;
        }
      }
    }
    if (isBroken) throw new UnreadableRecordError('digest_unreadable');
    return undefined;
  }

  /** The digests that begin on a UTC day, in order. */
  async ofDay(millis: number): Promise<ListedVersion[]> {
    const versions = [...(await this.#day(millis)).values()];
    return versions
      .filter(({ key }) => isDigestPlace(key))
      .sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  /** An object of the chain by its key. */
  async at(key: string): Promise<ListedVersion | undefined> {
    const [, day = ''] = /\/dt=([\d-]+)\//.exec(key) ?? [];
    return (await this.#day(Date.parse(day))).get(key);
  }

  /** @throws UnreadableRecordError when what stands there is no digest of this place */
  async read(version: ListedVersion): Promise<ReadDigest> {
    const bytes = Buffer.from(await this.readers.reader.read(version));
    const digest = readDigest(bytes, version);
    if (!digest) throw new UnreadableRecordError('digest_unreadable');
    return { version, digest, bytes, sha256: sha256Hex(bytes) };
  }

  /** What is taken for a digest of the chain: here, each that stands in its place. */
  async accept(read: ReadDigest): Promise<ReadDigest | undefined> {
    return read;
  }

  /** Keys are written once: of several versions the first is ours, and S3 lists it last. */
  #day(millis: number): Promise<ReadonlyMap<string, ListedVersion>> {
    const prefix = `${EvidencePrefix.digests}dt=${new Date(millis).toISOString().slice(0, 10)}/`;
    const known = this.#days.get(prefix);
    if (known) return known;
    const listed = this.#list(prefix);
    this.#days.set(prefix, listed);
    return listed;
  }

  async #list(prefix: string): Promise<ReadonlyMap<string, ListedVersion>> {
    const versions: ListedVersion[] = [];
    for await (const version of this.readers.inspector.list(this.bucket, prefix)) {
      if (!version.deleteMarker) versions.push(version);
    }
    const byKey = groupBy(versions, ({ key }) => key);
    return new Map([...byKey].map(([key, ofKey]) => [key, ofKey.at(-1) as ListedVersion]));
  }
}

/** The same, of which only those count whose signature is that of the key they name. */
export class SignedDigests extends ProofDigests {
  readonly #publicKeys = new Map<string, KeyObject>();

  /**
   * Undefined when the signature is not beside it (yet).
   * @throws UnreadableRecordError when it is another
   */
  override async accept(read: ReadDigest): Promise<ReadDigest | undefined> {
    const { version, digest, bytes } = read;
    const beside = await this.at(besideDigest(version.key, 'signature'));
    if (!beside) return undefined;
    const text = Buffer.from(await this.readers.reader.read(beside)).toString('latin1');
    const signature = text.trim();
    const key = await this.#publicKey(digest.signer.fingerprint);
    if (!key || !isSignedBy(key, bytes, signature)) {
      throw new UnreadableRecordError('digest_unreadable');
    }
    return { ...read, signature };
  }

  /** Keys are written once: the first is ours, and S3 lists it last. */
  async #publicKey(fingerprint: string): Promise<KeyObject | undefined> {
    const known = this.#publicKeys.get(fingerprint);
    if (known) return known;
    const key = publicKeyKey(fingerprint);
    let first: ListedVersion | undefined;
    for await (const version of this.readers.inspector.list(this.bucket, key)) {
      if (version.key === key && !version.deleteMarker) first = version;
    }
    const read = first && readPublicKey(Buffer.from(await this.readers.reader.read(first)));
    if (read?.fingerprint !== fingerprint) return undefined;
    this.#publicKeys.set(fingerprint, read.key);
    return read.key;
  }
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
