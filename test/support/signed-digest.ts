import type { Lock } from '../../lambdas/domain/evidence/retention.ts';
import { besideDigest, type Digest, publicKeyKey } from '../../lambdas/domain/integrity/digest.ts';
import type { DigestSigner } from '../../lambdas/domain/integrity/ports.ts';
import type { InMemoryVault } from './fakes/bucket.ts';
import { InMemorySigningKeys } from './signing-keys.ts';

export function newSigner(): DigestSigner {
  return new InMemorySigningKeys().generations[0] as DigestSigner;
}

/** Of the stores of a test. */
const OWN_SIGNER = newSigner();

const LOCK: Lock = {
  mode: 'GOVERNANCE',
  retainUntil: '2099-01-01T00:00:00.000Z',
  clamped: false,
};

/** A digest, its signature and the public key of its signer, as they lie in a vault: by their keys. */
export async function signedDigest(
  digest: Partial<Digest> & Pick<Digest, 'location'>,
  signer = OWN_SIGNER,
): Promise<Array<readonly [key: string, bytes: Buffer]>> {
  const { fingerprint, publicKey } = signer;
  const { key } = digest.location;
  const named = { ...digest, signer: { algorithm: 'ECDSA_SHA_256', fingerprint } };
  const bytes = Buffer.from(JSON.stringify(named));
  const signature = Buffer.from(await signer.sign(bytes)).toString('base64');
  return [
    [publicKeyKey(fingerprint), Buffer.from(publicKey)],
    [key, bytes],
    [besideDigest(key, 'signature'), Buffer.from(signature)],
  ];
}

/** Puts them past every condition, the public key once. */
export async function putSigned(
  vault: InMemoryVault,
  ...signed: Parameters<typeof signedDigest>
): Promise<void> {
  const [publicKey, ...parts] = await signedDigest(...signed);
  const isThere = vault.versions.some(({ key }) => key === publicKey?.[0]);
  for (const [key, bytes] of [...(publicKey && !isThere ? [publicKey] : []), ...parts]) {
    vault.addVersion(key, bytes, { lock: LOCK });
  }
}
