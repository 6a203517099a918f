import {
  CopyObjectCommand,
  CreateBucketCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  GetObjectRetentionCommand,
  HeadObjectCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
  PutObjectLegalHoldCommand,
  PutObjectLockConfigurationCommand,
  PutObjectRetentionCommand,
} from '@aws-sdk/client-s3';
import type { Clients } from '../../../localstack/clients.ts';
import { type Call, ok } from './call.ts';

const DAY_MILLIS = 86_400_000;
const inDays = (days: number) => new Date(Date.now() + days * DAY_MILLIS);

/** Locks, retention, legal holds, checksums and conditional puts. */
export function objectCalls({ s3 }: Clients, run: string): readonly Call[] {
  const Bucket = `${run}-locked`;
  const Plain = `${run}-plain`;
  const versions = new Map<string, string>();
  const put = async (Key: string, input: Partial<PutObjectCommandInput> = {}) => {
    const answer = await s3.send(new PutObjectCommand({ Bucket, Key, Body: 'body', ...input }));
    versions.set(Key, answer.VersionId ?? '');
  };
  const locked = (mode: 'GOVERNANCE' | 'COMPLIANCE', days: number) => ({
    ObjectLockMode: mode,
    ObjectLockRetainUntilDate: inDays(days),
  });
  const version = (Key: string) => ({ Bucket, Key, VersionId: versions.get(Key) });
  const remove = (Key: string, bypass = false) =>
    ok(
      s3.send(
        new DeleteObjectCommand({
          ...version(Key),
          ...(bypass && { BypassGovernanceRetention: true }),
        }),
      ),
    );
  const retain = (Key: string, Mode: 'GOVERNANCE' | 'COMPLIANCE', days: number, bypass = false) =>
    ok(
      s3.send(
        new PutObjectRetentionCommand({
          ...version(Key),
          Retention: { Mode, RetainUntilDate: inDays(days) },
          ...(bypass && { BypassGovernanceRetention: true }),
        }),
      ),
    );
  const hold = (Key: string, Status: 'ON' | 'OFF') =>
    ok(s3.send(new PutObjectLegalHoldCommand({ ...version(Key), LegalHold: { Status } })));
  const modeOf = async (Key: string) =>
    (await s3.send(new HeadObjectCommand({ Bucket, Key }))).ObjectLockMode ?? 'unlocked';

  return [
    {
      name: 'lock: bucket with Object Lock and a default rule',
      ask: async () => {
        await s3.send(new CreateBucketCommand({ Bucket, ObjectLockEnabledForBucket: true }));
        const DefaultRetention = { Mode: 'GOVERNANCE', Days: 1 } as const;
        const ObjectLockConfiguration = {
          ObjectLockEnabled: 'Enabled',
          Rule: { DefaultRetention },
        } as const;
        await s3.send(new PutObjectLockConfigurationCommand({ Bucket, ObjectLockConfiguration }));
        return ok(s3.send(new CreateBucketCommand({ Bucket: Plain })));
      },
    },
    {
      name: 'lock: put under the default rule',
      ask: async () => {
        await put('default');
        return modeOf('default');
      },
    },
    {
      name: 'lock: put with GOVERNANCE',
      ask: () => ok(put('governance', locked('GOVERNANCE', 2))),
    },
    { name: 'lock: delete a GOVERNANCE version', ask: () => remove('governance') },
    {
      name: 'lock: delete without a version',
      ask: () => ok(s3.send(new DeleteObjectCommand({ Bucket, Key: 'governance' }))),
    },
    {
      name: 'lock: the version below a delete marker',
      ask: () => ok(s3.send(new GetObjectCommand(version('governance')))),
    },
    {
      name: 'lock: delete a GOVERNANCE version with bypass',
      ask: () => remove('governance', true),
    },
    {
      name: 'lock: put with COMPLIANCE',
      ask: () => ok(put('compliance', locked('COMPLIANCE', 2))),
    },
    {
      name: 'lock: delete a COMPLIANCE version with bypass',
      ask: () => remove('compliance', true),
    },
    {
      name: 'retention: shorten COMPLIANCE with bypass',
      ask: () => retain('compliance', 'COMPLIANCE', 1, true),
    },
    {
      name: 'retention: turn COMPLIANCE into GOVERNANCE',
      ask: () => retain('compliance', 'GOVERNANCE', 3),
    },
    { name: 'retention: extend COMPLIANCE', ask: () => retain('compliance', 'COMPLIANCE', 3) },
    {
      name: 'retention: shorten GOVERNANCE',
      ask: async () => {
        await put('shorter', locked('GOVERNANCE', 3));
        return retain('shorter', 'GOVERNANCE', 2);
      },
    },
    {
      name: 'retention: shorten GOVERNANCE with bypass',
      ask: () => retain('shorter', 'GOVERNANCE', 2, true),
    },
    {
      name: 'retention: put that ends in the past',
      ask: () => ok(put('past', locked('GOVERNANCE', -1))),
    },
    {
      name: 'retention: put with a mode and no date',
      ask: () => ok(put('dateless', { ObjectLockMode: 'GOVERNANCE' })),
    },
    {
      name: 'retention: put with a lock into a bucket without Object Lock',
      ask: () => ok(put('elsewhere', { Bucket: Plain, ...locked('GOVERNANCE', 1) })),
    },
    {
      name: 'retention: of an object that has none',
      ask: async () => {
        await put('none', { Bucket: Plain });
        return ok(s3.send(new GetObjectRetentionCommand({ Bucket: Plain, Key: 'none' })));
      },
    },
    {
      name: 'retention: what a copy into the bucket gets',
      ask: async () => {
        await s3.send(new CopyObjectCommand({ Bucket, Key: 'copy', CopySource: `${Plain}/none` }));
        return modeOf('copy');
      },
    },
    {
      name: 'retention: multipart upload with a lock',
      ask: () =>
        ok(
          s3.send(
            new CreateMultipartUploadCommand({ Bucket, Key: 'parts', ...locked('GOVERNANCE', 1) }),
          ),
        ),
    },
    {
      name: 'hold: put with a legal hold',
      ask: () => ok(put('held', { ObjectLockLegalHoldStatus: 'ON' })),
    },
    { name: 'hold: delete with bypass while it is on', ask: () => remove('held', true) },
    {
      name: 'hold: lifted, then deleted with bypass',
      ask: async () => {
        await hold('held', 'OFF');
        return remove('held', true);
      },
    },
    { name: 'hold: on a version that is not there', ask: () => hold('held', 'ON') },
    {
      name: 'checksum: wrong SHA-256',
      ask: () => ok(put('sum', { ChecksumSHA256: Buffer.alloc(32).toString('base64') })),
    },
    {
      name: 'checksum: wrong MD5',
      ask: () => ok(put('sum', { ContentMD5: Buffer.alloc(16).toString('base64') })),
    },
    {
      name: 'checksum: SHA-256 is given back',
      ask: async () => {
        await put('sum', { ChecksumAlgorithm: 'SHA256' });
        const head = await s3.send(
          new HeadObjectCommand({ Bucket, Key: 'sum', ChecksumMode: 'ENABLED' }),
        );
        return head.ChecksumSHA256 ?? 'none';
      },
    },
    {
      name: 'condition: If-None-Match on a new key',
      ask: () => ok(put('once', { IfNoneMatch: '*' })),
    },
    {
      name: 'condition: If-None-Match on a key that is there',
      ask: () => ok(put('once', { IfNoneMatch: '*' })),
    },
    {
      name: 'condition: If-None-Match above a delete marker',
      ask: async () => {
        await s3.send(new DeleteObjectCommand({ Bucket, Key: 'once' }));
        return ok(put('once', { IfNoneMatch: '*' }));
      },
    },
    {
      name: 'condition: If-Match on another version',
      ask: () => ok(put('once', { IfMatch: '"0"' })),
    },
    {
      name: 'condition: two puts with If-None-Match at once',
      ask: async () => {
        const both = [put('race', { IfNoneMatch: '*' }), put('race', { IfNoneMatch: '*' })];
        const ended = await Promise.allSettled(both);
        return `${ended.filter(({ status }) => status === 'fulfilled').length} of 2`;
      },
    },
    {
      name: 'read: a version that was deleted',
      ask: () => ok(s3.send(new GetObjectCommand(version('governance')))),
    },
    {
      name: 'lock: suspend versioning of the bucket',
      ask: () =>
        ok(
          s3.send(
            new PutBucketVersioningCommand({
              Bucket,
              VersioningConfiguration: { Status: 'Suspended' },
            }),
          ),
        ),
    },
  ];
}
