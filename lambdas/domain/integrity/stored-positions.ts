import { UnreadableRecordError } from '../errors.ts';
import type { Quarantined } from '../evidence/consumed-record.ts';
import type { StreamPosition } from '../evidence/envelope.ts';
import { readLines } from '../evidence/evidence-object.ts';
import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import { hourFolder } from '../evidence/hour-shard.ts';
import { lineHead } from '../evidence/line-head.ts';
import type { ListedVersion, ObjectReader, VersionInspector } from '../evidence/ports.ts';
import type { StreamPlane } from '../findings.ts';

export interface StoredPositionsDependencies {
  /** Lists vault and staging. */
  readonly inspector: Pick<VersionInspector, 'list' | 'folders'>;
  readonly reader: ObjectReader;
  readonly vaultBucket: string;
  /** Where traces lie that no run has claimed. */
  readonly stagingBucket: string;
}

/** Objects read at once: each may inflate to tens of megabytes. */
const CONCURRENT_OBJECTS = 4;

/** A quarantine document holds a receipt, a submitter and names: a few kilobytes. */
const MAX_QUARANTINE_BYTES = 1024 * 1024;

/** What is looked for: the records of one shard that were filed in some hours and stored since an instant. */
export interface StoredSought {
  readonly plane: StreamPlane;
  readonly shardId: string;
  /** UTC hours of acceptance (`YYYY-MM-DDTHH`). */
  readonly hours: readonly string[];
  /** Nothing that landed before is looked at: what arrives later is stored later. Unix milliseconds. */
  readonly sinceMillis: number;
  /** Whether a sequence number was not found yet. */
  readonly isMissing: (sequenceNumber: string) => boolean;
}

/**
 * Sequence numbers of a shard that stand in stored lines or are named in quarantine, some at a time; one may come several
 * times. The oldest objects come first, and one is read only when it is asked for. Quarantine comes last, and only what is
 * named for a number that is missing by then is read: a name alone proves nothing.
 * @throws AccessDeniedError, UnavailableError
 */
export async function* storedPositions(
  sought: StoredSought,
  dependencies: StoredPositionsDependencies,
): AsyncGenerator<readonly string[]> {
  const { shardId, sinceMillis, isMissing } = sought;
  const { inspector, reader } = dependencies;
  const objects: ListedVersion[] = [];
  const quarantined: Array<{ version: ListedVersion; sequenceNumber: string }> = [];
  for (const { bucket, prefix } of await foldersOf(sought, dependencies)) {
    // A batch comes from one shard, whose name begins the names of its objects.
    const start = `${prefix}${shardId}-`;
    for await (const version of inspector.list(bucket, start)) {
      if (version.deleteMarker || Date.parse(version.lastModified) < sinceMillis) continue;
      if (prefix.startsWith(EvidencePrefix.quarantine)) {
        const [sequenceNumber] = version.key.slice(start.length).split('-', 1) as [string];
        if (isMissing(sequenceNumber)) quarantined.push({ version, sequenceNumber });
      } else {
        objects.push(version);
      }
    }
  }
  objects.sort((a, b) => Date.parse(a.lastModified) - Date.parse(b.lastModified));
  for (const some of chunksOf(objects, CONCURRENT_OBJECTS)) {
    const read = some.map((version) => sequenceNumbersIn(version, reader));
    yield (await Promise.all(read)).flat();
  }
  for (const some of chunksOf(quarantined, CONCURRENT_OBJECTS)) {
    const named = some
      .filter(({ sequenceNumber }) => isMissing(sequenceNumber))
      .map(async ({ version, sequenceNumber }) =>
        (await isQuarantined({ shardId, sequenceNumber }, version, reader)) ? [sequenceNumber] : [],
      );
    yield (await Promise.all(named)).flat();
  }
}

function* chunksOf<T>(items: readonly T[], size: number): Generator<readonly T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size);
}

async function foldersOf(
  { plane, hours }: StoredSought,
  { inspector, vaultBucket, stagingBucket }: StoredPositionsDependencies,
) {
  const folders = hours.map((hour) => ({
    bucket: vaultBucket,
    prefix: `${EvidencePrefix.quarantine}${hourFolder(hour)}`,
  }));
  const buckets = plane === 'traces' ? [vaultBucket, stagingBucket] : [vaultBucket];
  for (const bucket of buckets) {
    for (const classFolder of await inspector.folders(bucket, EvidencePrefix[plane])) {
      for (const hour of hours) {
        folders.push({ bucket, prefix: `${classFolder}${hourFolder(hour)}` });
      }
    }
  }
  return folders;
}

/** What cannot be read stores nothing: an object that is gone, or that was altered beyond reading. */
async function sequenceNumbersIn(version: ListedVersion, reader: ObjectReader): Promise<string[]> {
  const numbers: string[] = [];
  try {
    for (const line of readLines(await reader.read(version))) {
      numbers.push(lineHead(line).sequenceNumber);
    }
  } catch (error) {
    if (!(error instanceof UnreadableRecordError)) throw error;
  }
  return numbers;
}

/** Whether an object is the quarantine document of the record at this position, and not one that only has its name. */
async function isQuarantined(
  { shardId, sequenceNumber }: StreamPosition,
  version: ListedVersion,
  reader: ObjectReader,
): Promise<boolean> {
  // A document has no payload: what is longer is none, and is not read.
  if (version.bytes > MAX_QUARANTINE_BYTES) return false;
  try {
    const document: Partial<Quarantined> | null = JSON.parse(
      Buffer.from(await reader.read(version)).toString('utf8'),
    );
    const { quarantine, stream } = document ?? {};
    return (
      quarantine === 1 && stream?.shardId === shardId && stream.sequenceNumber === sequenceNumber
    );
  } catch (error) {
    if (error instanceof UnreadableRecordError || error instanceof SyntaxError) return false;
    throw error;
  }
}
