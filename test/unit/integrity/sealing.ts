import { createHash, verify } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { expect } from 'vitest';
import type { Envelope } from '../../../lambdas/domain/evidence/envelope.ts';
import { leafOf, packObjects } from '../../../lambdas/domain/evidence/evidence-object.ts';
import { lockFor } from '../../../lambdas/domain/evidence/retention.ts';
import { versionName } from '../../../lambdas/domain/evidence/version-name.ts';
import type { Finding, FindingKind, StreamPlane } from '../../../lambdas/domain/findings.ts';
import {
  besideDigest,
  type Digest,
  isDigestKey,
  isSealed,
  publicKeyKey,
  SIGNATURE_METADATA,
} from '../../../lambdas/domain/integrity/digest.ts';
import { MerkleRoot } from '../../../lambdas/domain/integrity/merkle.ts';
import type { AnchoredHead, HeadAnchor } from '../../../lambdas/domain/integrity/ports.ts';
import {
  type SealDependencies,
  type SealRequest,
  type SealSettings,
  seal,
} from '../../../lambdas/domain/integrity/seal.ts';
import type { RecountStreams } from '../../../lambdas/domain/integrity/seal-digest.ts';
import { verify as verifyStore } from '../../../lambdas/domain/integrity/verify.ts';
import type { Damage } from '../../../lambdas/domain/integrity/verify-damage.ts';
import { RETENTION } from '../../support/builders.ts';
import { InMemoryVault } from '../../support/fakes/bucket.ts';
import { inspectorOver, sealedStoreOver, streamsOver } from '../../support/fakes/readers.ts';
import { InMemoryRunIndex } from '../../support/fakes/run-index.ts';
import { InMemorySigningKeys } from '../../support/signing-keys.ts';

export const MINUTE = 60_000;

const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** A vault with a clock, and a sealer over it. */
export function sealing(startMillis: number, overrides: Partial<SealSettings> = {}) {
  let now = startMillis;
  const vault = new InMemoryVault('vault', () => now);
  const index = new InMemoryRunIndex();
  const keys = new InMemorySigningKeys();
  const sent: AnchoredHead[] = [];
  let anchor: HeadAnchor | undefined;
  let recount: RecountStreams = async () => ({ recounts: [], findings: [] });
  let ticks = 0;
  const unreadable = new Map<string, Error>();
  const opened = new Map<string, number>();
  const listed = new Map<string, number>();
  const count = (counts: Map<string, number>, name: string) =>
    counts.set(name, (counts.get(name) ?? 0) + 1);

  const dependencies = (settings: Partial<SealSettings> = {}): SealDependencies => {
    const inspector = inspectorOver(vault);
    const streams = streamsOver(vault);
    return {
      ...{ vault, index, keys, retention: RETENTION, vaultBucket: vault.bucket },
      inspector: {
        ...inspector,
        list(bucket, prefix) {
          count(listed, prefix);
          return inspector.list(bucket, prefix);
        },
      },
      streams: {
        async open(version) {
          count(opened, versionName(version));
          const error = unreadable.get(version.key);
          if (error) throw error;
          return streams.open(version);
        },
      },
      // a millisecond later each time it is asked, as clocks are
      clock: () => now + (ticks++ % 1_000),
      recount: (...asked) => recount(...asked),
      settings: {
        ...{ intervalMinutes: 15, closeAfterSeconds: 300, folderDays: 15 },
        ...overrides,
        ...settings,
      },
      ...(anchor && { anchor }),
    };
  };

  const store = {
    ...{ vault, index, keys, sent, dependencies },
    at(millis: number) {
      now = millis;
    },
    archive(envelopes: readonly Envelope[], plane: StreamPlane = 'lineage') {
      const [object] = [...packObjects(plane, envelopes)];
      if (!object) throw new Error('nothing to archive');
      const lock = lockFor(RETENTION, RETENTION.lineageDays, now, now);
      return vault.put(object.key, object.body, object.contentHash, lock);
    },
    document(key: string, document: unknown) {
      const lock = lockFor(RETENTION, RETENTION.recordDays, now, now);
      const text = JSON.stringify(document);
      return vault.put(key, Buffer.from(text), text, lock);
    },
    seal(request: Partial<SealRequest> = {}, settings: Partial<SealSettings> = {}) {
      return seal({ asOfMillis: now, hasTime: () => true, ...request }, dependencies(settings));
    },
    /** As the schedule does it: every five minutes until then. */
    async sealTo(millis: number) {
      while (now < millis) {
        now = Math.min(now + 5 * MINUTE, millis);
        await store.seal();
      }
    },
    recountedBy(other: RecountStreams) {
      recount = other;
    },
    unreadable: (key: string, error: Error) => unreadable.set(key, error),
    readable: (key: string) => unreadable.delete(key),
    /** What a verifier of the bucket says. */
    verified: (nowMillis: number, damages: Damage[]) =>
      verifyStore(sealedStoreOver(vault), {
        ...{ nowMillis, isLive: true },
        report: (damage) => damages.push(damage),
      }),
    async damages(nowMillis: number): Promise<Damage[]> {
      const damages: Damage[] = [];
      await store.verified(nowMillis, damages);
      return damages;
    },
    anchored(failure?: Error) {
      anchor = {
        name: 'topic',
        async publish(head) {
          if (failure) throw failure;
          sent.push(head);
        },
      };
    },
    async counted(work: () => Promise<unknown>) {
      opened.clear();
      listed.clear();
      await work();
      return { opened, listed };
    },
    /** Every digest, in the order of the chain. */
    chain(): Digest[] {
      return vault.versions
        .filter(({ key, metadata }) => isDigestKey(key) && metadata?.[SIGNATURE_METADATA])
        .map(({ body }) => JSON.parse(Buffer.from(body).toString()) as Digest)
        .sort((a, b) => a.number - b.number);
    },
    sealing: (objectKey: string) =>
      store.chain().filter(({ objects }) => objects.some(({ key }) => key === objectKey)),
    findings: (kind: FindingKind): Finding[] =>
      vault.versions
        .filter(({ key }) => key.startsWith('findings/'))
        .map(({ body }) => JSON.parse(Buffer.from(body).toString()) as Finding)
        .filter((finding) => finding.kind === kind),
    /** What landed before an instant and is in no digest. */
    unsealed(beforeMillis = Number.POSITIVE_INFINITY): string[] {
      const sealed = new Set(store.chain().flatMap(({ objects }) => objects.map(versionName)));
      return vault.versions
        .filter(({ key, deleteMarker }) => isSealed(key) && !deleteMarker)
        .filter(({ lastModified }) => Date.parse(lastModified) < beforeMillis)
        .filter((version) => !sealed.has(versionName(version)))
        .map(({ key }) => key);
    },
    /** Everything that a reader of the bucket can check. */
    check() {
      const chain = store.chain();
      const held = (key: string) => vault.versions.find((version) => version.key === key);
      const names = chain.flatMap(({ objects }) =>
        objects.filter(({ again }) => !again).map(versionName),
      );
      expect(new Set(names).size).toBe(names.length);
      let before: { digest: Digest; sha256: string; signature: string } | undefined;
      for (const digest of chain) {
        const document = held(digest.location.key);
        const bytes = document?.body as Uint8Array;
        const signature = document?.metadata?.[SIGNATURE_METADATA] as string;
        const key = held(publicKeyKey(digest.signer.fingerprint))?.body as Uint8Array;
        expect(
          verify('sha256', bytes, Buffer.from(key).toString(), Buffer.from(signature, 'base64')),
        ).toBe(true);
        const beside = held(besideDigest(digest.location.key, 'signature'))?.body;
        expect(Buffer.from(beside as Uint8Array).toString()).toBe(signature);
        if (before) {
          expect(digest.from).toBe(before.digest.to);
          expect(digest.number).toBe(before.digest.number + 1);
          expect(digest.previous).toEqual({
            key: before.digest.location.key,
            sha256: before.sha256,
            signature: before.signature,
            retainUntil: [before.digest.lock?.retainUntil, before.digest.previous?.retainUntil]
              .sort()
              .findLast((until) => until !== undefined),
          });
          expect(document?.lock).toMatchObject(digest.lock ?? {});
        }
        checkObjects(digest);
        before = { digest, sha256: sha256(bytes), signature };
      }
      function checkObjects({ from, to, objects, leaves, records, root }: Digest) {
        const keysInOrder = objects.map(({ key, versionId }) => `${key}\0${versionId}`);
        expect(keysInOrder).toEqual(keysInOrder.toSorted());
        const tree = new MerkleRoot();
        const all: Buffer[] = [];
        for (const object of objects) {
          const { lastModified, late } = object;
          if (object.again) expect(object.unreadable).toBeUndefined();
          if (late) expect(lastModified < from).toBe(true);
          else expect(from <= lastModified && lastModified < to).toBe(true);
          const version = vault.versions.find(
            (other) => versionName(other) === versionName(object),
          );
          if (!version || object.unreadable) continue;
          expect(sha256(version.body)).toBe(object.sha256);
          if (object.records === 0) continue;
          const lines = gunzipSync(version.body).toString().trimEnd().split('\n');
          all.push(...lines.map((line) => leafOf(Buffer.from(line))));
        }
        for (const leaf of all) tree.add(leaf);
        expect(records).toBe(all.length);
        expect(root).toBe(tree.hex());
        if (!leaves) return;
        const stored = held(leaves.key)?.body as Uint8Array;
        expect(Buffer.from(stored)).toEqual(Buffer.concat(all));
        expect(leaves.sha256).toBe(sha256(stored));
      }
    },
  };
  return store;
}
