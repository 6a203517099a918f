import { createHash } from 'node:crypto';
import { groupBy } from '../collections.ts';
import { UnreadableRecordError } from '../errors.ts';
import { leafOf, MAX_STORED_BYTES, readLines } from '../evidence/evidence-object.ts';
import { type LineHead, lineHead } from '../evidence/line-head.ts';
import type { ListedVersion } from '../evidence/ports.ts';
import { holdsRecords, type SealedObject, type SealedShard } from './digest.ts';
import type { VersionStreams } from './ports.ts';

/** An object as a digest lists it, with the leaf hashes of its lines one behind the other. */
export interface ReadObject {
  readonly sealed: SealedObject;
  readonly leaves: Uint8Array;
  /** Lies where evidence lies, and is none: sealed by its bytes alone. Or cannot be read at all. */
  readonly isUnreadable: boolean;
}

/** In the place of a hash that nobody could take. */
const UNREAD_SHA256 = '0'.repeat(64);

const NO_LINES = { leaves: new Uint8Array(), heads: [] as readonly LineHead[] };

/**
 * Reads a version once for all that a digest says of it. One that cannot be read, since it is gone, archived or
 * encrypted under a key that is not the vault's, is sealed by its name, size and ETag.
 * @throws AccessDeniedError, UnavailableError
 */
export async function readObject(
  listed: ListedVersion,
  streams: VersionStreams,
): Promise<ReadObject> {
  try {
    return await readStored(listed, streams);
  } catch (error) {
    if (!(error instanceof UnreadableRecordError)) throw error;
    const { bucket, key, versionId, lastModified, bytes, etag } = listed;
    return {
      leaves: NO_LINES.leaves,
      isUnreadable: true,
      sealed: {
        ...{ bucket, key, versionId, lastModified, bytes, ...(etag !== undefined && { etag }) },
        ...{ sha256: UNREAD_SHA256, unreadable: true, records: 0 },
      },
    };
  }
}

async function readStored(
  { bucket, key, versionId, lastModified }: ListedVersion,
  streams: VersionStreams,
): Promise<ReadObject> {
  const version = { bucket, key, versionId };
  const { lock, body } = await streams.open(version);
  const hash = createHash('sha256');
  const keeps = holdsRecords(key);
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    hash.update(chunk);
    bytes += chunk.length;
    // What is larger was put there by somebody else: it is hashed as it flows by, never held.
    if (keeps && bytes <= MAX_STORED_BYTES) chunks.push(chunk);
  }
  const lines = keeps && bytes <= MAX_STORED_BYTES ? hashLines(Buffer.concat(chunks)) : undefined;
  const { heads, leaves } = lines ?? NO_LINES;
  const times = heads.map(({ acceptedAt }) => acceptedAt).sort();
  return {
    leaves,
    isUnreadable: keeps && !lines,
    sealed: {
      ...version,
      lastModified,
      bytes,
      sha256: hash.digest('hex'),
      ...lock,
      records: heads.length,
      ...(heads.length > 0 && {
        shards: shardsOf(heads),
        firstAcceptedAt: times[0] as string,
        lastAcceptedAt: times.at(-1) as string,
      }),
    },
  };
}

/** Undefined when the bytes are no evidence object. */
function hashLines(body: Buffer) {
  const heads: LineHead[] = [];
  const leaves: Buffer[] = [];
  try {
    for (const line of readLines(body)) {
      heads.push(lineHead(line));
      leaves.push(leafOf(line));
    }
  } catch (error) {
    if (error instanceof UnreadableRecordError) return undefined;
    throw error;
  }
  return { heads, leaves: Buffer.concat(leaves) };
}

/** In the order of their names. */
function shardsOf(heads: readonly LineHead[]): SealedShard[] {
  return [...groupBy(heads, ({ shardId }) => shardId)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([shardId, ofShard]) => {
      const numbers = [...new Set(ofShard.map(({ sequenceNumber }) => sequenceNumber))].sort(
        bySize,
      );
      const [first, last] = [numbers[0] as string, numbers.at(-1) as string];
      return { shardId, first, last, records: numbers.length };
    });
}

/** Sequence numbers have up to 56 digits and no leading zeros. */
function bySize(a: string, b: string): number {
  return a.length - b.length || (a < b ? -1 : Number(a > b));
}
