import { generateKeyPairSync, sign } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { leafOf } from '../../../lambdas/domain/evidence/evidence-object.ts';
import {
  besideDigest,
  type Digest,
  digestBytes,
  digestKey,
  fingerprintOf,
  holdsRecords,
  isSealed,
  publicKeyKey,
  type SealedObject,
} from '../../../lambdas/domain/integrity/digest.ts';
import { MerkleRoot } from '../../../lambdas/domain/integrity/merkle.ts';
import { sha256Hex } from '../../../lambdas/domain/store-key.ts';
import type { InMemoryVault } from '../../support/fakes/bucket.ts';

const iso = (millis: number) => new Date(millis).toISOString();

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const FINGERPRINT = fingerprintOf(publicKey.export({ type: 'spki', format: 'der' }));
const PEM = publicKey.export({ type: 'spki', format: 'pem' }).toString();

/** Puts a digest over what landed in an interval, and over what is given as late. */
export function sealInterval(
  vault: InMemoryVault,
  { from, to }: { readonly from: number; readonly to: number },
  { late = [], except = [] }: { late?: readonly string[]; except?: readonly string[] } = {},
): Digest {
  const key = digestKey(iso(from));
  const root = new MerkleRoot();
  const leaves: Buffer[] = [];
  const objects: SealedObject[] = [];
  const versions = vault.versions
    .filter((version) => {
      const at = Date.parse(version.lastModified);
      const isOwn = at >= from && at < to && !except.includes(version.key);
      return isSealed(version.key) && (isOwn || late.includes(version.key));
    })
    .sort((a, b) => (a.key < b.key ? -1 : 1));
  for (const { bucket, key, versionId, lastModified, body } of versions) {
    const lines = holdsRecords(key) ? gunzipSync(body).toString().trimEnd().split('\n') : [];
    for (const line of lines) {
      const leaf = leafOf(Buffer.from(line));
      leaves.push(leaf);
      root.add(leaf);
    }
    objects.push({
      ...{ bucket, key, versionId, lastModified, bytes: body.length, sha256: sha256Hex(body) },
      records: lines.length,
      ...(late.includes(key) && { late: true }),
    });
  }
  const bytes = Buffer.concat(leaves);
  const digest: Digest = {
    digest: 1,
    location: { bucket: vault.bucket, key },
    number: 0,
    ...{ from: iso(from), to: iso(to), sealedAt: iso(to + 300_000) },
    previous: null,
    signer: { algorithm: 'ECDSA_SHA_256', fingerprint: FINGERPRINT },
    anchor: 'unanchored',
    ...{ objects, records: leaves.length, root: root.hex() },
    leaves:
      leaves.length > 0 ? { key: besideDigest(key, 'leaves'), sha256: sha256Hex(bytes) } : null,
    recounts: [],
  };
  if (leaves.length > 0) vault.put(besideDigest(key, 'leaves'), bytes, 'leaves');
  const document = digestBytes(digest);
  const signature = sign('sha256', document, privateKey).toString('base64');
  vault.put(key, document, 'digest');
  vault.put(besideDigest(key, 'signature'), Buffer.from(`${signature}\n`), signature);
  vault.put(publicKeyKey(FINGERPRINT), Buffer.from(PEM), 'public key');
  return digest;
}
