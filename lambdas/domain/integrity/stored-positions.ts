import type { StreamPlane } from '../audit/findings.ts';
import { UnreadableRecordError } from '../errors.ts';
import { readLines } from '../evidence/evidence-object.ts';
import { EvidencePrefix } from '../evidence/evidence-prefix.ts';
import { hourFolder } from '../evidence/hour-shard.ts';
import { lineHead } from '../evidence/line-head.ts';
import type { ListedVersion, ObjectReader, VersionInspector } from '../ports.ts';

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

/** What is looked for: the records of one shard that were filed in some hours and stored since an instant. */
export interface StoredSought {
  readonly plane: StreamPlane;
  readonly shardId: string;
  /** UTC hours of acceptance (`YYYY-MM-DDTHH`). */
  readonly hours: readonly string[];
  /** Nothing that landed before is looked at: what arrives later is stored later. Unix milliseconds. */
  readonly sinceMillis: number;
}

/**
 * Sequence numbers of a shard that stand in stored lines or are named in quarantine; one may come several times. The
 * oldest objects come first, and one is read only when it is asked for.
 * @throws AccessDeniedError, UnavailableError
 */
export async function* storedPositions(
  sought: StoredSought,
  dependencies: StoredPositionsDependencies,
): AsyncGenerator<string> {
  const { shardId, sinceMillis } = sought;
  const objects: ListedVersion[] = [];
  for (const { bucket, prefix } of await foldersOf(sought, dependencies)) {
    // A batch comes from one shard, whose name begins the names of its objects.
    for await (const version of dependencies.inspector.list(bucket, `${prefix}${shardId}-`)) {
      if (version.deleteMarker || Date.parse(version.lastModified) < sinceMillis) continue;
      if (prefix.startsWith(EvidencePrefix.quarantine)) {
        yield version.key.slice(prefix.length + shardId.length + 1).split('-', 1)[0] as string;
      } else {
        objects.push(version);
      }
    }
  }
  objects.sort((a, b) => Date.parse(a.lastModified) - Date.parse(b.lastModified));
  for (let at = 0; at < objects.length; at += CONCURRENT_OBJECTS) {
    const some = objects.slice(at, at + CONCURRENT_OBJECTS);
    for (const numbers of await Promise.all(
      some.map((version) => sequenceNumbersIn(version, dependencies.reader)),
    )) {
      yield* numbers;
    }
  }
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
