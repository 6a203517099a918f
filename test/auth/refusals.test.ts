import { DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import {
  DeleteRolePolicyCommand,
  IAMClient,
  PutRolePolicyCommand,
  UpdateAssumeRolePolicyCommand,
} from '@aws-sdk/client-iam';
import { GetShardIteratorCommand, KinesisClient, ListShardsCommand } from '@aws-sdk/client-kinesis';
import { DisableKeyCommand, KMSClient, SignCommand } from '@aws-sdk/client-kms';
import {
  DeleteBucketPolicyCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  PutBucketVersioningCommand,
  PutObjectCommand,
  PutObjectLegalHoldCommand,
  PutObjectRetentionCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { HMAC_EPOCHS } from '../../lambdas/adapters/table-layout.ts';
import type { ObjectVersion } from '../../lambdas/domain/evidence/ports.ts';
import { clientConfig, LOCAL_ACCOUNT } from '../../localstack/aws.ts';
import { runEvent } from '../support/events.ts';
import { StoreClient } from '../support/store-client.ts';
import { Bench } from './bench.ts';
import type { FunctionName } from './roles.ts';

const environment = inject('enforcing');
const { buckets, endpointUrl, signingKeyId, streams, tables } = environment;
const store = new StoreClient(environment);
const iam = new IAMClient(clientConfig(endpointUrl));
const sts = new STSClient(clientConfig(endpointUrl));
const FUNCTIONS = Object.keys(environment.functions) as FunctionName[];

const DENIED = expect.objectContaining({
  name: expect.stringMatching(/^AccessDenied(Exception)?$/),
});
const DAY_MILLIS = 86_400_000;

/** The clients of a role, by default over what passes for TLS. */
async function actAs(roleName: string, endpoint = endpointUrl) {
  const trusted = { AWS: `arn:aws:iam::${LOCAL_ACCOUNT}:root` };
  const trust = { Effect: 'Allow', Principal: trusted, Action: 'sts:AssumeRole' };
  const PolicyDocument = JSON.stringify({ Version: '2012-10-17', Statement: [trust] });
  await iam.send(new UpdateAssumeRolePolicyCommand({ RoleName: roleName, PolicyDocument }));
  const { Credentials } = await sts.send(
    new AssumeRoleCommand({
      RoleArn: `arn:aws:iam::${LOCAL_ACCOUNT}:role/${roleName}`,
      RoleSessionName: 'test',
    }),
  );
  const config = {
    ...clientConfig(endpoint),
    credentials: {
      accessKeyId: Credentials?.AccessKeyId as string,
      secretAccessKey: Credentials?.SecretAccessKey as string,
      sessionToken: Credentials?.SessionToken as string,
    },
  };
  return {
    dynamodb: new DynamoDBClient(config),
    kinesis: new KinesisClient(config),
    kms: new KMSClient(config),
    s3: new S3Client({ ...config, forcePathStyle: true }),
  };
}

describe('a role of a function', () => {
  let bench: Bench;
  let location: ObjectVersion;
  beforeAll(async () => {
    bench = await Bench.open(environment);
    location = (await store.store(runEvent())).json.location;
  });
  afterAll(async () => {
    await bench?.gateway.close();
  });

  const version = () => ({
    Bucket: location.bucket,
    Key: location.key,
    VersionId: location.versionId,
  });
  const retention = (RetainUntilDate: Date) => ({ Mode: 'GOVERNANCE', RetainUntilDate }) as const;
  const roleOf = (fn: FunctionName) => bench.roleOf(fn).roleName;

  describe.each(FUNCTIONS)('%s', (fn) => {
    it('deletes no version, shortens no lock and takes no guard away', async () => {
      const { kms, s3 } = await actAs(roleOf(fn));
      const soon = new Date(Date.now() + 60_000);
      const { Bucket, Key } = version();
      for (const attempt of [
        () => s3.send(new DeleteObjectCommand(version())),
        () => s3.send(new DeleteObjectCommand({ ...version(), BypassGovernanceRetention: true })),
        () => s3.send(new DeleteObjectCommand({ Bucket, Key })),
        () => s3.send(new PutObjectRetentionCommand({ ...version(), Retention: retention(soon) })),
        () =>
          s3.send(
            new PutObjectRetentionCommand({
              ...{ ...version(), Retention: retention(soon), BypassGovernanceRetention: true },
            }),
          ),
        () => s3.send(new DeleteBucketPolicyCommand({ Bucket })),
        () =>
          s3.send(
            new PutBucketVersioningCommand({
              ...{ Bucket, VersioningConfiguration: { Status: 'Suspended' } },
            }),
          ),
        () => kms.send(new DisableKeyCommand({ KeyId: signingKeyId })),
      ]) {
        await expect(attempt()).rejects.toEqual(DENIED);
      }
      expect(await store.lockOf(location)).toMatchObject({ Mode: 'GOVERNANCE' });
    });

    it.skipIf(fn === 'seal')('signs nothing and writes no digest', async () => {
      const { kms, s3 } = await actAs(roleOf(fn));
      const sign = new SignCommand({
        ...{ KeyId: signingKeyId, Message: Buffer.alloc(32), MessageType: 'DIGEST' },
        SigningAlgorithm: 'ECDSA_SHA_256',
      });
      await expect(kms.send(sign)).rejects.toEqual(DENIED);
      await expect(s3.send(new PutObjectCommand(planted()))).rejects.toEqual(DENIED);
    });

    const mayHold = ['archive', 'holds', 'reconcileHolds'];
    it.skipIf(mayHold.includes(fn))('lifts no legal hold', async () => {
      const { s3 } = await actAs(roleOf(fn));
      const lift = new PutObjectLegalHoldCommand({ ...version(), LegalHold: { Status: 'OFF' } });
      await expect(s3.send(lift)).rejects.toEqual(DENIED);
    });

    it.each(Object.keys(streams) as Array<keyof typeof streams>)(
      'reads the raw %s only where that is its work',
      async (plane) => {
        const consumer = plane === 'lineage' ? 'archive' : 'archiveTraces';
        const { Shards = [] } = await store.clients.kinesis.send(
          new ListShardsCommand({ StreamName: streams[plane] }),
        );
        const { kinesis } = await actAs(roleOf(fn));
        const read = kinesis.send(
          new GetShardIteratorCommand({
            ...{ StreamName: streams[plane], ShardId: Shards[0]?.ShardId },
            ShardIteratorType: 'TRIM_HORIZON',
          }),
        );
        if ([consumer, 'redrive', 'seal'].includes(fn)) await read;
        else await expect(read).rejects.toEqual(DENIED);
      },
    );
  });

  /** An object where the next digest could stand. */
  const planted = () => ({
    ...{ Bucket: buckets.vault, Key: `digests/dt=2026-01-01/${Date.now()}.json`, Body: '{}' },
    ObjectLockMode: 'GOVERNANCE' as const,
    ObjectLockRetainUntilDate: new Date(Date.now() + 2 * DAY_MILLIS),
  });

  it('is kept out by the policy of the vault, whatever else it may', async () => {
    const RoleName = roleOf('producers');
    const PolicyName = 'TooMuch';
    const all = { Effect: 'Allow', Action: 's3:*', Resource: '*' };
    await iam.send(
      new PutRolePolicyCommand({
        ...{ RoleName, PolicyName },
        PolicyDocument: JSON.stringify({ Version: '2012-10-17', Statement: [all] }),
      }),
    );
    try {
      const { s3 } = await actAs(RoleName);
      const { Bucket, Key } = version();
      await s3.send(new GetObjectCommand(version()));
      for (const attempt of [
        () => s3.send(new DeleteObjectCommand({ ...version(), BypassGovernanceRetention: true })),
        () => s3.send(new DeleteObjectCommand({ Bucket, Key })),
        () => s3.send(new DeleteBucketPolicyCommand({ Bucket })),
        () => s3.send(new PutObjectCommand(planted())),
      ]) {
        await expect(attempt()).rejects.toEqual(DENIED);
      }
      const overPlainHttp = await actAs(RoleName, inject('plainEndpoint'));
      await expect(overPlainHttp.s3.send(new GetObjectCommand(version()))).rejects.toEqual(DENIED);
    } finally {
      await iam.send(new DeleteRolePolicyCommand({ RoleName, PolicyName }));
    }
  });

  it('that archives reads HMAC epochs of the producers table, and no producer', async () => {
    const { dynamodb } = await actAs(roleOf('archive'), bench.gateway.origins.get('archive'));
    const query = (partition: string) =>
      dynamodb.send(
        new QueryCommand({
          TableName: tables.producers,
          KeyConditionExpression: 'pk = :pk',
          ExpressionAttributeValues: { ':pk': { S: partition } },
        }),
      );
    expect((await query(HMAC_EPOCHS)).Items?.length).toBeGreaterThan(0);
    await expect(query('demo-lineage')).rejects.toEqual(DENIED);
  });
});
