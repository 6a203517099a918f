import { createHash, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { createEnvelope, type Envelope } from '../../lambdas/domain/evidence/envelope.ts';
import { leafOf, packObjects } from '../../lambdas/domain/evidence/evidence-object.ts';
import { issueReceipt } from '../../lambdas/domain/evidence/receipt.ts';
import {
  besideDigest,
  type Digest,
  digestBytes,
  digestKey,
  fingerprintOf,
  holdsRecords,
  publicKeyKey,
  type SealedObject,
} from '../../lambdas/domain/integrity/digest.ts';
import { MerkleRoot } from '../../lambdas/domain/integrity/merkle.ts';
import { deliveryId, EPOCH_KEY, head } from './builders.ts';

const BUCKET = 'vault';
/** The third interval begins a day, whose digest takes what landed late. */
const START = Date.parse('2026-03-03T23:30:00Z');
const INTERVAL_MILLIS = 15 * 60_000;
const LOCK = { mode: 'COMPLIANCE', retainUntil: '2033-05-01T00:00:00.000Z' } as const;

export interface SigningPair {
  readonly privateKey: KeyObject;
  readonly pem: string;
  readonly fingerprint: string;
}

export function signingPair(): SigningPair {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const der = publicKey.export({ type: 'spki', format: 'der' });
  const pem = publicKey.export({ type: 'spki', format: 'pem' }) as string;
  return { privateKey, pem, fingerprint: fingerprintOf(der) };
}

/** What landed in one interval. */
export interface Landed {
  readonly key: string;
  readonly body: Uint8Array;
}

/** The receipt of a line of a bundle. */
export function receiptOf(index: number): string {
  return issueReceipt(EPOCH_KEY, deliveryId(START, index));
}

/** `index` is part of the receipt, so that every line of a bundle is another. */
export function sealedEnvelope(index: number, document = `{"n":${index}}`): Envelope {
  return createEnvelope({
    head: head({ receiptId: receiptOf(index), acceptedAt: new Date(START).toISOString() }),
    receivedBytes: document.length,
    stream: { shardId: 'shardId-000000000000', sequenceNumber: String(index) },
    kind: 'run',
    redaction: { policy: 'strict/1', mode: 'full', fields: [] },
    facts: {},
    deviations: [],
    document,
  });
}

/** A vault as `aws s3 sync` copies it: sealed interval by interval, with a key of its own. */
export class SealedBundle {
  readonly folder = mkdtempSync(join(tmpdir(), 'sealed-'));
  pair = signingPair();
  /** In the order of the chain. */
  readonly digests: Digest[] = [];
  readonly #versions: Array<Record<string, unknown>> = [];

  constructor() {
    this.addKey(this.pair);
  }

  /** Three intervals: two objects of three records and a finding, nothing, and one object of two records. */
  static small(): SealedBundle {
    const bundle = new SealedBundle();
    const lines = (from: number, count: number) =>
      packObjects(
        'lineage',
        Array.from({ length: count }, (_, i) => sealedEnvelope(from + i)),
      );
    const finding = {
      key: 'findings/dt=2026-03-03/hour=23/f.json',
      body: Buffer.from('{"finding":1}'),
    };
    bundle.seal([...lines(0, 3), ...lines(3, 3), finding]);
    bundle.seal([]);
    bundle.seal([...lines(6, 2)]);
    return bundle;
  }

  get headSha256(): string {
    return sha256(digestBytes(this.digests.at(-1) as Digest));
  }

  /** Of every file that was written. */
  get keys(): string[] {
    return this.#versions.map(({ key }) => key as string);
  }

  /** A public key is an object of the vault: the next digest lists it. */
  addKey({ fingerprint, pem }: SigningPair): void {
    this.#pending.push({ key: publicKeyKey(fingerprint), body: Buffer.from(pem) });
  }

  readonly #pending: Landed[] = [];

  /** Seals what landed in the next interval. */
  seal(landed: readonly Landed[], overrides: Partial<Digest> = {}): Digest {
    const fromMillis = START + this.digests.length * INTERVAL_MILLIS;
    const lastModified = new Date(fromMillis + 60_000).toISOString();
    const objects: SealedObject[] = [];
    const leaves: Buffer[] = [];
    const all = [...this.#pending.splice(0), ...landed].sort((a, b) => (a.key < b.key ? -1 : 1));
    for (const { key, body } of all) {
      this.put(key, body, lastModified);
      const own = holdsRecords(key) ? leavesOf(body) : [];
      for (const leaf of own) leaves.push(leaf);
      objects.push({
        ...{ bucket: BUCKET, key, versionId: versionOf(key), lastModified },
        ...{ bytes: body.length, sha256: sha256(body), ...LOCK, records: own.length },
      });
    }
    const from = new Date(fromMillis).toISOString();
    const to = new Date(fromMillis + INTERVAL_MILLIS).toISOString();
    const key = digestKey(from);
    const last = this.digests.at(-1);
    const root = new MerkleRoot();
    for (const leaf of leaves) root.add(leaf);
    const digest: Digest = {
      digest: 1,
      location: { bucket: BUCKET, key },
      number: this.digests.length,
      ...{ from, to, sealedAt: to },
      previous: last
        ? {
            key: last.location.key,
            sha256: sha256(digestBytes(last)),
            signature: this.read(besideDigest(last.location.key, 'signature')).toString(),
            ...(last.lock && {
              retainUntil: [last.lock.retainUntil, last.previous?.retainUntil ?? ''].sort()[1],
            }),
          }
        : null,
      signer: { algorithm: 'ECDSA_SHA_256', fingerprint: this.pair.fingerprint },
      anchor: 'unanchored',
      objects,
      records: leaves.length,
      root: root.hex(),
      leaves:
        leaves.length === 0
          ? null
          : { key: besideDigest(key, 'leaves'), sha256: sha256(Buffer.concat(leaves)) },
      recounts: [],
      ...overrides,
    };
    if (digest.leaves) this.put(digest.leaves.key, Buffer.concat(leaves), to);
    this.putDigest(digest);
    this.digests.push(digest);
    return digest;
  }

  /** Writes a digest and its signature, as whoever holds the key may. */
  putDigest(digest: Digest, pair = this.pair, key = digest.location.key): void {
    const bytes = digestBytes(digest);
    this.put(key, bytes, digest.to);
    const signature = sign('sha256', bytes, pair.privateKey).toString('base64');
    this.put(besideDigest(key, 'signature'), Buffer.from(signature), digest.to);
  }

  /** Writes `versions.ndjson`, with lines changed, left out or added. */
  listVersions(change: (line: Record<string, unknown>) => unknown = (line) => line): void {
    const lines = this.#versions.flatMap((line) => change(line) ?? []);
    this.write('versions.ndjson', lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  }

  put(key: string, body: Uint8Array, lastModified: string): void {
    this.write(key, body);
    const time = new Date(lastModified);
    utimesSync(this.path(key), time, time);
    const versionId = versionOf(key);
    this.#versions.push({ key, versionId, lastModified, bytes: body.length, ...LOCK });
  }

  path(key: string): string {
    return join(this.folder, key);
  }

  read(key: string): Buffer {
    return readFileSync(this.path(key));
  }

  /** Changes a file and not the list of versions. */
  write(key: string, body: Uint8Array | string): void {
    mkdirSync(dirname(this.path(key)), { recursive: true });
    writeFileSync(this.path(key), body);
  }

  rename(from: string, to: string): void {
    mkdirSync(dirname(this.path(to)), { recursive: true });
    renameSync(this.path(from), this.path(to));
  }

  delete(key: string): void {
    rmSync(this.path(key));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function leavesOf(body: Uint8Array): Buffer[] {
  const lines = gunzipSync(body).toString().trimEnd().split('\n');
  return lines.map((line) => leafOf(Buffer.from(line)));
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function versionOf(key: string): string {
  return `v${sha256(Buffer.from(key)).slice(0, 8)}`;
}
