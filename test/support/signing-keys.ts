import { generateKeyPairSync, sign } from 'node:crypto';
import { LineageError } from '../../lambdas/domain/errors.ts';
import { fingerprintOf } from '../../lambdas/domain/integrity/digest.ts';
import type { DigestSigner, SigningKeys } from '../../lambdas/domain/integrity/ports.ts';

/** Keys as KMS keeps them: the newest generation last, each of which may be disabled. */
export class InMemorySigningKeys implements SigningKeys {
  readonly generations: DigestSigner[] = [];
  readonly disabled = new Set<string>();

  constructor() {
    this.rotate();
  }

  rotate(): DigestSigner {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const fingerprint = fingerprintOf(publicKey.export({ type: 'spki', format: 'der' }));
    const signer: DigestSigner = {
      fingerprint,
      publicKey: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
      sign: async (bytes) => {
        if (this.disabled.has(fingerprint)) throw refused();
        return sign('sha256', bytes, privateKey);
      },
    };
    this.generations.push(signer);
    return signer;
  }

  async current(): Promise<DigestSigner> {
    const signer = this.generations.at(-1) as DigestSigner;
    if (this.disabled.has(signer.fingerprint)) throw refused();
    return signer;
  }

  async byFingerprint(fingerprint: string): Promise<DigestSigner | undefined> {
    return this.generations.find((signer) => signer.fingerprint === fingerprint);
  }
}

function refused(): LineageError {
  return new LineageError('signing_refused', 'the key does not sign');
}
