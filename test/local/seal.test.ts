import { createHash, verify } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { InvokeCommand } from '@aws-sdk/client-lambda';
import { GetObjectCommand, ListObjectVersionsCommand } from '@aws-sdk/client-s3';
import { describe, expect, inject, it } from 'vitest';
import { leafOf } from '../../lambdas/domain/evidence/evidence-object.ts';
import {
  besideDigest,
  type Digest,
  digestKey,
  publicKeyKey,
} from '../../lambdas/domain/integrity/digest.ts';
import { MerkleRoot } from '../../lambdas/domain/integrity/merkle.ts';
import type { SealAnswer } from '../../lambdas/seal/handler.ts';
import { runEvent } from '../support/events.ts';
import { StoreClient } from '../support/store-client.ts';

const MINUTE = 60_000;
/** The close of a local interval, and a second for the clocks. */
const CLOSED_AFTER_MILLIS = 6_000;
const SEALED_WITHIN_MILLIS = 3 * MINUTE;

describe('the digest chain', () => {
  const store = new StoreClient(inject('environment'));
  const { s3, lambda } = store.clients;
  const bucket = store.environment.buckets.vault;

  const seal = async (request: object = {}): Promise<SealAnswer> => {
    const { FunctionError, Payload } = await lambda.send(
      new InvokeCommand({
        FunctionName: store.environment.functions.seal,
        Payload: JSON.stringify(request),
      }),
    );
    expect(FunctionError).toBeUndefined();
    return JSON.parse(Buffer.from(Payload ?? []).toString());
  };
  const read = async (key: string) => (await store.object({ bucket, key })).toString();
  const landedAt = async (key: string) => {
    const { Versions } = await s3.send(
      new ListObjectVersionsCommand({ Bucket: bucket, Prefix: key }),
    );
    return Versions?.[0]?.LastModified?.getTime() ?? Number.NaN;
  };

  it(
    'seals what was posted, and S3, SHA-256 and the public key are enough to check it',
    async () => {
      const stored = await Promise.all([store.store(runEvent()), store.store(runEvent())]);
      const { key, versionId } = stored[0].json.location;
      const landed = await landedAt(key);
      const from = Math.floor(landed / MINUTE) * MINUTE;
      await sleep(Math.max(0, from + MINUTE + CLOSED_AFTER_MILLIS - Date.now()));
      const answer = await seal();
      expect(answer).toMatchObject({ isCaughtUp: true, anchor: 'unanchored', unsent: 0 });

      const name = digestKey(new Date(from).toISOString());
      const document = await store.object({ bucket, key: name });
      const digest: Digest = JSON.parse(document.toString());
      expect(digest.location).toEqual({ bucket, key: name });
      const sealed = digest.objects.find((object) => object.key === key);
      expect(sealed).toMatchObject({ versionId, mode: 'GOVERNANCE' });
      expect(Date.parse(sealed?.retainUntil as string)).toBeGreaterThan(Date.now());

      const publicKey = await read(publicKeyKey(digest.signer.fingerprint));
      const signature = await read(besideDigest(name, 'signature'));
      expect(verify('sha256', document, publicKey, Buffer.from(signature, 'base64'))).toBe(true);
      const { Metadata } = await s3.send(new GetObjectCommand({ Bucket: bucket, Key: name }));
      expect(Metadata?.signature).toBe(signature);

      const tree = new MerkleRoot();
      const leaves: Buffer[] = [];
      for (const object of digest.objects) {
        const bytes = await store.object({ ...object });
        expect(createHash('sha256').update(bytes).digest('hex')).toBe(object.sha256);
        if (object.records === 0) continue;
        const lines = gunzipSync(bytes).toString().trimEnd().split('\n');
        expect(lines).toHaveLength(object.records);
        leaves.push(...lines.map((line) => leafOf(Buffer.from(line))));
      }
      for (const leaf of leaves) tree.add(leaf);
      expect(digest).toMatchObject({ root: tree.hex(), records: leaves.length });
      expect(digest.leaves?.key).toBe(besideDigest(name, 'leaves'));
      expect(await store.object({ bucket, key: besideDigest(name, 'leaves') })).toEqual(
        Buffer.concat(leaves),
      );
    },
    SEALED_WITHIN_MILLIS,
  );

  it('is one chain, whoever else seals at the same time', async () => {
    const answers = await Promise.all([seal({ sweep: true }), seal(), seal()]);
    for (const { isCaughtUp } of answers) expect(isCaughtUp).toBe(true);
    const { Versions = [] } = await s3.send(
      new ListObjectVersionsCommand({ Bucket: bucket, Prefix: 'digests/' }),
    );
    const documents = Versions.flatMap(({ Key }) => (Key?.endsWith('.json') ? Key : []));
    let previous: Digest['previous'] = null;
    let end: string | undefined;
    for (const [n, key] of documents.sort().entries()) {
      const text = await read(key);
      const digest: Digest = JSON.parse(text);
      expect(digest).toMatchObject({ number: n, previous, from: end ?? digest.from });
      const signature = await read(besideDigest(key, 'signature'));
      previous = { key, sha256: createHash('sha256').update(text).digest('hex'), signature };
      end = digest.to;
    }
    expect(end).toBeDefined();
  });
});
