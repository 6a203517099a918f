import type { RetentionExtender } from '../../../lambdas/domain/audit/ports.ts';
import { UnreadableRecordError } from '../../../lambdas/domain/errors.ts';
import type {
  ObjectReader,
  StoredObjects,
  VersionInspector,
} from '../../../lambdas/domain/evidence/ports.ts';
import { versionName } from '../../../lambdas/domain/evidence/version-name.ts';
import { SIGNATURE_METADATA } from '../../../lambdas/domain/integrity/digest.ts';
import type { VersionStreams } from '../../../lambdas/domain/integrity/ports.ts';
import type { SealedStore } from '../../../lambdas/domain/integrity/verify-store.ts';
import type { WorkNotes } from '../../../lambdas/domain/rebuild/ports.ts';
import { Faults, type InMemoryBucket, versionOf } from './bucket.ts';

/** Reads what any of these buckets holds. */
export function readerOver(
  ...buckets: ReadonlyArray<Pick<InMemoryBucket, 'bucket' | 'versions'>>
): ObjectReader {
  return {
    async read({ bucket, key, versionId }) {
      const held = buckets
        .find((candidate) => candidate.bucket === bucket)
        ?.versions.find((version) => version.key === key && version.versionId === versionId);
      if (!held) throw new UnreadableRecordError('version_missing');
      return held.body;
    },
  };
}

/** Opens what any of these buckets holds, in pieces of a few bytes. */
export function streamsOver(
  ...buckets: ReadonlyArray<Pick<InMemoryBucket, 'bucket' | 'versions'>>
): VersionStreams {
  return {
    async open({ bucket, key, versionId }) {
      const held = buckets
        .find((candidate) => candidate.bucket === bucket)
        ?.versions.find((version) => version.key === key && version.versionId === versionId);
      if (!held) throw new UnreadableRecordError('object_version_missing');
      const { body, lock, metadata = {} } = held;
      return {
        metadata,
        ...(lock && { lock: { mode: lock.mode, retainUntil: lock.retainUntil } }),
        body: (async function* () {
          for (let at = 0; at < body.length; at += 1000) yield body.subarray(at, at + 1000);
        })(),
      };
    },
  };
}

/** Reads the same with the lock that a version was put with. */
export function objectsOver(
  ...buckets: ReadonlyArray<Pick<InMemoryBucket, 'bucket' | 'versions'>>
): StoredObjects {
  const reader = readerOver(...buckets);
  return {
    async readLocked(version) {
      const body = await reader.read(version);
      const lock = buckets
        .flatMap(({ versions }) => versions)
        .find((held) => held.key === version.key && held.versionId === version.versionId)?.lock;
      return { body, ...(lock && { lock }) };
    },
  };
}

/** Working papers as a map. */
export class InMemoryNotes implements WorkNotes {
  readonly faults = new Faults();
  readonly documents = new Map<string, string>();

  async put(key: string, document: unknown): Promise<void> {
    this.faults.enter('put');
    this.documents.set(key, JSON.stringify(document));
  }

  async find(key: string): Promise<unknown | undefined> {
    this.faults.enter('find');
    const text = this.documents.get(key);
    return text === undefined ? undefined : JSON.parse(text);
  }
}

/** Looks at what these buckets hold. */
export function inspectorOver(
  ...buckets: ReadonlyArray<Pick<InMemoryBucket, 'bucket' | 'versions' | 'held'>>
): VersionInspector {
  const versionsOf = (bucket: string) =>
    buckets.find((candidate) => candidate.bucket === bucket)?.versions ?? [];
  async function* list(bucket: string, prefix: string) {
    for (const version of versionsOf(bucket)) {
      if (version.key.startsWith(prefix)) {
        yield {
          ...versionOf(version),
          deleteMarker: version.deleteMarker ?? false,
          lastModified: version.lastModified,
          bytes: version.body.length,
        };
      }
    }
  }
  return {
    async inspect({ bucket, key, versionId }) {
      const held = versionsOf(bucket).find(
        (version) => version.key === key && version.versionId === versionId,
      );
      if (!held) return { status: 'missing' };
      const { mode, retainUntil } = held.lock ?? {};
      return {
        status: 'present',
        // as HEAD says it: to the second
        lastModified: `${held.lastModified.slice(0, 19)}.000Z`,
        ...(mode && { mode }),
        ...(retainUntil && { retainUntil }),
        legalHold: buckets.some(({ held }) => held.has(versionName({ bucket, key, versionId }))),
      };
    },
    list,
    async *files(bucket, prefix) {
      for await (const version of list(bucket, prefix)) {
        if (!version.key.includes('/', prefix.length)) yield version;
      }
    },
    async folders(bucket, prefix) {
      const below = versionsOf(bucket).flatMap(({ key }) => {
        const slash = key.startsWith(prefix) ? key.indexOf('/', prefix.length) : -1;
        return slash === -1 ? [] : key.slice(0, slash + 1);
      });
      return [...new Set(below)].sort();
    },
  };
}

/** What a bucket holds as a verifier sees it: in the order of keys, of one key the newest version first. */
export function sealedStoreOver({
  bucket,
  versions,
}: Pick<InMemoryBucket, 'bucket' | 'versions'>): SealedStore {
  return {
    bucket,
    knowsVersions: true,
    async *list(prefix) {
      const below = versions.filter(({ key }) => key.startsWith(prefix)).reverse();
      below.sort((a, b) => (a.key < b.key ? -1 : Number(a.key > b.key)));
      for (const { key, versionId, lastModified, deleteMarker } of below) {
        yield { key, versionId, lastModified, ...(deleteMarker && { deleteMarker }) };
      }
    },
    async find(key, versionId) {
      const held = versions.find(
        (version) => version.key === key && version.versionId === versionId,
      );
      return held && !held.deleteMarker ? { bytes: held.body.length } : undefined;
    },
    async open(key, versionId) {
      const held = versions.findLast(
        (version) => version.key === key && version.versionId === (versionId ?? version.versionId),
      );
      if (!held || held.deleteMarker) return undefined;
      const signature = held.metadata?.[SIGNATURE_METADATA];
      return {
        chunks: (async function* () {
          yield held.body;
        })(),
        lock: held.lock ?? 'none',
        ...(signature !== undefined && { signature }),
      };
    },
  };
}

/** Extends locks of what this bucket holds, as S3 does: never to an earlier time. */
export function extenderOver({ versions }: Pick<InMemoryBucket, 'versions'>) {
  const extended: Array<{ readonly key: string; readonly retainUntil: string }> = [];
  const extender: RetentionExtender = {
    async extend({ key, versionId }, { mode, retainUntil }) {
      const at = versions.findIndex((held) => held.key === key && held.versionId === versionId);
      const held = versions[at];
      if (!held || (held.lock && held.lock.retainUntil > retainUntil)) return false;
      extended.push({ key, retainUntil });
      versions[at] = { ...held, lock: { clamped: false, ...held.lock, mode, retainUntil } };
      return true;
    },
  };
  return { extender, extended };
}
