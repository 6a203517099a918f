import { randomUUID } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { SFNClient } from '@aws-sdk/client-sfn';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { rebuildDistributed } from '../../bin/evidence/rebuild-distributed.ts';
import { clientConfig } from '../../localstack/aws.ts';
import { runEvent } from '../support/events.ts';
import { Bench } from './bench.ts';
import { setHold } from './hold-checks.ts';
import { failureOf } from './redrive-checks.ts';
import { createWorld, type World } from './world.ts';

/** What the store is for, end to end, while IAM asks every function for every right. */
describe('a store whose functions have their roles only', () => {
  let bench: Bench;
  let world: World;
  beforeAll(async () => {
    bench = await Bench.open(inject('enforcing'));
    bench.gateway.take();
    world = await createWorld(bench);
  });
  afterAll(async () => {
    await bench?.gateway.close();
  });

  it('archives what was posted, locked, and shows it over HTTP and S3', async () => {
    const { store } = bench;
    const { json } = await store.get(`/api/v1/runs/${world.runId}`);
    expect(json).toMatchObject({ runId: world.runId, state: 'RUNNING' });
    const body = gunzipSync(await store.object(world.location)).toString();
    expect(body).toContain(world.receiptId);
    expect(await store.lockOf(world.location)).toMatchObject({ Mode: 'GOVERNANCE' });
    const trace = await store.get(`/api/v1/traces/${world.governedTraceId}`);
    expect(trace.json.deliveries[0].location.bucket).toBe(bench.environment.buckets.vault);
  });

  it('seals it, proves it and verifies the chain', async () => {
    const { status } = await bench.store.get(`/api/v1/events/${world.receiptId}/proof`);
    expect(status).toBe(200);
    const { report } = await bench.invoke('verify');
    expect(report).toMatchObject({ status: 'complete', unreadable: [] });
  });

  it('holds it, and has the holds looked after', async () => {
    await setHold(bench, world.runId);
    const { report } = await bench.invoke('reconcileHolds');
    expect(report).toMatchObject({ kind: 'holds', status: 'complete' });
  });

  it('audits it, and reports what was refused', async () => {
    expect((await bench.store.post('/api/v1/lineage', '{}')).status).toBe(400);
    const now = Date.now();
    const interval = {
      from: new Date(now - 3_600_000).toISOString(),
      to: new Date(now).toISOString(),
    };
    const { report } = await bench.invoke('auditRetention', interval);
    expect(report).toMatchObject({ status: 'complete', unreadable: [] });
    const { reports } = await bench.invoke('reportRejections', interval);
    expect(reports.at(-1).population.refused).toBeGreaterThan(0);
  });

  it('redrives what could not be archived', async () => {
    const { json } = await bench.store.store(runEvent());
    const { batchItemFailures } = await bench.invoke('redrive', failureOf(bench, json.stream));
    expect(batchItemFailures).toEqual([]);
  });

  it('registers a producer', async () => {
    const body = { producerId: `auth-${randomUUID()}`, scopes: ['ingest:lineage'] };
    const { status } = await bench.store.post('/api/v1/producers', JSON.stringify(body), 'admin');
    expect(status).toBe(201);
  });

  it('rebuilds its index with the state machine', async () => {
    const rebuilt = await rebuildDistributed(
      new SFNClient(clientConfig(bench.environment.endpointUrl)),
      bench.environment.stateMachines.rebuildIndex,
      {},
      () => {},
      200,
    );
    expect(rebuilt.rebuilt.records).toBeGreaterThan(0);
  });

  it('was never refused anything, and every function was at work', () => {
    const calls = bench.gateway.take();
    expect(calls.filter(({ refused }) => refused)).toEqual([]);
    const silent = [...bench.roles.keys()].filter(
      (fn) => !calls.some(({ caller }) => caller === fn),
    );
    expect(silent).toEqual([]);
  });
});
