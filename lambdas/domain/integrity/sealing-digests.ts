import type { Clock, ListedVersion, ObjectVersion } from '../evidence/ports.ts';
import { versionName } from '../evidence/version-name.ts';
import { besideDigest, type Digest } from './digest.ts';
import { ProofDigests, type ProofReaders, type ReadDigest } from './proof-digests.ts';
import { findSealing } from './proof-search.ts';

/** Digests kept in memory, of some 100 KB: versions are looked for in the order in which they landed. */
const MAX_KEPT_DIGESTS = 16;

/** What is looked for in a digest again and again. */
interface Contents {
  readonly names: ReadonlySet<string>;
  readonly parts: readonly ListedVersion[];
}

/** Finds the digests that seal many object versions of one bucket: each is read once for all that it lists. */
export class DigestSearch {
  readonly #readers: ProofReaders;
  readonly #clock: Clock;
  readonly #contents = new Map<string, Contents>();
  #digests: ProofDigests | undefined;

  constructor(readers: ProofReaders, clock: Clock) {
    this.#readers = readers;
    this.#clock = clock;
  }

  /**
   * The digest that lists a version, with its signature and its leaves; empty while there is none.
   * @param lastModified of the version, RFC 3339 UTC
   */
  async sealing(version: ObjectVersion, lastModified: string): Promise<ObjectVersion[]> {
    this.#digests ??= new KeptDigests(version.bucket, this.#readers);
    const digests = this.#digests;
    const parts =
      (await this.#covering(version, lastModified, digests)) ??
      (await this.#late(version, lastModified, digests));
    return parts.map(nameOnly);
  }

  /** Nearly always it is the digest of the interval: looked up by name, so that a long digest costs no more for each of its objects. */
  async #covering(
    version: ObjectVersion,
    lastModified: string,
    digests: ProofDigests,
  ): Promise<readonly ListedVersion[] | undefined> {
    const covering = await digests.covering(lastModified);
    if (!covering) return undefined;
    const { names, parts } = await kept(this.#contents, covering.key, async () => {
      const read = await digests.read(covering);
      const names = new Set(read.digest.objects.map(versionName));
      return { names, parts: await partsOf(read, digests) };
    });
    return names.has(versionName(version)) ? parts : undefined;
  }

  async #late(
    version: ObjectVersion,
    lastModified: string,
    digests: ProofDigests,
  ): Promise<readonly ListedVersion[]> {
    const found = await findSealing({ ...version, lastModified }, digests, this.#clock());
    return 'status' in found ? [] : partsOf(found, digests);
  }
}

/** The document, the signature beside it, and the leaves that it names: others may lie there of a sealer that ended early. */
async function partsOf(
  { version, digest }: ReadDigest,
  digests: ProofDigests,
): Promise<readonly ListedVersion[]> {
  // Of a digest that is no more than readable the member may be missing.
  const { leaves } = digest as Partial<Digest>;
  const keys = [besideDigest(version.key, 'signature'), ...(leaves ? [leaves.key] : [])];
  const beside = await Promise.all(keys.map((key) => digests.at(key)));
  return [version, ...beside.flatMap((part) => part ?? [])];
}

function nameOnly({ bucket, key, versionId }: ObjectVersion): ObjectVersion {
  return { bucket, key, versionId };
}

/** The same, with the last ones in memory. */
class KeptDigests extends ProofDigests {
  readonly #kept = new Map<string, ReadDigest>();

  override read(version: ListedVersion): Promise<ReadDigest> {
    return kept(this.#kept, version.key, () => super.read(version));
  }
}

/** What was asked for before; the oldest goes when there is no room. */
async function kept<T>(memory: Map<string, T>, key: string, make: () => Promise<T>): Promise<T> {
  const known = memory.get(key);
  if (known !== undefined) return known;
  const made = await make();
  const [oldest] = memory.keys();
  if (memory.size >= MAX_KEPT_DIGESTS && oldest !== undefined) memory.delete(oldest);
  memory.set(key, made);
  return made;
}
