import {
  type DeleteMarkerEntry,
  GetObjectLegalHoldCommand,
  GetObjectRetentionCommand,
  HeadObjectCommand,
  ListObjectVersionsCommand,
  type ListObjectVersionsCommandInput,
  type ListObjectVersionsCommandOutput,
  type ObjectVersion as ObjectVersionEntry,
  type ReplicationStatus,
  type S3Client,
} from '@aws-sdk/client-s3';
import type {
  ListedVersion,
  ObjectVersion,
  VersionInspector,
  VersionState,
} from '../domain/evidence/ports.ts';
import { isS3Error, s3Denied, s3Status, s3Unavailable } from './s3-errors.ts';

/**
 * Looks at object versions. Retention and hold are asked for by calls of their own: HEAD leaves the
 * lock fields out, without a word, when the caller may not read them.
 */
export class S3VersionInspector implements VersionInspector {
  readonly #client: S3Client;

  constructor(client: S3Client) {
    this.#client = client;
  }

  async inspect({ bucket, key, versionId }: ObjectVersion): Promise<VersionState> {
    const target = { Bucket: bucket, Key: key, VersionId: versionId };
    try {
      const { LastModified, ReplicationStatus } = await this.#client.send(
        new HeadObjectCommand(target),
      );
      const [retention, hold] = await Promise.all([
        this.#client.send(new GetObjectRetentionCommand(target)).catch(noLock),
        this.#client.send(new GetObjectLegalHoldCommand(target)).catch(noLock),
      ]);
      const { Mode, RetainUntilDate } = retention?.Retention ?? {};
      return {
        status: 'present',
        lastModified: (LastModified as Date).toISOString(),
        ...(Mode && { mode: Mode }),
        ...(RetainUntilDate && { retainUntil: RetainUntilDate.toISOString() }),
        legalHold: hold?.LegalHold?.Status === 'ON',
        ...replicationOf(ReplicationStatus),
      };
    } catch (error) {
      const status = s3Status(error);
      if (status === 404) return { status: 'missing' };
      if (status === 403) return { status: 'denied' };
      throw s3Unavailable(error);
    }
  }

  list(bucket: string, prefix: string): AsyncGenerator<ListedVersion> {
    return this.#versions(bucket, { Prefix: prefix });
  }

  files(bucket: string, prefix: string): AsyncGenerator<ListedVersion> {
    return this.#versions(bucket, { Prefix: prefix, Delimiter: '/' });
  }

  /** From the list of versions: a folder whose objects are all hidden by delete markers is one as well. */
  async folders(bucket: string, prefix: string): Promise<string[]> {
    const folders: string[] = [];
    const below = { Bucket: bucket, Prefix: prefix, Delimiter: '/' };
    for await (const { CommonPrefixes } of this.#pages(below)) {
      folders.push(...(CommonPrefixes ?? []).flatMap(({ Prefix }) => Prefix ?? []));
    }
    return folders;
  }

  async *#versions(
    bucket: string,
    below: Pick<ListObjectVersionsCommandInput, 'Prefix' | 'Delimiter'>,
  ): AsyncGenerator<ListedVersion> {
    for await (const { Versions, DeleteMarkers } of this.#pages({ Bucket: bucket, ...below })) {
      for (const { Size = 0, ETag, ...version } of Versions ?? []) {
        const etag = ETag?.replaceAll('"', '');
        yield listed(bucket, version, { bytes: Size, deleteMarker: false, ...(etag && { etag }) });
      }
      for (const marker of DeleteMarkers ?? []) {
        yield listed(bucket, marker, { bytes: 0, deleteMarker: true });
      }
    }
  }

  async *#pages(
    request: ListObjectVersionsCommandInput,
  ): AsyncGenerator<ListObjectVersionsCommandOutput> {
    let KeyMarker: string | undefined;
    let VersionIdMarker: string | undefined;
    do {
      const markers = { KeyMarker, VersionIdMarker };
      const page = await this.#attempt(() =>
        this.#client.send(new ListObjectVersionsCommand({ ...request, ...markers })),
      );
      yield page;
      KeyMarker = page.IsTruncated ? page.NextKeyMarker : undefined;
      VersionIdMarker = page.NextVersionIdMarker;
    } while (KeyMarker);
  }

  async #attempt<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      throw s3Denied(error);
    }
  }
}

/** A copy that is itself a replica (`REPLICA`) has none of its own. */
function replicationOf(status: ReplicationStatus | undefined) {
  return status === 'PENDING' || status === 'FAILED' || status === 'COMPLETED'
    ? { replication: status }
    : {};
}

function listed(
  bucket: string,
  { Key, VersionId, LastModified }: ObjectVersionEntry | DeleteMarkerEntry,
  rest: Pick<ListedVersion, 'bytes' | 'deleteMarker' | 'etag'>,
): ListedVersion {
  const lastModified = (LastModified as Date).toISOString();
  return { bucket, key: Key as string, versionId: VersionId as string, lastModified, ...rest };
}

/** A version or a bucket without lock answers with an error of its own, which here means "none". */
function noLock(error: unknown): undefined {
  const none = [
    'NoSuchObjectLockConfiguration',
    'ObjectLockConfigurationNotFoundError',
    'InvalidRequest',
  ];
  if (isS3Error(error, ...none)) return undefined;
  throw error;
}
