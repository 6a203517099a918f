import { createHandler } from '../../../lambdas/audit-retention/handler.ts';
import { archiveRecords } from '../../../lambdas/domain/evidence/archive-records.ts';
import type { VersionInspector } from '../../../lambdas/domain/evidence/ports.ts';
import { prepareEvent } from '../../../lambdas/domain/openlineage/prepare-event.ts';
import { storeEvents } from '../../../lambdas/domain/openlineage/store-events.ts';
import type { AuditRequest } from '../../../lambdas/shared/audit-request.ts';
import {
  consumed,
  NOW,
  REDACTION,
  RETENTION,
  RUN_ID,
  runEventText,
  traceDeliveryEntry,
  wholeMinute,
} from '../../support/builders.ts';
import { InMemoryVault } from '../../support/fakes/bucket.ts';
import { singlePolicy } from '../../support/fakes/keys.ts';
import { extenderOver, inspectorOver, readerOver } from '../../support/fakes/readers.ts';
import { InMemoryRunIndex } from '../../support/fakes/run-index.ts';
import { recorder } from '../../support/recorder.ts';

type StoredVersion = InMemoryVault['versions'][number];

export const TRACE_ID = '0af7651916cd43dd8448eb211c80319c';
export const INTERVAL = {
  from: '2026-03-04T05:00:00.000Z',
  to: '2026-03-04T06:00:00.000Z',
  asOf: '2026-03-05T00:00:00.000Z',
};

/** A store with one run of two events in one object, and the audit over it. */
export async function auditedStore() {
  const vault = new InMemoryVault();
  const index = new InMemoryRunIndex();
  const policy = { vault, index, retention: RETENTION, clock: () => NOW };
  const store = (dated: Parameters<typeof storeEvents>[0]) =>
    storeEvents(dated, { ...policy, traceContextFacets: [], onTraceNamed: async () => undefined });
  const records = ['START', 'COMPLETE'].map((eventType, n) =>
    consumed(n, runEventText({ eventType })),
  );
  await archiveRecords(
    records,
    {
      ...policy,
      ...singlePolicy(),
      plane: 'lineage',
      prepare: (record) => prepareEvent(record, REDACTION),
      store,
    },
    wholeMinute,
  );
  const evidence = vault.versions[0] as StoredVersion;

  const { logger, metrics, counted, lines } = recorder();
  const { extender, extended } = extenderOver(vault);
  let isRefusing = false;
  let isReplicated = false;
  let inspector: VersionInspector = inspectorOver(vault);
  const audit = (request: AuditRequest = INTERVAL) =>
    createHandler({
      ...policy,
      // it runs when what it speaks for has come
      clock: () => Math.max(NOW, Date.parse(request.asOf ?? '') || 0),
      inspector,
      extender: isRefusing ? { extend: async () => false } : extender,
      isReplicated,
      reader: readerOver(vault),
      vaultBucket: 'vault',
      logger,
      metrics,
    })(request);
  return {
    ...{ vault, index, evidence, audit, counted, lines, extended },
    kinds: async () => (await audit()).report.findings.map(({ kind }) => kind),
    /** Changes what the bucket says from here on. */
    see: (changed: Partial<VersionInspector>) => {
      inspector = { ...inspector, ...changed };
    },
    /** Has S3 refuse longer locks, or take them again. */
    refuse: (refusing = true) => {
      isRefusing = refusing;
    },
    /** Has the vault be one with a replica. */
    replicate: () => {
      isReplicated = true;
    },
    /** Gives the evidence another lock than the index promises. */
    relock: (lock: Partial<NonNullable<StoredVersion['lock']>> | undefined) => {
      const { lock: promised, ...unlocked } = evidence;
      vault.versions[0] =
        lock && promised ? { ...evidence, lock: { ...promised, ...lock } } : unlocked;
    },
    /** Links the run to a trace whose delivery is locked until then, or waits in staging. */
    trace: async (receiptId: string, retainUntil: string | undefined) => {
      const submitter = { producerId: 'producer-1', group: 'group-1' };
      await index.putTraceRun({
        traceId: TRACE_ID,
        runId: RUN_ID,
        runKey: RUN_ID,
        declaredBy: 'run',
        submitter,
        receiptId,
      });
      const lock = { mode: 'GOVERNANCE' as const, retainUntil: retainUntil ?? '', clamped: false };
      const version = { bucket: 'vault', key: `promoted/${receiptId}`, versionId: receiptId };
      if (retainUntil)
        vault.versions.push({ ...evidence, ...version, body: Buffer.alloc(0), content: '', lock });
      await index.putTraceDelivery(
        traceDeliveryEntry({
          receiptId,
          traceId: TRACE_ID,
          governed: retainUntil !== undefined,
          location: { ...version, line: 0 },
          ...(retainUntil && { lock }),
        }),
      );
    },
  };
}
