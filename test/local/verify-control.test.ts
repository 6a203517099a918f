import { setTimeout as sleep } from 'node:timers/promises';
import { InvokeCommand } from '@aws-sdk/client-lambda';
import { DeleteObjectCommand } from '@aws-sdk/client-s3';
import { describe, expect, inject, it } from 'vitest';
import type { AuditAnswer } from '../../lambdas/audit-retention/handler.ts';
import type { ObjectVersion } from '../../lambdas/domain/evidence/ports.ts';
import type { VerifyAnswer } from '../../lambdas/verify/handler.ts';
import { runEvent } from '../support/events.ts';
import { StoreClient } from '../support/store-client.ts';

const MINUTE = 60_000;
/** The close of a local interval, and a second for the clocks. */
const CLOSED_AFTER_MILLIS = 6_000;
const SEALED_WITHIN_MILLIS = 4 * MINUTE;

describe('the scheduled verification of a deployed vault', () => {
  const store = new StoreClient(inject('environment'));
  const { s3, lambda } = store.clients;

  const invoke = async (name: 'auditRetention' | 'seal' | 'verify') => {
    const { FunctionError, LogResult, Payload } = await lambda.send(
      new InvokeCommand({ FunctionName: store.environment.functions[name], LogType: 'Tail' }),
    );
    expect(FunctionError).toBeUndefined();
    const log = Buffer.from(LogResult ?? '', 'base64').toString();
    return { log, answer: JSON.parse(Buffer.from(Payload ?? []).toString()) };
  };
  const verify = async () => {
    const { answer, log } = await invoke('verify');
    const { report, location }: VerifyAnswer = answer;
    expect(JSON.parse((await store.object(location)).toString())).toEqual(report);
    expect(await store.lockOf(location)).toMatchObject({ Mode: 'GOVERNANCE' });
    return { report, log };
  };
  /** Other tests damage the vault on purpose: only what is said of one key is looked at. */
  const damageOf = ({ report }: { report: VerifyAnswer['report'] }, { key }: { key: string }) =>
    report.findings.filter(({ detail }) => detail.key === key).map(({ detail }) => detail.damage);
  const remove = ({ bucket, key, versionId }: ObjectVersion) =>
    s3.send(
      new DeleteObjectCommand({
        ...{ Bucket: bucket, Key: key, VersionId: versionId },
        BypassGovernanceRetention: true,
      }),
    );

  it(
    'proves the chain, and names an object and a report that were deleted past their lock',
    async () => {
      const { json } = await store.store(runEvent());
      const { location: report }: AuditAnswer = (await invoke('auditRetention')).answer;
      await sleep(MINUTE - (Date.now() % MINUTE) + CLOSED_AFTER_MILLIS);
      for (let isCaughtUp = false; !isCaughtUp; ) {
        isCaughtUp = (await invoke('seal')).answer.isCaughtUp;
      }

      const whole = await verify();
      expect(whole.report).toMatchObject({
        ...{ kind: 'verify', status: 'complete', anchor: 'unanchored', unreadable: [] },
        chain: { isAtEnd: true },
        checked: { locksNotKnown: 0, objectsNotProven: 0 },
        slices: { isFinished: true, behindDays: 0 },
      });
      expect(whole.report.chain.walked).toBeGreaterThan(0);
      expect(whole.report.checked.records).toBeGreaterThan(0);
      expect(damageOf(whole, json.location)).toEqual([]);
      expect(whole.report.findings.filter(({ kind }) => kind === 'guard_changed')).toEqual([]);

      await remove(json.location);
      await remove(report);
      const damaged = await verify();
      expect(damageOf(damaged, json.location)).toEqual(['missing_object']);
      expect(damageOf(damaged, report)).toEqual(['missing_object']);
      // From the head before on: what was proven is not walked again.
      expect(damaged.report.chain.walked).toBeLessThan(whole.report.chain.walked);
      const violations = damaged.report.findings.filter(({ status }) => status !== 'resolved');
      expect(damaged.log).toContain(`"IntegrityViolations":${violations.length}`);
    },
    SEALED_WITHIN_MILLIS,
  );
});
