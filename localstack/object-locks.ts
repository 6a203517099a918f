import { rmSync } from 'node:fs';
import {
  GetObjectLockConfigurationCommand,
  HeadObjectCommand,
  ListBucketsCommand,
  ListObjectVersionsCommand,
  type ObjectLockRetentionMode,
  PutObjectLegalHoldCommand,
  PutObjectRetentionCommand,
  type S3Client,
} from '@aws-sdk/client-s3';
import { mapConcurrently } from '../lambdas/domain/concurrency.ts';
import { readJson, writeJson } from './json-file.ts';

/** The lock of one object version. */
interface ObjectLock {
  readonly bucket: string;
  readonly key: string;
  readonly versionId: string;
  readonly mode?: string;
  readonly retainUntil?: string;
  readonly legalHold: boolean;
}

/** Calls at once; more only queue in the emulator. */
const CONCURRENCY = 16;

/**
 * Writes down the lock of every object version. The emulator persists objects but neither retention nor legal holds, so
 * without this all evidence would be unlocked after a stop. Returns how many versions are locked.
 */
export async function saveLocks(s3: S3Client, path: string): Promise<number> {
  const locks: ObjectLock[] = [];
  for (const bucket of await lockedBuckets(s3)) {
    const versions = await listVersions(s3, bucket);
    await mapConcurrently(versions, CONCURRENCY, async ({ key, versionId }) => {
      const head = await s3.send(
        new HeadObjectCommand({ Bucket: bucket, Key: key, VersionId: versionId }),
      );
      const mode = head.ObjectLockMode;
      const retainUntil = head.ObjectLockRetainUntilDate?.toISOString();
      const legalHold = head.ObjectLockLegalHoldStatus === 'ON';
      if (mode === undefined && !legalHold) return;
      locks.push({
        ...{ bucket, key, versionId, legalHold },
        ...(mode && retainUntil && { mode, retainUntil }),
      });
    });
  }
  writeJson(path, locks);
  return locks.length;
}

/** Sets the locks again that `saveLocks` wrote down, once; must run before anybody can touch an object. */
export async function restoreLocks(s3: S3Client, path: string): Promise<void> {
  await mapConcurrently(readJson<ObjectLock[]>(path) ?? [], CONCURRENCY, async (lock) => {
    const version = { Bucket: lock.bucket, Key: lock.key, VersionId: lock.versionId };
    if (lock.mode !== undefined && lock.retainUntil !== undefined) {
      const Retention = {
        Mode: lock.mode as ObjectLockRetentionMode,
        RetainUntilDate: new Date(lock.retainUntil),
      };
      await s3.send(new PutObjectRetentionCommand({ ...version, Retention }));
    }
    if (lock.legalHold) {
      await s3.send(new PutObjectLegalHoldCommand({ ...version, LegalHold: { Status: 'ON' } }));
    }
  });
  // While the file is there, the emulator has not got its locks back.
  rmSync(path, { force: true });
}

async function lockedBuckets(s3: S3Client): Promise<readonly string[]> {
  const { Buckets = [] } = await s3.send(new ListBucketsCommand({}));
  const found: string[] = [];
  for (const { Name: Bucket = '' } of Buckets) {
    try {
      await s3.send(new GetObjectLockConfigurationCommand({ Bucket }));
      found.push(Bucket);
    } catch (error) {
      if ((error as Error).name !== 'ObjectLockConfigurationNotFoundError') throw error;
    }
  }
  return found;
}

async function listVersions(s3: S3Client, Bucket: string) {
  const found: { key: string; versionId: string }[] = [];
  let KeyMarker: string | undefined;
  let VersionIdMarker: string | undefined;
  do {
    const page = await s3.send(
      new ListObjectVersionsCommand({ Bucket, KeyMarker, VersionIdMarker }),
    );
    for (const { Key, VersionId } of page.Versions ?? []) {
      if (Key && VersionId) found.push({ key: Key, versionId: VersionId });
    }
    KeyMarker = page.IsTruncated ? page.NextKeyMarker : undefined;
    VersionIdMarker = page.IsTruncated ? page.NextVersionIdMarker : undefined;
  } while (KeyMarker !== undefined);
  return found;
}
