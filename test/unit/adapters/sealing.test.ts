import { createHash, generateKeyPairSync } from 'node:crypto';
import { Readable } from 'node:stream';
import {
  DisabledException,
  GetPublicKeyCommand,
  KMSClient,
  KMSInternalException,
  SignCommand,
} from '@aws-sdk/client-kms';
import {
  GetObjectCommand,
  GetObjectRetentionCommand,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { KmsSigningKeys } from '../../../lambdas/adapters/kms-signing-keys.ts';
import { S3VersionStreams } from '../../../lambdas/adapters/s3-version-streams.ts';
import { SnsHeadAnchor } from '../../../lambdas/adapters/sns-head-anchor.ts';
import {
  AccessDeniedError,
  UnavailableError,
  UnreadableRecordError,
} from '../../../lambdas/domain/errors.ts';
import { createSnsClient } from '../../../lambdas/shared/clients.ts';

const s3 = mockClient(S3Client);
const kms = mockClient(KMSClient);
const sns = mockClient(SNSClient);
beforeEach(() => [s3, kms, sns].map((client) => client.reset()));

const failure = (name: string, httpStatusCode: number) =>
  new S3ServiceException({ name, $fault: 'client', $metadata: { httpStatusCode } });
const VERSION = { bucket: 'b', key: 'k', versionId: 'v1' };
const UNTIL = new Date('2033-01-01T00:00:00Z');

describe('S3VersionStreams', () => {
  const streams = new S3VersionStreams(new S3Client({}));
  const found = (rest = {}) =>
    s3.on(GetObjectCommand).resolves({ Body: Readable.from(['x']) as never, ...rest });

  it('takes the lock that comes with the object, in one request', async () => {
    found({ ObjectLockMode: 'COMPLIANCE', ObjectLockRetainUntilDate: UNTIL });
    expect((await streams.open(VERSION)).lock).toEqual({
      ...{ mode: 'COMPLIANCE', retainUntil: UNTIL.toISOString() },
    });
    expect(s3.calls()).toHaveLength(1);
    expect(s3.calls()[0]?.args[0].input).toEqual({ Bucket: 'b', Key: 'k', VersionId: 'v1' });
  });

  it('asks where none comes: what may not be read is not absent', async () => {
    found();
    s3.on(GetObjectRetentionCommand)
      .resolvesOnce({ Retention: { Mode: 'GOVERNANCE', RetainUntilDate: UNTIL } })
      .rejectsOnce(failure('NoSuchObjectLockConfiguration', 404))
      .rejectsOnce(failure('AccessDenied', 403))
      .rejects(failure('SlowDown', 503));
    expect((await streams.open(VERSION)).lock).toMatchObject({ mode: 'GOVERNANCE' });
    expect(await streams.open(VERSION)).not.toHaveProperty('lock');
    await expect(streams.open(VERSION)).rejects.toThrow(AccessDeniedError);
    await expect(streams.open(VERSION)).rejects.toThrow(UnavailableError);
  });

  it.each([
    ['NoSuchVersion', 404, UnreadableRecordError],
    ['InvalidObjectState', 403, UnreadableRecordError],
    ['InvalidRequest', 400, UnreadableRecordError],
    ['AccessDenied', 403, AccessDeniedError],
    ['InternalError', 500, UnavailableError],
  ])('tells %s apart', async (name, status, error) => {
    s3.on(GetObjectCommand).rejects(failure(name, status));
    await expect(streams.open(VERSION)).rejects.toThrow(error);
  });

  it('is unavailable when the connection breaks in the middle', async () => {
    const Body = Readable.from(
      (async function* () {
        yield 'x';
        throw new Error('canary-7f3e9d01');
      })(),
    );
    s3.on(GetObjectCommand).resolves({ Body: Body as never });
    s3.on(GetObjectRetentionCommand).rejects(failure('NoSuchObjectLockConfiguration', 404));
    const { body } = await streams.open(VERSION);
    const read = async () => {
      for await (const _piece of body);
    };
    await expect(read()).rejects.toThrow(UnavailableError);
  });
});

describe('KmsSigningKeys', () => {
  const der = () =>
    generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey.export({
      type: 'spki',
      format: 'der',
    });
  const [old, current] = [der(), der()] as [Buffer, Buffer];
  const keys = () => new KmsSigningKeys(new KMSClient({}), ['old', 'current']);
  const fingerprint = (key: Buffer) => createHash('sha256').update(key).digest('hex');

  beforeEach(() => {
    kms.on(GetPublicKeyCommand, { KeyId: 'old' }).resolves({ PublicKey: old });
    kms.on(GetPublicKeyCommand, { KeyId: 'current' }).resolves({ PublicKey: current });
  });

  it('signs a document of any size by its hash', async () => {
    kms.on(SignCommand).resolves({ Signature: Buffer.from('signature') });
    const bytes = Buffer.alloc(100 * 1024, 7);
    const signer = await keys().current();
    expect(signer.fingerprint).toBe(fingerprint(current));
    expect(signer.publicKey).toMatch(/^-----BEGIN PUBLIC KEY-----\n/);
    expect(Buffer.from(await signer.sign(bytes)).toString()).toBe('signature');
    expect(kms.commandCalls(SignCommand)[0]?.args[0].input).toEqual({
      KeyId: 'current',
      Message: createHash('sha256').update(bytes).digest(),
      MessageType: 'DIGEST',
      SigningAlgorithm: 'ECDSA_SHA_256',
    });
  });

  it('asks an old key only when it is the one that is due, and each once', async () => {
    const both = keys();
    await both.current();
    expect((await both.byFingerprint(fingerprint(current)))?.fingerprint).toBe(
      fingerprint(current),
    );
    expect(kms.calls()).toHaveLength(1);
    expect((await both.byFingerprint(fingerprint(old)))?.fingerprint).toBe(fingerprint(old));
    expect(await both.byFingerprint('another')).toBeUndefined();
    expect(kms.calls()).toHaveLength(2);
  });

  it('tells a key that does not sign from one that does not answer', async () => {
    const rest = { $metadata: {}, message: 'canary-7f3e9d01' };
    kms
      .on(SignCommand)
      .rejectsOnce(new DisabledException(rest))
      .rejects(new KMSInternalException(rest));
    const signer = await keys().current();
    await expect(signer.sign(Buffer.from('x'))).rejects.toThrow(
      expect.objectContaining({ code: 'signing_refused' }),
    );
    await expect(signer.sign(Buffer.from('x'))).rejects.toThrow(UnavailableError);
  });
});

describe('SnsHeadAnchor', () => {
  const TOPIC = 'arn:aws:sns:eu-west-3:111122223333:heads';
  const head = {
    ...{ bucket: 'b', key: 'k', number: 7, from: 'f', to: 't', sha256: 'aa', signature: 's=' },
  };

  it('sends the head to a topic in whatever region', async () => {
    sns.on(PublishCommand).resolves({});
    const client = createSnsClient(TOPIC);
    expect(await client.config.region()).toBe('eu-west-3');
    const anchor = new SnsHeadAnchor(client, TOPIC);
    await anchor.publish(head);
    expect(anchor.name).toBe(TOPIC);
    const { TopicArn, Message } = sns.commandCalls(PublishCommand)[0]?.args[0].input ?? {};
    expect(TopicArn).toBe(TOPIC);
    expect(JSON.parse(Message as string)).toEqual({ head: 1, ...head });
  });

  it('is unavailable whatever the topic says', async () => {
    sns.on(PublishCommand).rejects(new Error('canary-7f3e9d01'));
    await expect(new SnsHeadAnchor(new SNSClient({}), TOPIC).publish(head)).rejects.toThrow(
      UnavailableError,
    );
  });
});
