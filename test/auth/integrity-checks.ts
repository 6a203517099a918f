import { expect } from 'vitest';
import { besideDigest, type Digest } from '../../lambdas/domain/integrity/digest.ts';
import { runEvent } from '../support/events.ts';
import type { Bench } from './bench.ts';
import type { Check } from './check.ts';
import { Deliverer } from './deliverer.ts';
import { delivered } from './deliveries.ts';
import { removeVersion } from './front-door-checks.ts';
import type { World } from './world.ts';

export function sealChecks(bench: Bench, world: World): readonly Check[] {
  const { environment, store } = bench;
  const deliverer = new Deliverer(bench);
  const bucket = environment.buckets.vault;
  const remove = async (...prefixes: readonly string[]) => {
    const found = await Promise.all(prefixes.map((prefix) => store.versions(bucket, prefix)));
    for (const version of found.flat()) await removeVersion(bench, { bucket, ...version });
  };
  /** Seals what is not sealed and answers the key of the head. */
  const seal = async (): Promise<string> => {
    const { head, isCaughtUp } = await bench.invoke('seal', { asOf: world.sealedAt });
    expect(isCaughtUp).toBe(true);
    return head.key;
  };
  const expectCounted = async () => {
    const versions = await store.versions(bucket, 'digests/');
    for (const { key, versionId } of versions.filter(({ key }) => key.endsWith('.json'))) {
      const document = await store.object({ bucket, key, versionId });
      const { recounts }: Digest = JSON.parse(document.toString());
      // without the number of what the stream took, it could not be counted
      expect(recounts.filter(({ accepted }) => accepted === undefined)).toEqual([]);
    }
  };
  return [
    {
      fn: 'seal',
      name: 'seals everything that stands, and counts the streams',
      prepare: () => remove('digests/'),
      run: async () => {
        await seal();
        await expectCounted();
      },
    },
    {
      fn: 'seal',
      name: 'counts the streams while objects that it listed go away',
      prepare: async () => {
        // a record that is gone makes the count look into what landed later
        const later = delivered(runEvent(), 'lineage', world.goneShardId);
        await deliverer.consume('archive', later);
        const objects = await store.versions(bucket, 'lineage/');
        const { key } =
          objects.find(({ key }) => key.includes(later.position.sequenceNumber)) ?? {};
        const { staging } = environment.buckets;
        bench.gateway.gone.clear();
        bench.gateway.gone.add(`arn:aws:s3:::${bucket}/${key}`);
        bench.gateway.gone.add(`arn:aws:s3:::${staging}/${world.stagedLocation.key}`);
        await remove('digests/');
      },
      run: async () => {
        await seal();
        await expectCounted();
      },
    },
    {
      fn: 'seal',
      name: 'writes a digest whose leaves stand',
      prepare: async () => {
        bench.gateway.gone.clear();
        const head = await seal();
        await remove(head, besideDigest(head, 'signature'));
      },
      run: async () => {
        const head = await seal();
        expect(await store.versions(bucket, head)).toHaveLength(1);
        await expectCounted();
      },
    },
  ];
}

export function verifyChecks(bench: Bench): readonly Check[] {
  const { environment, store } = bench;
  const bucket = environment.buckets.vault;
  // of one instant, so that what is found is the same step of the same finding
  const asOf = new Date().toISOString();
  let found: readonly string[] | undefined;
  return [
    {
      fn: 'verify',
      name: 'verifies the vault and its guards',
      prepare: async () => {
        // from the beginning: what the last report says proven is not read again
        for (const version of await store.versions(bucket, 'reports/verify/')) {
          await removeVersion(bench, { bucket, ...version });
        }
      },
      run: async () => {
        const { report } = await bench.invoke('verify', { asOf });
        expect(report).toMatchObject({ status: 'complete', unreadable: [] });
        const now = namesOf(report);
        found ??= now;
        expect(now).toEqual(expect.arrayContaining([...found]));
      },
    },
  ];
}

/** What a report found, without when. */
export function namesOf(report: {
  readonly findings: ReadonlyArray<{ readonly kind: string; readonly subject: string }>;
}): readonly string[] {
  return report.findings.map(({ kind, subject }) => `${kind} ${subject}`);
}
