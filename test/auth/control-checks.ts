import { type AttributeValue, DeleteItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb';
import {
  GetObjectLegalHoldCommand,
  PutObjectLegalHoldCommand,
  PutObjectRetentionCommand,
} from '@aws-sdk/client-s3';
import { expect } from 'vitest';
import { DynamoRunIndex } from '../../lambdas/adapters/dynamo-run-index.ts';
import { DynamoTable } from '../../lambdas/adapters/dynamo-table.ts';
import { DynamoUsage } from '../../lambdas/adapters/dynamo-usage.ts';
import { mapConcurrently } from '../../lambdas/domain/concurrency.ts';
import { hourOf } from '../../lambdas/domain/evidence/hour-shard.ts';
import type { Bench } from './bench.ts';
import type { Check } from './check.ts';
import { Deliverer, naming, rowsNaming } from './deliverer.ts';
import { removeVersion } from './front-door-checks.ts';
import { namesOf } from './integrity-checks.ts';
import type { World } from './world.ts';

const HOUR_MILLIS = 3_600_000;
/** In this time before it is sealed, the store is filled. */
const FILLED_MILLIS = 300_000;
/** More only queue in the emulator. */
const CONCURRENT_CALLS = 16;

export function auditChecks(bench: Bench, world: World): readonly Check[] {
  const { environment, store } = bench;
  const { dynamodb, s3 } = store.clients;
  const Bucket = environment.buckets.vault;
  const TableName = environment.tables.index;
  const hourAt = (millis: number) =>
    new Date(Math.floor(millis / HOUR_MILLIS) * HOUR_MILLIS).toISOString();
  const sealedAt = Date.parse(world.sealedAt);
  // the hour that was sealed in, and the one before it when that had only begun
  const interval = {
    from: hourAt(sealedAt - FILLED_MILLIS),
    to: hourAt(sealedAt + HOUR_MILLIS),
  };
  const locks = new Map<string, Date>();
  const rows: Record<string, AttributeValue>[] = [];
  /** Sets back what an audit extended: locks, and the rows that promise them. */
  const shorten = async () => {
    const versions = (await store.versions(Bucket)).filter(({ deleteMarker }) => !deleteMarker);
    await mapConcurrently(versions, CONCURRENT_CALLS, async ({ key, versionId }) => {
      const lock = await store.lockOf({ bucket: Bucket, key, versionId });
      const until = lock?.RetainUntilDate;
      const before = locks.get(versionId);
      if (until === undefined || until.getTime() === before?.getTime()) return;
      if (before === undefined) locks.set(versionId, until);
      else {
        await s3.send(
          new PutObjectRetentionCommand({
            ...{ Bucket, Key: key, VersionId: versionId, BypassGovernanceRetention: true },
            Retention: { Mode: 'GOVERNANCE', RetainUntilDate: before },
          }),
        );
      }
    });
    if (rows.length === 0) {
      rows.push(...(await rowsNaming(bench, world.runId)));
    }
    for (const Item of rows) await dynamodb.send(new PutItemCommand({ TableName, Item }));
  };
  let extended: unknown;
  let kinds: readonly string[] | undefined;
  return [
    {
      fn: 'auditRetention',
      name: 'audits an hour, and extends what a run needs for longer',
      prepare: shorten,
      run: async () => {
        const { report } = await bench.invoke('auditRetention', interval);
        expect(report).toMatchObject({ status: 'complete', unreadable: [] });
        const now = namesOf(report);
        extended ??= report.extended;
        kinds ??= now;
        expect(report.extended).toEqual(extended);
        expect(now).toEqual(kinds);
      },
    },
  ];
}

export function reconcileChecks(bench: Bench): readonly Check[] {
  const { environment, store } = bench;
  const Bucket = environment.buckets.vault;
  const { s3 } = store.clients;
  const held = async () => {
    const versions = await Promise.all(
      ['lineage/', 'traces/', 'digests/', 'holds/'].map((prefix) => store.versions(Bucket, prefix)),
    );
    const states = await Promise.all(
      versions
        .flat()
        .filter(({ deleteMarker }) => !deleteMarker)
        .map(async ({ key: Key, versionId: VersionId }) => {
          const { LegalHold } = await s3.send(
            new GetObjectLegalHoldCommand({ Bucket, Key, VersionId }),
          );
          return { Key, VersionId, isHeld: LegalHold?.Status === 'ON' };
        }),
    );
    return states.filter(({ isHeld }) => isHeld);
  };
  let before: Awaited<ReturnType<typeof held>> | undefined;
  return [
    {
      fn: 'reconcileHolds',
      name: 'sets what somebody lifted',
      prepare: async () => {
        before ??= await held();
        for (const { Key, VersionId } of before) {
          const lift = { Bucket, Key, VersionId, LegalHold: { Status: 'OFF' } } as const;
          await s3.send(new PutObjectLegalHoldCommand(lift));
        }
      },
      run: async () => {
        const { report } = await bench.invoke('reconcileHolds');
        expect(report).toMatchObject({ status: 'complete', findings: [] });
        expect(await held()).toEqual(expect.arrayContaining(before ?? []));
      },
    },
  ];
}

export function rejectionChecks(bench: Bench): readonly Check[] {
  const { environment, store } = bench;
  const usage = new DynamoUsage(new DynamoTable(store.clients.dynamodb, environment.tables.usage));
  const from = Math.floor(Date.now() / HOUR_MILLIS) * HOUR_MILLIS - 2 * HOUR_MILLIS;
  const [start, end] = [from, from + HOUR_MILLIS].map((millis) => new Date(millis).toISOString());
  const report = async () => {
    const { reports } = await bench.invoke('reportRejections', { from: start, to: end });
    expect(reports.at(-1)).toMatchObject({ status: 'complete', population: { producers: 1 } });
    return reports.at(-1);
  };
  return [
    {
      fn: 'reportRejections',
      name: 'reports what was refused, and finishes a report that broke off',
      prepare: async () => {
        await usage.count({
          ...{ hour: hourOf(from), producerId: 'demo-lineage', rule: 'json', refused: 1 },
          sample: { at: start as string, requestId: 'a', route: '/', path: '$', bytesBucket: 1 },
        });
        const { location } = await report();
        await removeVersion(bench, location);
      },
      run: async () => {
        const { location } = await report();
        expect(await store.lockOf(location)).toMatchObject({ Mode: 'GOVERNANCE' });
      },
    },
  ];
}

export function rebuildChecks(bench: Bench, world: World): readonly Check[] {
  const { environment, store } = bench;
  const { dynamodb, s3 } = store.clients;
  const TableName = environment.tables.index;
  const index = new DynamoRunIndex(new DynamoTable(dynamodb, TableName));
  const deliverer = new Deliverer(bench);
  const until = new Date(Date.now() + 9 * 86_400_000);
  until.setMilliseconds(0);
  let unreadable: number | undefined;
  return [
    {
      fn: 'rebuildIndex',
      name: 'rebuilds rows as they were, and finishes what broke off',
      prepare: async () => {
        const { bucket, key, versionId } = world.location;
        await s3.send(
          new PutObjectRetentionCommand({
            ...{ Bucket: bucket, Key: key, VersionId: versionId },
            Retention: { Mode: 'GOVERNANCE', RetainUntilDate: until },
          }),
        );
        for (const { pk, sk } of await rowsNaming(bench, world.receiptId)) {
          await dynamodb.send(
            new DeleteItemCommand({
              TableName,
              Key: { pk: pk as AttributeValue, sk: sk as AttributeValue },
            }),
          );
        }
        await deliverer.halfPromoted();
        await deliverer.consume('archive', naming(await deliverer.staged({ isGone: true })));
      },
      run: async () => {
        const planned = await bench.invoke('rebuildIndex', { step: 'plan' });
        const items = await store.object({ bucket: planned.bucket, key: planned.itemsKey });
        for (const partition of JSON.parse(items.toString())) {
          const { step } = await bench.invoke('rebuildIndex', { step: 'partition', partition });
          expect(step).toBe('done');
        }
        const done = await bench.invoke('rebuildIndex', { step: 'report', plan: planned.plan });
        unreadable ??= done.unreadable;
        expect(done.unreadable).toBe(unreadable);
        const delivery = await index.delivery(world.receiptId);
        expect(delivery?.lock.retainUntil).toBe(until.toISOString());
      },
    },
  ];
}
