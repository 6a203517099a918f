import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { expect } from 'vitest';
import { type Exchange, textOf } from '../support/recording-proxy.ts';
import { withoutValues } from '../support/without-values.ts';
import { type ClientEnvironment, readUntil, vaultClient } from './environment.ts';

/** The receipt that the ingest gave for a request, whether the client saw it or not. */
export function receiptOf({ upstream }: Exchange): string {
  return JSON.parse(upstream?.body ?? '').receiptId;
}

/** What the client was answered with 2xx. */
export const accepted = (exchanges: readonly Exchange[]): readonly Exchange[] =>
  exchanges.filter(({ response }) => response !== undefined && response.status < 300);

/** What the ingest accepted, also where the client never heard of it. */
export const delivered = (exchanges: readonly Exchange[]): readonly Exchange[] =>
  exchanges.filter(({ upstream }) => upstream !== undefined && upstream.status < 300);

/** The distinct bodies, in the order in which they first arrived: a retry repeats the bytes. */
export const distinctBodies = (exchanges: readonly Exchange[]): readonly string[] => [
  ...new Set(exchanges.map(textOf)),
];

/** The document that is stored for a request. */
export async function storedDocument(
  environment: ClientEnvironment,
  exchange: Exchange,
): Promise<string> {
  await readUntil(environment, `/api/v1/events/${receiptOf(exchange)}`, isStored);
  return await readUntil(environment, `/api/v1/events/${receiptOf(exchange)}/document`);
}

const isStored = (text: string) => JSON.parse(text).status === 'stored';

/**
 * Expects that each accepted request is stored as it was sent, byte for byte but for the redactions that its
 * envelope lists, and that it lies in the vault where the envelope says. Returns the redacted paths of each.
 */
export async function expectStoredToTheByte(
  environment: ClientEnvironment,
  exchanges: readonly Exchange[],
): Promise<readonly (readonly string[])[]> {
  const s3 = vaultClient(environment);
  const redacted: (readonly string[])[] = [];
  for (const exchange of exchanges) {
    const document = await storedDocument(environment, exchange);
    const receiptId = receiptOf(exchange);
    const envelope = JSON.parse(await readUntil(environment, `/api/v1/events/${receiptId}`));
    const paths = envelope.redaction.fields.map(({ path }: { path: string }) => path).sort();
    expect(withoutValues(document, paths)).toBe(withoutValues(textOf(exchange), paths));
    const digest = createHash('sha256').update(document).digest('hex');
    expect(envelope.digest).toBe(digest);

    const { bucket: Bucket, key: Key, versionId: VersionId, line } = envelope.location;
    const object = await s3.send(new GetObjectCommand({ Bucket, Key, VersionId }));
    const bytes = await object.Body?.transformToByteArray();
    const lines = gunzipSync(bytes ?? new Uint8Array()).toString('utf8');
    expect(JSON.parse(lines.split('\n')[line] ?? '')).toMatchObject({
      receiptId,
      digest,
      document,
    });
    redacted.push(paths);
  }
  s3.destroy();
  return redacted;
}

/** How many of the deliveries are known as a repetition of another one. */
export async function countDuplicates(
  environment: ClientEnvironment,
  exchanges: readonly Exchange[],
): Promise<number> {
  const path = (exchange: Exchange) => `/api/v1/events/${receiptOf(exchange)}`;
  const texts = exchanges.map((exchange) => readUntil(environment, path(exchange), isStored));
  return (await Promise.all(texts)).filter((text) => JSON.parse(text).duplicateOf).length;
}

/** A run as the query API shows it; only what the client tests look at. */
interface ShownRun {
  readonly runId: string;
  readonly state: string;
  readonly job: { readonly namespace: string; readonly name: string };
  readonly inputs: readonly ShownDataset[];
  readonly outputs: readonly ShownDataset[];
  readonly parent: { readonly runId: string } | null;
  readonly root: { readonly runId: string } | null;
  readonly traces: readonly unknown[];
  readonly qualifications: readonly { readonly code: string }[];
  readonly events: readonly {
    readonly eventType: string;
    readonly deliveries: number;
    readonly receiptIds: readonly string[];
  }[];
}

interface ShownDataset {
  readonly namespace: string;
  readonly name: string;
}

/** The run id that a body names; undefined for job and dataset events. */
const runIdOf = (exchange: Exchange): string | undefined => JSON.parse(textOf(exchange)).run?.runId;

/**
 * Expects that each run shows one event for each distinct body that was delivered, and each delivery as a
 * receipt of it: a retry is no second event. Returns the runs by id.
 */
export async function expectRunsComplete(
  environment: ClientEnvironment,
  exchanges: readonly Exchange[],
): Promise<ReadonlyMap<string, ShownRun>> {
  const runs = new Map<string, ShownRun>();
  for (const runId of new Set(exchanges.map(runIdOf))) {
    if (runId === undefined) continue;
    const own = exchanges.filter((exchange) => runIdOf(exchange) === runId);
    const receiptIds = (shown: ShownRun) => shown.events.flatMap((event) => event.receiptIds);
    const text = await readUntil(
      environment,
      `/api/v1/runs/${runId}`,
      (answer) => receiptIds(JSON.parse(answer)).length >= own.length,
    );
    const run: ShownRun = JSON.parse(text);
    expect(receiptIds(run).sort()).toEqual(own.map(receiptOf).sort());
    expect(run.events).toHaveLength(distinctBodies(own).length);
    for (const { deliveries, receiptIds } of run.events)
      expect(receiptIds).toHaveLength(deliveries);
    runs.set(runId, run);
  }
  return runs;
}
