import { createHash, randomBytes } from 'node:crypto';
import {
  DeleteObjectCommand,
  GetBucketPolicyCommand,
  GetObjectCommand,
  GetObjectLockConfigurationCommand,
  ListBucketInventoryConfigurationsCommand,
  ListObjectsV2Command,
  PutBucketVersioningCommand,
  PutObjectCommand,
  type PutObjectCommandInput,
  PutObjectLegalHoldCommand,
  PutObjectLockConfigurationCommand,
  PutObjectRetentionCommand,
} from '@aws-sdk/client-s3';
import { vaultStatements } from '../../../lambdas/domain/audit/guard-policy.ts';
import type { LockMode } from '../../../lib/config/environment-config.ts';
import { type Answer, answerTo, controlStep, refusedStep } from '../answers.ts';
import {
  type AccountCheck,
  type SessionPolicy,
  type Step,
  type Subject,
  settingStep,
  unasked,
} from '../check.ts';

const DAY_MILLIS = 86_400_000;
const HOUR_MILLIS = 3_600_000;

/** S3 answers this when a body is not the one its checksum speaks of: after it has looked at rights, and without storing it. */
const REACHED = 'BadDigest';

/** A put that S3 never stores, since its checksum is that of another body: what it answers shows who was asked first. */
function impossiblePut(
  { config, deployment, now, runId }: Subject,
  change: Partial<PutObjectCommandInput> = {},
): PutObjectCommandInput {
  return {
    Bucket: deployment.buckets.vault,
    Key: `account-check/${runId}`,
    Body: 'account check',
    ChecksumSHA256: createHash('sha256').update('another body').digest('base64'),
    IfNoneMatch: '*',
    ObjectLockMode: config.retention.mode,
    ObjectLockRetainUntilDate: aboveFloor(config.retention.floorDays, now()),
    ...change,
  };
}

const aboveFloor = (floorDays: number, nowMillis: number) =>
  new Date(nowMillis + (floorDays + 2) * DAY_MILLIS);
const belowFloor = (floorDays: number, nowMillis: number) =>
  new Date(nowMillis + (floorDays - 1) * DAY_MILLIS + HOUR_MILLIS);
const otherThan = (mode: LockMode): LockMode =>
  mode === 'COMPLIANCE' ? 'GOVERNANCE' : 'COMPLIANCE';

/** Each as the complete put, but for one thing that the vault's policy refuses. */
function refusedPuts({
  config,
  deployment,
  now,
  runId,
}: Subject): Record<string, Partial<PutObjectCommandInput>> {
  const { floorDays, mode } = config.retention;
  const anotherKey = deployment.hmacKeyArn.replace(/:key\/.*/, ':alias/aws/s3');
  return {
    'without lock headers': { ObjectLockMode: undefined, ObjectLockRetainUntilDate: undefined },
    'without If-None-Match': { IfNoneMatch: undefined },
    [`in ${otherThan(mode)}`]: { ObjectLockMode: otherThan(mode) },
    'locked for less than the floor': { ObjectLockRetainUntilDate: belowFloor(floorDays, now()) },
    'of another storage class': { StorageClass: 'GLACIER' },
    'under another KMS key': { ServerSideEncryption: 'aws:kms', SSEKMSKeyId: anotherKey },
    "under a key of the caller's": {
      SSECustomerAlgorithm: 'AES256',
      SSECustomerKey: randomBytes(32).toString('base64'),
    },
    'below digests/': { Key: `digests/account-check-${runId}` },
  };
}

const putRefusals: AccountCheck = {
  name: 'vault-put-refusals',
  does: 'puts an object that is complete but for one header, eight times, each with the checksum of another body, so that S3 stores none of them',
  leaves: 'nothing',
  costs: '9 puts to S3',
  run: async (subject) => {
    const { s3 } = subject.clients;
    const put = (change?: Partial<PutObjectCommandInput>) =>
      answerTo(s3.send(new PutObjectCommand(impossiblePut(subject, change))));
    const control = controlStep('a complete put', await put(), REACHED);
    const steps = [control];
    for (const [how, change] of Object.entries(refusedPuts(subject))) {
      steps.push(refusedStep(`a put ${how}`, await put(change), control.verdict === 'holds'));
    }
    return steps;
  },
};

const retentionFloor: AccountCheck = {
  name: 'vault-retention-floor',
  does: 'asks for a lock below the floor, and for another mode, on a key that does not exist',
  leaves: 'nothing',
  costs: '3 puts to S3',
  run: async (subject) => {
    const { clients, config, deployment, now, runId } = subject;
    const { floorDays, mode } = config.retention;
    const lock = (Mode: LockMode, RetainUntilDate: Date) =>
      answerTo(
        clients.s3.send(
          new PutObjectRetentionCommand({
            Bucket: deployment.buckets.vault,
            Key: `account-check/${runId}`,
            Retention: { Mode, RetainUntilDate },
          }),
        ),
      );
    const above = aboveFloor(floorDays, now());
    const control = controlStep('a lock above the floor', await lock(mode, above), 'NoSuchKey');
    const isControlled = control.verdict === 'holds';
    const short = await lock(mode, belowFloor(floorDays, now()));
    const other = await lock(otherThan(mode), above);
    return [
      control,
      refusedStep('a lock below the floor', short, isControlled),
      refusedStep(`a lock in ${otherThan(mode)}`, other, isControlled),
    ];
  },
};

const deletion: AccountCheck = {
  name: 'vault-deletion',
  does: 'deletes a key that does not exist, without a version and as a version with bypass',
  leaves:
    'nothing while the claim holds; else a delete marker of a key that nobody has, removed again unless that is refused',
  costs: '2 deletes of S3',
  run: async (subject) => {
    const { clients, deployment, runId } = subject;
    const object = { Bucket: deployment.buckets.vault, Key: `account-check/${runId}` };
    let marker: string | undefined;
    const plain = await answerTo(
      clients.s3.send(new DeleteObjectCommand(object)).then((answer) => {
        marker = answer.VersionId;
      }),
    );
    if (marker !== undefined) {
      await answerTo(clients.s3.send(new DeleteObjectCommand({ ...object, VersionId: marker })));
    }
    const version = { ...object, VersionId: 'null', BypassGovernanceRetention: true };
    const bypass = await answerTo(clients.s3.send(new DeleteObjectCommand(version)));
    const asked = 'a delete of a version, with bypass';
    return [
      refusedStep('a delete without a version', plain, false),
      (await isExempt(subject, 'DenyVersionDeletion'))
        ? unasked(asked, 'you are the role that may delete versions', 'unknown')
        : refusedStep(asked, bypass, false),
    ];
  },
};

const guardChanges: AccountCheck = {
  name: 'vault-guard-changes',
  does: 'sets versioning and the Object Lock configuration to what they are',
  leaves: 'nothing: both stay as they are',
  costs: '3 requests to S3',
  run: async (subject) => {
    const { s3 } = subject.clients;
    const Bucket = subject.deployment.buckets.vault;
    if (await isExempt(subject, 'DenyGuardChanges')) {
      return [unasked('settings of the vault', 'you are the role that may change them', 'unknown')];
    }
    const { ObjectLockConfiguration } = await s3.send(
      new GetObjectLockConfigurationCommand({ Bucket }),
    );
    const versioning = new PutBucketVersioningCommand({
      Bucket,
      VersioningConfiguration: { Status: 'Enabled' },
    });
    const lock = new PutObjectLockConfigurationCommand({ Bucket, ObjectLockConfiguration });
    return [
      refusedStep('versioning set as it is', await answerTo(s3.send(versioning)), false),
      refusedStep('the lock configuration set as it is', await answerTo(s3.send(lock)), false),
    ];
  },
};

const plainHttp: AccountCheck = {
  name: 'vault-plain-http',
  does: 'lists at most one key of the vault over HTTPS, and over plain HTTP',
  leaves: 'nothing',
  costs: '2 lists of S3; the signed request of the second is readable on the way',
  run: async ({ clients, deployment }) => {
    const list = () => new ListObjectsV2Command({ Bucket: deployment.buckets.vault, MaxKeys: 1 });
    const control = controlStep('a list over HTTPS', await answerTo(clients.s3.send(list())), 'ok');
    const plain = await answerTo(clients.s3OverHttp.send(list()));
    return [control, refusedStep('a list over HTTP', plain, control.verdict === 'holds')];
  },
};

interface PolicyStatement {
  readonly Sid?: string;
  readonly Effect?: string;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

async function policyOf({ clients, deployment }: Subject): Promise<readonly PolicyStatement[]> {
  const { Policy = '{}' } = await clients.s3.send(
    new GetBucketPolicyCommand({ Bucket: deployment.buckets.vault }),
  );
  return (JSON.parse(Policy) as { Statement?: PolicyStatement[] }).Statement ?? [];
}

/** Whether the caller is the role that a refusal leaves out. */
async function isExempt(subject: Subject, sid: string): Promise<boolean> {
  const statement = (await policyOf(subject)).find(({ Sid }) => Sid === sid);
  const exempt = statement?.Condition?.ArnNotEquals?.['aws:PrincipalArn'];
  const session = /:assumed-role\/([^/]+)\//.exec(subject.callerArn)?.[1];
  return exempt !== undefined && exempt.split('/').at(-1) === session;
}

const policyStands: AccountCheck = {
  name: 'vault-policy',
  does: "reads the bucket policy and compares its refusals, and the conditions of those on locks, with the store's",
  leaves: 'nothing',
  costs: '1 request to S3',
  run: async (subject) => {
    const standing = await policyOf(subject);
    const role = 'arn:aws:iam::000000000000:role/any';
    const expected: readonly PolicyStatement[] = vaultStatements({
      ...{ ...subject.config.retention, bucketArn: '', keyArn: '', deploymentRoleArn: role },
      signing: { sealerRoleArn: role },
    });
    const sids = (statements: readonly PolicyStatement[]) =>
      statements
        .filter(({ Effect }) => Effect === 'Deny')
        .map(({ Sid }) => Sid)
        .sort();
    const conditionOf = (statements: readonly PolicyStatement[], sid: string) =>
      statements.find(({ Sid }) => Sid === sid)?.Condition;
    return [
      settingStep('its refusals', sids(expected), sids(standing)),
      ...LOCK_STATEMENTS.map((sid) =>
        settingStep(`condition of ${sid}`, conditionOf(expected, sid), conditionOf(standing, sid)),
      ),
    ];
  },
};

/** Their conditions name no role and no key, so that they can be compared as they are. */
const LOCK_STATEMENTS = [
  'DenyLockBelowFloor',
  'DenyOtherLockMode',
  'DenyPutWithoutRetainUntil',
  'DenyPutWithoutIfNoneMatch',
] as const;

const holdRelease: AccountCheck = {
  name: 'vault-hold-release',
  does: 'sets and lifts a legal hold on a key that does not exist',
  leaves: 'nothing',
  costs: '2 puts to S3',
  run: async ({ clients, deployment, runId }) => {
    const hold = (Status: 'ON' | 'OFF') =>
      answerTo(
        clients.s3.send(
          new PutObjectLegalHoldCommand({
            Bucket: deployment.buckets.vault,
            Key: `lineage/account-check-${runId}`,
            LegalHold: { Status },
          }),
        ),
      );
    const control = controlStep('a hold that is set', await hold('ON'), 'NoSuchKey');
    return [
      control,
      refusedStep('a hold that is lifted', await hold('OFF'), control.verdict === 'holds'),
    ];
  },
};

const NO_ROLE = 'no role to try it with: give --assume <role that you may assume>';

const lockRight: AccountCheck = {
  name: 'lock-headers-right',
  does: 'puts an object with lock headers and the checksum of another body under a role without, and with, s3:PutObjectRetention',
  leaves: 'nothing',
  costs: '2 puts to S3, 2 sessions of a role',
  run: async (subject) => {
    const asked = 'a locked put without s3:PutObjectRetention';
    if (!subject.s3With) return [unasked(asked, NO_ROLE, 'unknown')];
    const put = async (...actions: string[]) => {
      const s3 = await subject.s3With?.(rights(subject, actions));
      return answerTo(s3?.send(new PutObjectCommand(impossiblePut(subject))) ?? Promise.reject());
    };
    const complete = await put('s3:PutObject', 's3:PutObjectRetention');
    const control = controlStep('a locked put with both rights', complete, REACHED);
    return [control, withoutRightStep(asked, await put('s3:PutObject'), control)];
  },
};

const absence: AccountCheck = {
  name: 'absence-needs-list',
  does: 'reads a key that does not exist under a role without, and with, s3:ListBucket',
  leaves: 'nothing',
  costs: '2 reads of S3, 2 sessions of a role',
  run: async (subject) => {
    const asked = 'a missing key without s3:ListBucket';
    if (!subject.s3With) return [unasked(asked, NO_ROLE, 'unknown')];
    const read = async (...actions: string[]) => {
      const s3 = await subject.s3With?.(rights(subject, actions));
      const Key = `account-check/${subject.runId}`;
      const command = new GetObjectCommand({ Bucket: subject.deployment.buckets.vault, Key });
      return answerTo(s3?.send(command) ?? Promise.reject());
    };
    const seen = await read('s3:GetObject', 's3:ListBucket');
    const control = controlStep('a missing key with s3:ListBucket', seen, 'NoSuchKey');
    return [control, withoutRightStep(asked, await read('s3:GetObject'), control)];
  },
};

/** For want of a right: here "no identity-based policy allows" is the answer that is wanted. */
function withoutRightStep(asked: string, { code }: Answer, control: Step): Step {
  const holds = code === 'AccessDenied';
  const verdict = control.verdict !== 'holds' ? 'unknown' : holds ? 'holds' : 'fails';
  return { asked, expected: 'AccessDenied', observed: code, verdict };
}

/** A put is encrypted with the key of the vault, whose use is not in question here. */
function rights({ deployment }: Subject, actions: readonly string[]): SessionPolicy {
  const bucket = `arn:aws:s3:::${deployment.buckets.vault}`;
  return {
    Version: '2012-10-17',
    Statement: [
      { Effect: 'Allow', Action: actions, Resource: [bucket, `${bucket}/*`] },
      { Effect: 'Allow', Action: ['kms:Decrypt', 'kms:GenerateDataKey'], Resource: ['*'] },
    ],
  };
}

/** What an inventory must list, so that locks can be compared without a request for each object. */
const INVENTORY_LOCK_FIELDS = [
  'ObjectLockLegalHoldStatus',
  'ObjectLockMode',
  'ObjectLockRetainUntilDate',
];

const inventory: AccountCheck = {
  name: 'inventory-lock-fields',
  does: 'reads the inventory configurations of the vault: each lists all versions with mode, date and hold of their locks',
  leaves: 'nothing',
  costs: '1 request to S3',
  run: async ({ clients: { s3 }, deployment }) => {
    const Bucket = deployment.buckets.vault;
    const { InventoryConfigurationList = [] } = await s3.send(
      new ListBucketInventoryConfigurationsCommand({ Bucket }),
    );
    if (InventoryConfigurationList.length === 0) {
      return [unasked('fields of an inventory', 'the vault has no inventory', 'none')];
    }
    return InventoryConfigurationList.flatMap(
      ({ Id, IncludedObjectVersions, OptionalFields = [] }) => {
        const fields: readonly string[] = OptionalFields;
        const listed = INVENTORY_LOCK_FIELDS.filter((field) => fields.includes(field));
        return [
          settingStep(`lock fields of ${Id}`, INVENTORY_LOCK_FIELDS, listed),
          settingStep(`versions of ${Id}`, 'All', IncludedObjectVersions),
        ];
      },
    );
  },
};

/** What the vault refuses, whoever asks. */
export const vaultChecks: readonly AccountCheck[] = [
  putRefusals,
  retentionFloor,
  deletion,
  guardChanges,
  plainHttp,
  policyStands,
  holdRelease,
  lockRight,
  absence,
  inventory,
];
