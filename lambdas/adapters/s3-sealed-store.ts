import type { S3Client } from '@aws-sdk/client-s3';
import { UnreadableRecordError } from '../domain/errors.ts';
import { SIGNATURE_METADATA } from '../domain/integrity/digest.ts';
import type {
  ListedContent,
  ListedObject,
  OpenedObject,
  SealedStore,
} from '../domain/integrity/verify-store.ts';
import { S3VersionInspector } from './s3-version-inspector.ts';
import { S3VersionReader } from './s3-version-reader.ts';

/** A vault as its verifier sees it: versions, locks and times as S3 says them. */
export class S3SealedStore implements SealedStore {
  readonly bucket: string;
  readonly knowsVersions = true;
  readonly #name: string;
  readonly #inspector: S3VersionInspector;
  readonly #streams: S3VersionReader;

  /** @param vault the bucket that was sealed, when this one is a replica of it */
  constructor(client: S3Client, bucket: string, vault = bucket) {
    this.bucket = vault;
    this.#name = bucket;
    this.#inspector = new S3VersionInspector(client);
    this.#streams = new S3VersionReader(client);
  }

  async *list(prefix: string): AsyncGenerator<ListedObject> {
    for await (const version of this.#inspector.list(this.#name, prefix)) {
      const { key, versionId, lastModified, deleteMarker } = version;
      yield { key, versionId, lastModified, ...(deleteMarker && { deleteMarker }) };
    }
  }

  /** The ETag of a replica that was encrypted anew is another one: it is told of the vault itself only. */
  async find(key: string, versionId: string): Promise<ListedContent | undefined> {
    for await (const version of this.#inspector.list(this.#name, key)) {
      // Of all that begin with it a key comes first.
      if (version.key !== key) return undefined;
      if (version.versionId !== versionId || version.deleteMarker) continue;
      const { bytes, etag } = version;
      return { bytes, ...(etag !== undefined && this.#name === this.bucket && { etag }) };
    }
    return undefined;
  }

  async open(key: string, versionId?: string): Promise<OpenedObject | undefined> {
    if (versionId === undefined) return undefined;
    try {
      const opened = await this.#streams.open({ bucket: this.#name, key, versionId });
      const signature = opened.metadata[SIGNATURE_METADATA];
      return {
        chunks: opened.body,
        lock: opened.lock ?? 'none',
        ...(signature !== undefined && { signature }),
      };
    } catch (error) {
      if (error instanceof UnreadableRecordError) return undefined;
      throw error;
    }
  }
}
