import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { InvokeCommand } from '@aws-sdk/client-lambda';
import {
  DeleteObjectCommand,
  GetObjectLegalHoldCommand,
  PutObjectLegalHoldCommand,
} from '@aws-sdk/client-s3';
import { describe, expect, inject, it } from 'vitest';
import type { ObjectVersion } from '../../lambdas/domain/evidence/ports.ts';
import type { HoldsAnswer } from '../../lambdas/reconcile-holds/handler.ts';
import { REPOSITORY } from '../../localstack/paths.ts';
import { runEvent, span, spanExport } from '../support/events.ts';
import { type Answer, StoreClient } from '../support/store-client.ts';

describe('a legal hold', () => {
  const store = new StoreClient(inject('environment'));
  const { s3 } = store.clients;
  const { vault: bucket } = store.environment.buckets;

  const named = ({ bucket: Bucket, key: Key, versionId: VersionId }: ObjectVersion) => ({
    ...{ Bucket, Key, VersionId },
  });
  const bit = async (version: ObjectVersion) =>
    (await s3.send(new GetObjectLegalHoldCommand(named(version)))).LegalHold?.Status;
  const change =
    (method: 'PUT' | 'DELETE') =>
    async (runId: string, reference: string): Promise<Answer['json']> => {
      const answer = await fetch(`${store.environment.apiUrl}/api/v1/hold?runId=${runId}`, {
        method,
        headers: { authorization: `Bearer ${store.environment.keys.admin}` },
        body: JSON.stringify({ reference, reason: 'a test' }),
      });
      expect(answer.status).toBe(200);
      return answer.json();
    };
  const [set, release] = [change('PUT'), change('DELETE')];
  const keysOf = (versions: readonly { key: string }[]) =>
    versions.map(({ key }) => key.split('/')[0]).sort();

  /** A run with one event, and a trace that a span of it governs. */
  async function heldRun() {
    const runId = randomUUID();
    const { json } = await store.store(runEvent({ run: { runId } }));
    const governed = span({}, runId);
    await store.post('/v1/traces', JSON.stringify(spanExport(governed)), 'traces');
    const trace = await store.until(
      `/api/v1/traces/${governed.traceId}`,
      ({ json }) => json.deliveries.length === 1,
    );
    const versions: ObjectVersion[] = [json.location, trace.json.deliveries[0].location];
    return { runId, versions };
  }

  it('is on the events and traces of a run in S3 itself, where no bypass deletes them', async () => {
    const { runId, versions } = await heldRun();
    const answer = await set(runId, 'case-1');
    expect(answer).toMatchObject({ status: 'complete', missing: [], failed: [], pending: 0 });
    expect(keysOf(answer.versions)).toEqual(expect.arrayContaining(['holds', 'lineage', 'traces']));
    for (const { key, versionId } of answer.versions) {
      expect(await bit({ bucket, key, versionId })).toBe('ON');
    }
    for (const version of versions) {
      const forced = new DeleteObjectCommand({
        ...named(version),
        BypassGovernanceRetention: true,
      });
      await expect(s3.send(forced)).rejects.toThrow(
        expect.objectContaining({ name: 'AccessDenied' }),
      );
    }
    const { json } = await store.get(`/api/v1/runs/${runId}`);
    expect(json).toMatchObject({
      retention: { legalHold: true },
      holds: [{ reference: 'case-1', status: 'active' }],
    });
  });

  it('is on what arrives later', async () => {
    const { runId } = await heldRun();
    await set(runId, 'case-1');
    const { json } = await store.store(runEvent({ run: { runId }, eventType: 'COMPLETE' }));
    await expect.poll(() => bit(json.location), { timeout: 20_000 }).toBe('ON');
  });

  it('ends with the last of several, and says what becomes deletable and when', async () => {
    const { runId, versions } = await heldRun();
    await set(runId, 'case-1');
    await set(runId, 'case-2');
    const first = await release(runId, 'case-1');
    expect(keysOf(first.stillHeld)).toEqual(expect.arrayContaining(['lineage', 'traces']));
    expect(first.stillHeld[0].by).toEqual(['case-2']);
    for (const version of versions) expect(await bit(version)).toBe('ON');
    const last = await release(runId, 'case-2');
    for (const version of versions) {
      expect(await bit(version)).toBe('OFF');
      const { key, versionId } = version;
      const until = (await store.lockOf(version))?.RetainUntilDate?.toISOString();
      expect(last.deletable).toContainEqual({ key, versionId, at: until });
    }
  });

  it('is put on again by the daily function when somebody lifts it', async () => {
    const { runId, versions } = await heldRun();
    await set(runId, 'case-1');
    const [version] = versions as [ObjectVersion];
    const lift = { ...named(version), LegalHold: { Status: 'OFF' } } as const;
    await s3.send(new PutObjectLegalHoldCommand(lift));
    const { Payload } = await store.clients.lambda.send(
      new InvokeCommand({ FunctionName: store.environment.functions.reconcileHolds }),
    );
    const { report, location } = JSON.parse(
      Buffer.from(Payload as Uint8Array).toString(),
    ) as HoldsAnswer;
    expect(report).toMatchObject({ kind: 'holds', status: 'complete', findings: [] });
    expect(report.population.active).toBeGreaterThan(0);
    expect(await bit(version)).toBe('ON');
    expect((await store.lockOf(location))?.Mode).toBe('GOVERNANCE');
  });

  it('is set, listed and released from the command line', async () => {
    const { runId } = await heldRun();
    const evidence = (...args: string[]) =>
      spawnSync(
        process.execPath,
        ['--import', 'tsx', join(REPOSITORY, 'bin/evidence.ts'), 'hold', ...args],
        { env: { ...process.env, LOCAL_DIR: inject('localDir') }, encoding: 'utf8' },
      );
    const why = ['--reference', 'case 9', '--reason', 'a test'];
    expect(evidence('set', runId, ...why)).toMatchObject({
      ...{ status: 0, stderr: '', stdout: expect.stringContaining('is held under case 9') },
    });
    expect(evidence('list', '--run', runId).stdout).toMatch(/case 9 +active/);
    const released = evidence('release', runId, ...why, '--json');
    expect([released.status, JSON.parse(released.stdout).stillHeld]).toEqual([0, []]);
    expect(evidence('set', randomUUID(), ...why).status).toBe(1);
  });
});
