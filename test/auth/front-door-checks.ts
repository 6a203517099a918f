import { randomUUID } from 'node:crypto';
import {
  DeleteObjectCommand,
  PutObjectCommand,
  PutObjectLegalHoldCommand,
} from '@aws-sdk/client-s3';
import { expect } from 'vitest';
import { DynamoTable } from '../../lambdas/adapters/dynamo-table.ts';
import { DynamoUsage } from '../../lambdas/adapters/dynamo-usage.ts';
import { sum } from '../../lambdas/domain/collections.ts';
import { hourOf } from '../../lambdas/domain/evidence/hour-shard.ts';
import type { ObjectVersion } from '../../lambdas/domain/evidence/ports.ts';
import { runEvent, span, spanExport } from '../support/events.ts';
import type { Bench } from './bench.ts';
import type { Check } from './check.ts';
import type { World } from './world.ts';

export function ingestChecks({ store, environment }: Bench): readonly Check[] {
  const usage = new DynamoUsage(new DynamoTable(store.clients.dynamodb, environment.tables.usage));
  const refused = async () =>
    sum((await usage.ofHour(hourOf(Date.now()))).map(({ refused }) => refused));
  const counts = (path: string, body: string, key: 'lineage' | 'traces') => async () => {
    const before = await refused();
    expect((await store.post(path, body, key)).status).toBe(400);
    expect(await refused()).toBeGreaterThan(before);
  };
  return [
    {
      fn: 'ingest',
      name: 'takes an event',
      run: async () => {
        const answer = await store.post('/api/v1/lineage', JSON.stringify(runEvent()));
        expect(answer.status).toBe(201);
      },
    },
    {
      fn: 'ingest',
      name: 'counts what it refuses',
      run: counts('/api/v1/lineage', '{}', 'lineage'),
    },
    {
      fn: 'ingestTraces',
      name: 'takes an export',
      run: async () => {
        const answer = await store.post('/v1/traces', JSON.stringify(spanExport(span())), 'traces');
        expect(answer.status).toBe(200);
      },
    },
    {
      fn: 'ingestTraces',
      name: 'counts what it refuses',
      run: counts('/v1/traces', '{"resourceSpans":1}', 'traces'),
    },
  ];
}

export function queryChecks({ store }: Bench, world: World): readonly Check[] {
  const answers = (name: string, path: () => string, status = 200): Check => {
    let before: unknown;
    return {
      fn: 'query',
      name,
      run: async () => {
        const answer = await store.get(path());
        expect(answer.status).toBe(status);
        // a problem names each occurrence of its own
        const said = answer.json ? { ...answer.json, instance: undefined } : answer.text;
        before ??= said;
        expect(said).toEqual(before);
      },
    };
  };
  return [
    answers('shows a run', () => `/api/v1/runs/${world.runId}`),
    answers('shows a document', () => `/api/v1/events/${world.receiptId}/document`),
    answers('shows a trace in the vault', () => `/api/v1/traces/${world.governedTraceId}`),
    answers('shows a trace in staging', () => `/api/v1/traces/${world.stagedTraceId}`),
    answers('proves an event', () => `/api/v1/events/${world.receiptId}/proof`),
    answers(
      'says that a document is gone',
      () => `/api/v1/events/${world.goneReceiptId}/document`,
      world.goneStatus,
    ),
    answers('says that a staged trace is gone', () => `/api/v1/traces/${world.goneTraceId}`),
    answers('says how the store is', () => '/health'),
  ];
}

export function producerChecks({ store, environment }: Bench): readonly Check[] {
  const add = (producerId: string) =>
    store.post(
      '/api/v1/producers',
      JSON.stringify({ producerId, scopes: ['ingest:lineage'] }),
      'admin',
    );
  let producerId = '';
  /** Locks the record of a second version minutes ago, and writes no row. */
  const breakOff = async (id: string) => {
    const Bucket = environment.buckets.vault;
    const [version] = await store.versions(Bucket, `producers/${id}/`);
    const record = JSON.parse(
      (
        await store.object({ bucket: Bucket, ...(version as NonNullable<typeof version>) })
      ).toString(),
    );
    const at = new Date(Date.now() - 120_000).toISOString();
    await store.clients.s3.send(
      new PutObjectCommand({
        ...{ Bucket, Key: `producers/${id}/00000002.json` },
        Body: JSON.stringify({ ...record, version: 2, at, change: 'disabled' }),
        ObjectLockMode: 'GOVERNANCE',
        ObjectLockRetainUntilDate: new Date(Date.now() + 2 * 86_400_000),
      }),
    );
  };
  return [
    {
      fn: 'producers',
      name: 'registers a producer, rotates its key and lists it',
      run: async () => {
        const id = `auth-${randomUUID()}`;
        expect((await add(id)).status).toBe(201);
        const rotated = await store.patch(`/api/v1/producers/${id}`, { rotate: true }, 'admin');
        expect([rotated.status, rotated.json.version]).toEqual([200, 2]);
        expect((await store.get(`/api/v1/producers/${id}`, 'admin')).json.version).toBe(2);
        expect((await store.get('/api/v1/producers', 'admin')).status).toBe(200);
        const { vault } = environment.buckets;
        expect(await store.versions(vault, `producers/${id}/`)).toHaveLength(2);
      },
    },
    {
      fn: 'producers',
      name: 'refuses what was changed meanwhile',
      prepare: async () => {
        producerId = `auth-${randomUUID()}`;
        await add(producerId);
      },
      run: async () => {
        const changes = await Promise.all(
          [1, 2, 3, 4, 5, 6].map((eventsPerSecond) =>
            store.patch(`/api/v1/producers/${producerId}`, { eventsPerSecond }, 'admin'),
          ),
        );
        for (const { status } of changes) expect([200, 409]).toContain(status);
      },
    },
    {
      fn: 'producers',
      name: 'finishes a change that broke off',
      prepare: async () => {
        producerId = `auth-${randomUUID()}`;
        await add(producerId);
        await breakOff(producerId);
      },
      run: async () => {
        const path = `/api/v1/producers/${producerId}`;
        expect((await store.patch(path, { disabled: true }, 'admin')).status).toBe(409);
        expect((await store.get(path, 'admin')).json.version).toBe(2);
      },
    },
  ];
}

/** Deletes a version past its lock and its hold, as root. */
export async function removeVersion(
  { store }: Pick<Bench, 'store'>,
  { bucket, key, versionId }: ObjectVersion,
): Promise<void> {
  const { s3 } = store.clients;
  const version = { Bucket: bucket, Key: key, VersionId: versionId };
  const remove = () =>
    s3.send(new DeleteObjectCommand({ ...version, BypassGovernanceRetention: true }));
  try {
    await remove();
  } catch {
    await s3.send(new PutObjectLegalHoldCommand({ ...version, LegalHold: { Status: 'OFF' } }));
    await remove();
  }
}
