import { createHandler as createArchive } from '../../../lambdas/archive/handler.ts';
import { createHandler as createArchiveTraces } from '../../../lambdas/archive-traces/handler.ts';
import type { ConsumedRecord } from '../../../lambdas/domain/evidence/consumed-record.ts';
import { readEnvelopes } from '../../../lambdas/domain/evidence/evidence-object.ts';
import { versionName } from '../../../lambdas/domain/evidence/version-name.ts';
import { concerns, type Hold, holdRowsOf } from '../../../lambdas/domain/holds/hold.ts';
import { type Digest, digestKey, holdsRecords } from '../../../lambdas/domain/integrity/digest.ts';
import { runKeysOf } from '../../../lambdas/domain/openlineage/run-key.ts';
import { createHandler } from '../../../lambdas/holds/handler.ts';
import { createHandler as createReconcile } from '../../../lambdas/reconcile-holds/handler.ts';
import { NOW, RETENTION, runEventText } from '../../support/builders.ts';
import { InMemoryStaging, InMemoryVault } from '../../support/fakes/bucket.ts';
import { InMemoryHoldIndex, InMemoryLegalHolds } from '../../support/fakes/holds.ts';
import { singlePolicy } from '../../support/fakes/keys.ts';
import { inspectorOver, readerOver } from '../../support/fakes/readers.ts';
import { InMemoryRunIndex } from '../../support/fakes/run-index.ts';
import { CONTEXT, KEY, producersWith, request } from '../../support/http.ts';
import { kinesisEvent } from '../../support/kinesis-event.ts';
import { recorder } from '../../support/recorder.ts';
import { putSigned } from '../../support/signed-digest.ts';
import { exportOf, recordOf, span, TRACE_A } from '../traces/exports.ts';

/** Puts something between the functions and their ports. */
type Between = <D extends object>(ports: D) => D;

const INVOCATION = { getRemainingTimeInMillis: () => 900_000 };

/** The functions that store and hold, over one vault and index. */
export function heldStore(between: Between = (ports) => ports) {
  const time = { now: NOW };
  const clock = () => time.now;
  const vault = new InMemoryVault('vault', clock);
  const staging = new InMemoryStaging('staging', clock);
  const index = new InMemoryRunIndex();
  const holds = new InMemoryHoldIndex();
  const legalHolds = new InMemoryLegalHolds(vault);
  const { logger, metrics, counted, lines } = recorder();
  const inspector = inspectorOver(vault);
  const ports = between({
    ...{ vault, staging, index, holds, legalHolds, inspector },
    reader: readerOver(vault, staging),
  });
  const shared = { ...ports, ...singlePolicy(), retention: RETENTION, clock, logger, metrics };
  const archiveEvents = createArchive({ ...shared, traceContextFacets: ['ctx'] });
  const archiveSpans = createArchiveTraces({ ...shared, runIdAttributes: ['lineage.run_id'] });
  const registry = producersWith({ scopes: ['hold', 'audit'] });
  const api = createHandler({ ...shared, registry, authMode: 'bearer' });
  const reconcile = createReconcile({ ...shared, vaultBucket: 'vault' });

  const ask = async (
    httpMethod: string,
    resource: string,
    query: Record<string, string>,
    body?: unknown,
    multiValueQueryStringParameters: Record<string, string[]> | null = null,
  ) => {
    const event = request({
      ...{ httpMethod, resource, path: resource, queryStringParameters: query },
      multiValueQueryStringParameters,
      headers: { Authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const answer = await api(event, CONTEXT);
    return { status: answer.statusCode, json: JSON.parse(answer.body), text: answer.body };
  };
  const change =
    (method: string) =>
    (runId: string, reference = 'case-1', more: Record<string, string> = {}) =>
      ask(method, '/api/v1/hold', { runId, ...more }, { reference, reason: 'a court asks' });
  return {
    ...{ time, vault, staging, index, holds, legalHolds, inspector, registry, counted, lines, ask },
    set: change('PUT'),
    release: change('DELETE'),
    list: (query: Record<string, string> = {}) => ask('GET', '/api/v1/holds', query),
    reconcile: (request = {}, context = INVOCATION) => reconcile(request, context),
    archive: (...records: ConsumedRecord[]) => archiveEvents(kinesisEvent(records), INVOCATION),
    archiveTraces: (...records: ConsumedRecord[]) =>
      archiveSpans(kinesisEvent(records), INVOCATION),
    /** Object versions that hold records, with their bit. */
    bits: () =>
      vault.versions
        .filter(({ key }) => holdsRecords(key))
        .map((version) => [version, vault.held.has(versionName(version))] as const),
    /** Whether some active hold names a run in a version: from the content of the vault and the links alone. */
    mustBeHeld: (version: InMemoryVault['versions'][number]) => {
      const active = activeHolds(vault);
      const links = [...index.traceRunRows.values()];
      return readEnvelopes(version.body).some((envelope) => {
        if (envelope.kind !== 'trace') {
          return active.some(
            (hold) =>
              runKeysOf(envelope).includes(hold.runKey) && concerns(hold, envelope.submitter.group),
          );
        }
        const traceIds = traceIdsOf(envelope.document);
        return links.some(
          ({ traceId, runKey }) =>
            traceIds.has(traceId) && active.some((hold) => hold.runKey === runKey),
        );
      });
    },
    /** A digest over what is in the vault by now, as the sealer writes it, with what lies beside it. */
    seal: async (from: string, objects = vault.versions.filter(({ key }) => holdsRecords(key))) => {
      const lock = {
        mode: 'GOVERNANCE',
        retainUntil: '2027-01-01T00:00:00.000Z',
        clamped: false,
      } as const;
      const to = new Date(Date.parse(from) + 15 * 60_000).toISOString();
      const digest: Partial<Digest> & Pick<Digest, 'location'> = {
        ...{ digest: 1, number: 0 },
        ...{ location: { bucket: 'vault', key: digestKey(from) }, from, to, sealedAt: to },
        objects: objects.map(({ bucket, key, versionId, lastModified }) => ({
          ...{ bucket, key, versionId, lastModified, bytes: 1, sha256: '', records: 1 },
        })),
        leaves: { key: digestKey(from, 'leaves'), sha256: '' },
      };
      await putSigned(vault, digest);
      await vault.putDocument(digestKey(from, 'leaves'), 'leaves', lock);
    },
  };
}

function activeHolds({ versions }: InMemoryVault): Hold[] {
  const last = new Map<string, Hold>();
  for (const { key, body } of versions) {
    if (!key.startsWith('holds/')) continue;
    for (const hold of holdRowsOf(JSON.parse(Buffer.from(body).toString('utf8')))) {
      if ((last.get(hold.id)?.number ?? 0) < hold.number) last.set(hold.id, hold);
    }
  }
  return [...last.values()].filter(({ status }) => status === 'active');
}

function traceIdsOf(document: string): Set<string> {
  return new Set(
    [...document.matchAll(/"traceId":"([0-9a-f]{32})"/g)].map(([, id]) => id as string),
  );
}

/** An event of a run; with a trace id, one that names the trace. */
export function eventOf(
  n: number,
  runId: string,
  traceId?: string,
  group = 'group-1',
): ConsumedRecord {
  const facets = traceId === undefined ? {} : { ctx: { traceId, spanId: 'cd'.repeat(8) } };
  return recordOf(
    runEventText({
      run: { runId, facets },
      eventTime: `2026-03-04T05:06:${String(n % 60).padStart(2, '0')}Z`,
    }),
    n,
    {
      ...{ acceptedAt: new Date(NOW).toISOString() },
      submitter: { producerId: `of-${group}`, group },
    },
  );
}

/** A delivery of a trace whose one span names these runs. */
export function spanOf(n: number, runIds: readonly string[], traceId = TRACE_A): ConsumedRecord {
  const spanId = String(n).padStart(16, '1');
  return recordOf(exportOf(span({ traceId, spanId, runIds })), n, {
    acceptedAt: new Date(NOW).toISOString(),
  });
}
