import { createHash, createPublicKey } from 'node:crypto';
import {
  GetPublicKeyCommand,
  type KMSClient,
  KMSServiceException,
  SignCommand,
} from '@aws-sdk/client-kms';
import { LineageError, UnavailableError } from '../domain/errors.ts';
import { fingerprintOf } from '../domain/integrity/digest.ts';
import type { DigestSigner, SigningKeys } from '../domain/integrity/ports.ts';

/** What no repetition helps against: somebody disabled the key, is deleting it, or took the sealer's right away. */
const REFUSALS = [
  'AccessDeniedException',
  'DisabledException',
  'InvalidKeyUsageException',
  'KMSInvalidStateException',
  'NotFoundException',
];

/** The signing keys of all generations. A public key is read once for a container, and only when it is asked for. */
export class KmsSigningKeys implements SigningKeys {
  readonly #client: KMSClient;
  readonly #keyIds: readonly string[];
  readonly #signers = new Map<string, DigestSigner>();

  /** @param keyIds at least one, that of the configured generation last */
  constructor(client: KMSClient, keyIds: readonly string[]) {
    this.#client = client;
    this.#keyIds = keyIds;
  }

  current(): Promise<DigestSigner> {
    return this.#signer(this.#keyIds.at(-1) as string);
  }

  async byFingerprint(fingerprint: string): Promise<DigestSigner | undefined> {
    // The newest first: an old key may be disabled, and is asked only when it is the one that is due.
    for (const keyId of this.#keyIds.toReversed()) {
      const signer = await this.#signer(keyId);
      if (signer.fingerprint === fingerprint) return signer;
    }
    return undefined;
  }

  async #signer(keyId: string): Promise<DigestSigner> {
    const known = this.#signers.get(keyId);
    if (known) return known;
    const { PublicKey } = await signing(() =>
      this.#client.send(new GetPublicKeyCommand({ KeyId: keyId })),
    );
    const der = Buffer.from(PublicKey as Uint8Array);
    const signer: DigestSigner = {
      fingerprint: fingerprintOf(der),
      publicKey: createPublicKey({ key: der, format: 'der', type: 'spki' })
        .export({ format: 'pem', type: 'spki' })
        .toString(),
      sign: (bytes) => this.#sign(keyId, bytes),
    };
    this.#signers.set(keyId, signer);
    return signer;
  }

  /** By the hash: KMS takes 4,096 bytes of a message at most, and a digest may have many times as many. */
  async #sign(keyId: string, bytes: Uint8Array): Promise<Uint8Array> {
    const { Signature } = await signing(() =>
      this.#client.send(
        new SignCommand({
          KeyId: keyId,
          Message: createHash('sha256').update(bytes).digest(),
          MessageType: 'DIGEST',
          SigningAlgorithm: 'ECDSA_SHA_256',
        }),
      ),
    );
    return Signature as Uint8Array;
  }
}

async function signing<T>(call: () => Promise<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    if (error instanceof KMSServiceException && REFUSALS.includes(error.name)) {
      throw new LineageError('signing_refused', 'the signing key does not sign', { cause: error });
    }
    throw new UnavailableError('signing_key', { cause: error });
  }
}
