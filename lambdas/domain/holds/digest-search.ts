import { UnreadableRecordError } from '../errors.ts';
import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import { besideDigest, type Digest, digestKey, isDigestKey } from '../integrity/digest.ts';
import type { ListedVersion, ObjectReader, ObjectVersion, VersionInspector } from '../ports.ts';

/** A digest of another interval than that in which the object landed lists it as late, soon after. */
const MAX_LATER_DIGESTS = 4;

/** Digests kept in memory: versions are looked for in the order in which they landed. */
const MAX_KEPT_DIGESTS = 16;
const MAX_KEPT_DAYS = 3;
const DAY_MILLIS = 86_400_000;

/** Finds the digests that seal object versions: by the time at which these landed, whatever the interval was then. */
export class DigestSearch {
  readonly #inspector: VersionInspector;
  readonly #reader: ObjectReader;
  readonly #days = new Map<string, Promise<readonly ListedVersion[]>>();
  readonly #digests = new Map<string, Promise<ReadonlySet<string>>>();

  constructor(inspector: VersionInspector, reader: ObjectReader) {
    this.#inspector = inspector;
    this.#reader = reader;
  }

  /**
   * The digest that lists a version, with its signature and its leaves; empty while there is none.
   * @param lastModified of the version, RFC 3339 UTC
   */
  async sealing(version: ObjectVersion, lastModified: string): Promise<ObjectVersion[]> {
    const landed = digestKey(lastModified);
    const day = Date.parse(`${lastModified.slice(0, 10)}T00:00:00Z`);
    // An interval begins before what lands in it, at most a day; a late one may be of the next day.
    const listings = await Promise.all(
      [-1, 0, 1].map((days) => this.#listed(version.bucket, day + days * DAY_MILLIS)),
    );
    const listed = listings.flat();
    const documents = listed.filter(({ key }) => isDigestKey(key));
    const first = documents.findLastIndex(({ key }) => key <= landed);
    const candidates = documents.slice(Math.max(first, 0)).slice(0, 1 + MAX_LATER_DIGESTS);
    for (const document of candidates) {
      if (!(await this.#lists(document)).has(nameOf(version))) continue;
      const parts = [document.key, ...BESIDE.map((part) => besideDigest(document.key, part))];
      return listed
        .filter(({ key }) => parts.includes(key))
        .map(({ bucket, key, versionId }) => ({ bucket, key, versionId }));
    }
    return [];
  }

  #listed(bucket: string, dayMillis: number): Promise<readonly ListedVersion[]> {
    const prefix = `${EvidencePrefix.digests}dt=${new Date(dayMillis).toISOString().slice(0, 10)}/`;
    return kept(this.#days, MAX_KEPT_DAYS, prefix, () => listAll(this.#inspector, bucket, prefix));
  }

  #lists(document: ListedVersion): Promise<ReadonlySet<string>> {
    return kept(this.#digests, MAX_KEPT_DIGESTS, nameOf(document), async () => {
      const { objects } = parse(await this.#reader.read(document));
      return new Set(objects.map(nameOf));
    });
  }
}

const BESIDE = ['signature', 'leaves'] as const;

const nameOf = ({ key, versionId }: Pick<ObjectVersion, 'key' | 'versionId'>) =>
  `${key}@${versionId}`;

async function listAll(
  inspector: VersionInspector,
  bucket: string,
  prefix: string,
): Promise<readonly ListedVersion[]> {
  const listed: ListedVersion[] = [];
  for await (const version of inspector.list(bucket, prefix)) {
    if (!version.deleteMarker) listed.push(version);
  }
  return listed.sort((a, b) => (a.key < b.key ? -1 : 1));
}

function parse(bytes: Uint8Array): Digest {
  try {
    return JSON.parse(Buffer.from(bytes).toString('utf8'));
  } catch {
    throw new UnreadableRecordError('digest_unreadable'); // what the parser says quotes its input
  }
}

/** What was asked for before; the oldest goes when there is no room. */
function kept<T>(
  memory: Map<string, Promise<T>>,
  max: number,
  key: string,
  make: () => Promise<T>,
): Promise<T> {
  const known = memory.get(key);
  if (known) return known;
  const [oldest] = memory.keys();
  if (memory.size >= max && oldest !== undefined) memory.delete(oldest);
  const made = make();
  memory.set(key, made);
  return made;
}
