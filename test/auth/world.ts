import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { PutRecordsCommand } from '@aws-sdk/client-kinesis';
import { DeleteObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { EvidencePrefix } from '../../lambdas/domain/evidence/evidence-prefix.ts';
import type { ObjectVersion } from '../../lambdas/domain/evidence/ports.ts';
import { runEvent, span, spanExport } from '../support/events.ts';
import type { Answer } from '../support/store-client.ts';
import type { Bench } from './bench.ts';
import { removeVersion } from './front-door-checks.ts';
import { setHold } from './hold-checks.ts';

const MINUTE_MILLIS = 60_000;
/** The close of a local interval, and a second for the clocks. */
const CLOSED_AFTER_MILLIS = 6_000;

/** What stands in the store before anything is checked: something in each folder of the vault, all of it sealed. */
export interface World {
  /** A run with two events and a trace in the vault. */
  readonly runId: string;
  readonly receiptId: string;
  readonly location: ObjectVersion;
  readonly governedTraceId: string;
  readonly stagedTraceId: string;
  readonly stagedLocation: ObjectVersion;
  /** An event of another run and a staged trace whose objects are gone. */
  readonly goneRunId: string;
  readonly goneReceiptId: string;
  readonly goneShardId: string;
  readonly goneStatus: number;
  readonly goneTraceId: string;
  /** RFC 3339: what stands was sealed by then. */
  readonly sealedAt: string;
}

/** Fills the store and seals it, which takes the rest of an interval. */
export async function createWorld(bench: Bench): Promise<World> {
  const { store } = bench;
  const [runId, goneRunId] = [randomUUID(), randomUUID()];
  const [governed, staged, gone] = [span({}, runId), span(), span()];
  const deliver = async (one: Record<string, unknown>) => {
    await store.post('/v1/traces', JSON.stringify(spanExport(one)), 'traces');
    const held = ({ json }: Answer) => json.deliveries.length === 1;
    return (await store.until(`/api/v1/traces/${one.traceId}`, held)).json.deliveries[0];
  };
  // one after the other, so that no object holds two
  const waiting = await deliver(gone);
  await deliver(governed);
  const { location: stagedLocation } = await deliver(staged);
  const event = (await store.store(runEvent({ run: { runId } }))).json;
  const lost = (await store.store(runEvent({ run: { runId: goneRunId } }))).json;
  await store.store(runEvent({ run: { runId }, eventType: 'RUNNING' }));
  await fillFolders(bench, lost.location);
  const sealedAt = await sealed(bench);
  await removeVersion(bench, lost.location);
  await removeVersion(bench, waiting.location);
  const { status } = await store.get(`/api/v1/events/${lost.receiptId}/document`);
  return {
    ...{ runId, goneRunId, sealedAt },
    receiptId: event.receiptId,
    location: event.location,
    governedTraceId: governed.traceId as string,
    stagedTraceId: staged.traceId as string,
    stagedLocation,
    goneReceiptId: lost.receiptId,
    goneShardId: lost.stream.shardId,
    goneStatus: status,
    goneTraceId: gone.traceId as string,
  };
}

/** What the path itself does not leave in every folder, and a delete marker, which the sealer reports. */
async function fillFolders(bench: Bench, marked: ObjectVersion): Promise<void> {
  const { environment, store } = bench;
  const { s3, kinesis } = store.clients;
  const Bucket = environment.buckets.vault;
  for (const folder of [EvidencePrefix.erasures, EvidencePrefix.publicKeys]) {
    await s3.send(
      new PutObjectCommand({
        ...{ Bucket, Key: `${folder}${randomUUID()}.json`, Body: '{}' },
        ObjectLockMode: 'GOVERNANCE',
        ObjectLockRetainUntilDate: new Date(Date.now() + 25 * 3_600_000),
      }),
    );
  }
  await kinesis.send(
    new PutRecordsCommand({
      StreamName: environment.streams.lineage,
      Records: [{ PartitionKey: 'test', Data: Buffer.from('no head') }],
    }),
  );
  const held = randomUUID();
  await store.store(runEvent({ run: { runId: held } }));
  await setHold(bench, held);
  await store.post('/api/v1/lineage', '{}');
  const now = Date.now();
  await bench.invoke('reportRejections', {
    from: new Date(now - MINUTE_MILLIS).toISOString(),
    to: new Date(now).toISOString(),
  });
  await s3.send(new DeleteObjectCommand({ Bucket, Key: marked.key }));
  for (const prefix of Object.values(EvidencePrefix)) {
    if (prefix === EvidencePrefix.digests) continue;
    for (let tries = 0; (await store.versions(Bucket, prefix)).length === 0; tries++) {
      if (tries === 100) throw new Error(`nothing came to lie in ${prefix}`);
      await sleep(100);
    }
  }
}

/** Waits until all that stands lies in closed intervals, and seals them. */
async function sealed(bench: Bench): Promise<string> {
  await sleep(MINUTE_MILLIS - (Date.now() % MINUTE_MILLIS) + CLOSED_AFTER_MILLIS);
  const sealedAt = new Date().toISOString();
  await bench.invoke('seal');
  return sealedAt;
}
