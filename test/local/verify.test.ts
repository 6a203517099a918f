import { setTimeout as sleep } from 'node:timers/promises';
import { InvokeCommand } from '@aws-sdk/client-lambda';
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { describe, expect, inject, it } from 'vitest';
import { S3SealedStore } from '../../lambdas/adapters/s3-sealed-store.ts';
import { rootOfPath } from '../../lambdas/domain/integrity/merkle.ts';
import { verify } from '../../lambdas/domain/integrity/verify.ts';
import type { Damage } from '../../lambdas/domain/integrity/verify-damage.ts';
import { runEvent } from '../support/events.ts';
import { StoreClient } from '../support/store-client.ts';

const MINUTE = 60_000;
/** The close of a local interval, and a second for the clocks. */
const CLOSED_AFTER_MILLIS = 6_000;
const SEALED_WITHIN_MILLIS = 4 * MINUTE;

describe('the verifier on a deployed vault', () => {
  const store = new StoreClient(inject('environment'));
  const { s3, lambda } = store.clients;
  const { vault } = store.environment.buckets;

  /** Other tests damage the vault on purpose: only what is said of one key is looked at. */
  const verifyRecord = async (receiptId: string, key: string) => {
    const damages: Damage[] = [];
    const done = await verify(new S3SealedStore(s3, vault), {
      report: (damage) => damages.push(damage),
      nowMillis: Date.now(),
      isLive: true,
      receiptId,
    });
    return { ...done, damages: damages.filter((damage) => damage.key === key) };
  };
  const seal = async () => {
    const { seal: FunctionName } = store.environment.functions;
    const { FunctionError } = await lambda.send(new InvokeCommand({ FunctionName }));
    expect(FunctionError).toBeUndefined();
  };

  it(
    'proves what was posted, and misses what was deleted past its lock',
    async () => {
      const { json } = await store.store(runEvent());
      const { key, versionId, line } = json.location;
      await sleep(MINUTE - (Date.now() % MINUTE) + CLOSED_AFTER_MILLIS);
      await seal();

      const whole = await verifyRecord(json.receiptId, key);
      expect(whole.damages).toEqual([]);
      expect(whole).toMatchObject({ locksNotKnown: 0, proven: whole.digests });
      expect(whole.proofs).toMatchObject([{ object: { bucket: vault, key, versionId, line } }]);
      const [proof] = whole.proofs;
      expect(rootOfPath(proof?.leaf ?? '', proof?.path ?? [])).toBe(proof?.root);

      // In GOVERNANCE whoever may bypass it can delete: the digest remembers.
      const target = { Bucket: vault, Key: key, VersionId: versionId };
      await s3.send(new DeleteObjectCommand({ ...target, BypassGovernanceRetention: true }));
      const body = Buffer.from('put in its place');
      await s3.send(new PutObjectCommand({ Bucket: vault, Key: key, Body: body }));
      const damaged = await verifyRecord(json.receiptId, key);
      expect(damaged.damages).toMatchObject([{ kind: 'missing_object', key, versionId }]);
      expect(damaged.proofs).toEqual([]);
    },
    SEALED_WITHIN_MILLIS,
  );
});
