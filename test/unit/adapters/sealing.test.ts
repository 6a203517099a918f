import { createHash, generateKeyPairSync } from 'node:crypto';
import {
  DisabledException,
  GetPublicKeyCommand,
  KMSClient,
  KMSInternalException,
  SignCommand,
} from '@aws-sdk/client-kms';
import { S3Client } from '@aws-sdk/client-s3';
import { PublishCommand, SNSClient } from '@aws-sdk/client-sns';
import { mockClient } from 'aws-sdk-client-mock';
import { beforeEach, describe, expect, it } from 'vitest';
import { KmsSigningKeys } from '../../../lambdas/adapters/kms-signing-keys.ts';
import { SnsHeadAnchor } from '../../../lambdas/adapters/sns-head-anchor.ts';
import { UnavailableError } from '../../../lambdas/domain/errors.ts';
import { createSnsClient } from '../../../lambdas/shared/clients.ts';

const s3 = mockClient(S3Client);
const kms = mockClient(KMSClient);
const sns = mockClient(SNSClient);
beforeEach(() => [s3, kms, sns].map((client) => client.reset()));

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
