import {
  CreateKeyCommand,
  DisableKeyCommand,
  EncryptCommand,
  GetKeyPolicyCommand,
  SignCommand,
  VerifyCommand,
} from '@aws-sdk/client-kms';
import { CreateBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import type { Clients } from '../../../localstack/clients.ts';
import { type Call, ok } from './call.ts';

/** Signing, and what a disabled key stops. */
export function keyCalls({ kms, s3 }: Clients, run: string): readonly Call[] {
  const Bucket = `${run}-keys`;
  let signing = '';
  let sealing = '';
  const signature = { MessageType: 'DIGEST', SigningAlgorithm: 'ECDSA_SHA_256' } as const;
  return [
    {
      name: 'key: a signature is verified',
      ask: async () => {
        const spec = { KeySpec: 'ECC_NIST_P256', KeyUsage: 'SIGN_VERIFY' } as const;
        signing = (await kms.send(new CreateKeyCommand(spec))).KeyMetadata?.KeyId ?? '';
        const message = { ...signature, KeyId: signing, Message: Buffer.alloc(32, 1) };
        const { Signature } = await kms.send(new SignCommand(message));
        const { SignatureValid } = await kms.send(new VerifyCommand({ ...message, Signature }));
        return String(SignatureValid);
      },
    },
    {
      name: 'key: a digest of another length',
      ask: () =>
        ok(kms.send(new SignCommand({ ...signature, KeyId: signing, Message: Buffer.alloc(31) }))),
    },
    {
      name: 'key: policy without the name of it',
      ask: () => ok(kms.send(new GetKeyPolicyCommand({ KeyId: signing }))),
    },
    {
      name: 'key: disabled, then asked to sign',
      ask: async () => {
        await kms.send(new DisableKeyCommand({ KeyId: signing }));
        return ok(
          kms.send(new SignCommand({ ...signature, KeyId: signing, Message: Buffer.alloc(32) })),
        );
      },
    },
    {
      name: 'key: disabled, then asked to encrypt',
      ask: async () => {
        sealing = (await kms.send(new CreateKeyCommand({}))).KeyMetadata?.KeyId ?? '';
        await kms.send(new DisableKeyCommand({ KeyId: sealing }));
        return ok(kms.send(new EncryptCommand({ KeyId: sealing, Plaintext: Buffer.from('a') })));
      },
    },
    {
      name: 'key: disabled, and a put of S3 that names it',
      ask: async () => {
        await s3.send(new CreateBucketCommand({ Bucket }));
        const encryption = { ServerSideEncryption: 'aws:kms', SSEKMSKeyId: sealing } as const;
        return ok(s3.send(new PutObjectCommand({ Bucket, Key: 'a', Body: 'a', ...encryption })));
      },
    },
  ];
}
