import { randomUUID } from 'node:crypto';
import { InvokeCommand } from '@aws-sdk/client-lambda';
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { describe, expect, inject, it } from 'vitest';
import type { AuditAnswer } from '../../lambdas/audit-retention/handler.ts';
import { runEvent } from '../support/events.ts';
import { StoreClient } from '../support/store-client.ts';

const HOUR_MILLIS = 3_600_000;

describe('the retention audit', () => {
  const store = new StoreClient(inject('environment'));
  const { s3, lambda } = store.clients;
  const { vault } = store.environment.buckets;

  const audit = async (request: Record<string, string>): Promise<AuditAnswer> => {
    const answer = await lambda.send(
      new InvokeCommand({
        FunctionName: store.environment.functions.auditRetention,
        Payload: JSON.stringify(request),
      }),
    );
    expect(answer.FunctionError).toBeUndefined();
    return JSON.parse(Buffer.from(answer.Payload ?? []).toString());
  };
  /** The hour that an event was accepted in, which is over once `asOf` says so. */
  const hourOf = (acceptedAt: string) => {
    const from = Math.floor(Date.parse(acceptedAt) / HOUR_MILLIS) * HOUR_MILLIS;
    const to = new Date(from + HOUR_MILLIS).toISOString();
    return { from: new Date(from).toISOString(), to, asOf: to };
  };
  const kindsAbout = ({ report }: AuditAnswer, subject: string) =>
    report.findings.filter((finding) => finding.subject.includes(subject)).map(({ kind }) => kind);

  it('files a locked report when there is nothing to say', async () => {
    const quiet = {
      from: '2020-01-01T00:00:00Z',
      to: '2020-01-02T00:00:00Z',
      asOf: '2020-01-02T00:00:00Z',
    };
    const { report, location } = await audit(quiet);
    expect(report).toMatchObject({
      status: 'complete',
      findings: [],
      population: { deliveries: 0 },
    });
    expect(JSON.parse((await store.object(location)).toString())).toEqual(report);
    expect(await store.lockOf(location)).toMatchObject({ Mode: 'GOVERNANCE' });

    const again = await audit(quiet);
    expect(again).toEqual({ report, location });
    expect(await store.versions(vault, location.key)).toHaveLength(1);
  });

  it('finds nothing wrong with what is as promised', async () => {
    const { json } = await store.store(runEvent());
    const answer = await audit(hourOf(json.acceptedAt));
    expect(answer.report.checked.versions).toBeGreaterThan(0);
    expect(kindsAbout(answer, json.location.key)).toEqual([]);
  });

  it('names a version that is gone', async () => {
    const runId = randomUUID();
    const { json } = await store.store(runEvent({ run: { runId } }));
    const { bucket: Bucket, key: Key, versionId: VersionId } = json.location;
    await s3.send(
      new DeleteObjectCommand({ Bucket, Key, VersionId, BypassGovernanceRetention: true }),
    );
    const answer = await audit(hourOf(json.acceptedAt));
    expect(kindsAbout(answer, Key)).toEqual(['version_missing']);
    const run = await store.get(`/api/v1/runs/${runId}`);
    expect(run.json.findings).toMatchObject([{ kind: 'version_missing', severity: 'critical' }]);
  });

  it('names a delete marker', async () => {
    const { json } = await store.store(runEvent());
    await s3.send(new DeleteObjectCommand({ Bucket: vault, Key: json.location.key }));
    expect(kindsAbout(await audit(hourOf(json.acceptedAt)), json.location.key)).toEqual([
      'delete_marker_present',
    ]);
    expect((await store.get(`/api/v1/events/${json.receiptId}`)).status).toBe(200);
  });

  it('names a version that no row points at', async () => {
    const { json } = await store.store(runEvent());
    const Key = json.location.key.replace(/[0-9a-f]{64}/, 'f'.repeat(64));
    await s3.send(
      new PutObjectCommand({
        Bucket: vault,
        Key,
        Body: 'x',
        ObjectLockMode: 'GOVERNANCE',
        ObjectLockRetainUntilDate: new Date(Date.now() + 2 * 86_400_000),
      }),
    );
    expect(kindsAbout(await audit(hourOf(json.acceptedAt)), Key)).toEqual(['version_not_indexed']);
  });

  it('refuses an interval that cannot be', async () => {
    const { FunctionError } = await lambda.send(
      new InvokeCommand({
        FunctionName: store.environment.functions.auditRetention,
        Payload: JSON.stringify({ from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' }),
      }),
    );
    expect(FunctionError).toBeTruthy();
  });
});
