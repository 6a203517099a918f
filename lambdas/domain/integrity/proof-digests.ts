import { groupBy } from '../collections.ts';
import { UnreadableRecordError } from '../errors.ts';
import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import { sha256Hex } from '../evidence/store-key.ts';
import { versionName } from '../evidence/version-name.ts';
import type { ListedVersion, ObjectReader, ObjectVersion, VersionInspector } from '../ports.ts';
import { type Digest, digestKey, isDigestKey } from './digest.ts';

const DAY_MILLIS = 86_400_000;

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
}

/** The digests of a vault, for one answer: each day is listed once, and a digest is read when it is asked for. */
export class ProofDigests {
  readonly bucket: string;
  readonly #readers: ProofReaders;
  readonly #days = new Map<string, Promise<ReadonlyMap<string, ListedVersion>>>();

  constructor(bucket: string, readers: ProofReaders) {
    this.bucket = bucket;
    this.#readers = readers;
  }

  /** The digest in whose interval an instant (RFC 3339 UTC) lies, if that has been sealed: the last that begins before. */
  async covering(instant: string): Promise<ListedVersion | undefined> {
    const key = digestKey(new Date(instant).toISOString());
    const at = Date.parse(instant);
    for (const day of [at, at - DAY_MILLIS]) {
      const last = (await this.ofDay(day)).findLast((version) => version.key <= key);
      if (last) return last;
    }
    return undefined;
  }

  /** The digests that begin on a UTC day, in order. */
  async ofDay(millis: number): Promise<ListedVersion[]> {
    const versions = [...(await this.#day(millis)).values()];
    return versions.filter(({ key }) => isDigestKey(key)).sort((a, b) => (a.key < b.key ? -1 : 1));
  }

  /** An object of the chain by its key. */
  async at(key: string): Promise<ListedVersion | undefined> {
    const [, day = ''] = /\/dt=([\d-]+)\//.exec(key) ?? [];
    return (await this.#day(Date.parse(day))).get(key);
  }

  /** @throws UnreadableRecordError when what stands there is no digest of this place */
  async read(version: ListedVersion): Promise<ReadDigest> {
    const bytes = await this.#readers.reader.read(version);
    const digest = parse(bytes);
    if (digest?.location?.key !== version.key || !Array.isArray(digest.objects)) {
      throw new UnreadableRecordError('digest_unreadable');
    }
    return { version, digest, sha256: sha256Hex(bytes) };
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
    for await (const version of this.#readers.inspector.list(this.bucket, prefix)) {
      if (!version.deleteMarker) versions.push(version);
    }
    const byKey = groupBy(versions, ({ key }) => key);
    return new Map([...byKey].map(([key, ofKey]) => [key, ofKey.at(-1) as ListedVersion]));
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

function parse(bytes: Uint8Array): Partial<Digest> & Digest {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    throw new UnreadableRecordError('digest_unreadable'); // what the parser says quotes its input
  }
}
