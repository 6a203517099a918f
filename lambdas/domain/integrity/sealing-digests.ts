import type { Clock, ListedVersion, ObjectVersion } from '../evidence/ports.ts';
import { versionName } from '../evidence/version-name.ts';
import { besideDigest } from './digest.ts';
import { type ProofReaders, type ReadDigest, SignedDigests } from './proof-digests.ts';
import { findSealing } from './proof-search.ts';

/** Digests whose names are kept: as many as are themselves. */
const MAX_KEPT = 16;

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
  #digests: SignedDigests | undefined;

  constructor(readers: ProofReaders, clock: Clock) {
    this.#readers = readers;
    this.#clock = clock;
  }

  /**
   * The digest that lists a version, with its signature and its leaves; empty while there is none.
   * @param lastModified of the version, RFC 3339 UTC
   */
  async sealing(version: ObjectVersion, lastModified: string): Promise<ObjectVersion[]> {
    this.#digests ??= new SignedDigests(version.bucket, this.#readers);
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
    digests: SignedDigests,
  ): Promise<readonly ListedVersion[] | undefined> {
    const read = await digests.sealing(lastModified);
    if (!read) return undefined;
    const { names, parts } = await kept(this.#contents, read.version.key, async () => ({
      names: new Set(read.digest.objects.map(versionName)),
      parts: await partsOf(read, digests),
    }));
    return names.has(versionName(version)) ? parts : undefined;
  }

  async #late(
    version: ObjectVersion,
    lastModified: string,
    digests: SignedDigests,
  ): Promise<readonly ListedVersion[]> {
    const found = await findSealing({ ...version, lastModified }, digests, this.#clock());
    return 'status' in found ? [] : partsOf(found, digests);
  }
}

/** The document, the signature beside it, and the leaves that it names: others may lie there of a sealer that ended early. */
async function partsOf(
  { version, digest }: ReadDigest,
  digests: SignedDigests,
): Promise<readonly ListedVersion[]> {
  const { leaves } = digest;
  const keys = [besideDigest(version.key, 'signature'), ...(leaves ? [leaves.key] : [])];
  const beside = await Promise.all(keys.map((key) => digests.at(key)));
  return [version, ...beside.flatMap((part) => part ?? [])];
}

function nameOnly({ bucket, key, versionId }: ObjectVersion): ObjectVersion {
  return { bucket, key, versionId };
}

/** What was asked for before; the oldest goes when there is no room. */
async function kept<T>(memory: Map<string, T>, key: string, make: () => Promise<T>): Promise<T> {
  const known = memory.get(key);
  if (known !== undefined) return known;
  const made = await make();
  const [oldest] = memory.keys();
  if (memory.size >= MAX_KEPT && oldest !== undefined) memory.delete(oldest);
  memory.set(key, made);
  return made;
}
