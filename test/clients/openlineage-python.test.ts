import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { GetObjectCommand } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutValues } from '../support/without-values.ts';
import { installPythonClient, reasonWithoutPython, runPythonClient } from './client-programs.ts';
import {
  type ClientEnvironment,
  clientEnvironment,
  readUntil,
  vaultClient,
} from './environment.ts';
import { createPlan } from './plan.ts';
import { type Exchange, type RecordingProxy, startRecordingProxy } from './recording-proxy.ts';
import { literals } from './statements.ts';

// Making the virtual environment downloads the client once.
const SETUP_MILLIS = 400_000;
const READ_MILLIS = 120_000;

const missing = reasonWithoutPython();
const title = missing ? `openlineage-python (skipped: ${missing})` : 'openlineage-python';

describe.skipIf(missing !== undefined)(title, { timeout: READ_MILLIS }, () => {
  const plan = createPlan(new Date());
  let environment: ClientEnvironment;
  let proxy: RecordingProxy;
  let sent: readonly Exchange[];

  beforeAll(async () => {
    environment = clientEnvironment();
    proxy = await startRecordingProxy(new URL(environment.apiUrl).origin);
    const path = new URL(environment.clientUrls.python).pathname;
    const target = { url: proxy.origin + path, key: environment.keys.lineage };
    await runPythonClient(await installPythonClient(), plan, target);
    sent = proxy.exchanges;
  }, SETUP_MILLIS);

  afterAll(() => proxy?.close());

  const receiptOf = ({ response }: Exchange): string => JSON.parse(response.body).receiptId;
  const storedDocument = (exchange: Exchange) =>
    readUntil(environment, `/api/v1/events/${receiptOf(exchange)}`).then(() =>
      readUntil(environment, `/api/v1/events/${receiptOf(exchange)}/document`),
    );

  it('gets 201 and an own receipt for each event, at the first attempt', () => {
    const terminals = plan.runs.filter(({ outcome }) => outcome !== 'KILLED');
    expect(sent).toHaveLength(plan.runs.length + terminals.length);
    expect(sent.map(({ response }) => response.status)).toEqual(sent.map(() => 201));
    expect(new Set(sent.map(receiptOf)).size).toBe(sent.length);
    expect(sent.filter(({ gzip }) => gzip)).toHaveLength(2);
  });

  it('finds every event stored to the byte, but for the declared redactions', async () => {
    for (const exchange of sent) {
      const document = await storedDocument(exchange);
      const envelope = JSON.parse(
        await readUntil(environment, `/api/v1/events/${receiptOf(exchange)}`),
      );
      const paths = envelope.redaction.fields.map(({ path }: { path: string }) => path);
      expect(paths.sort()).toEqual(sensitivePaths(exchange.body));
      expect(document).not.toBe(exchange.body);
      expect(withoutValues(document, paths)).toBe(withoutValues(exchange.body, paths));
      expect(envelope.digest).toBe(createHash('sha256').update(document).digest('hex'));
    }
  });

  it('finds no literal of a statement or an error in what is stored', async () => {
    for (const exchange of sent) {
      const values = JSON.stringify(JSON.parse(await storedDocument(exchange)));
      expect(literals.filter((literal) => values.includes(literal))).toEqual([]);
    }
    // The check above would notice: the literals were sent.
    const bodies = sent.map(({ body }) => JSON.stringify(JSON.parse(body))).join();
    expect(literals.filter((literal) => !bodies.includes(literal))).toEqual([]);
  });

  it.each(plan.runs)('shows the run $name as it was reported', async (planned) => {
    const own = sent.filter(({ body }) => JSON.parse(body).run.runId === planned.runId);
    const run = JSON.parse(
      await readUntil(
        environment,
        `/api/v1/runs/${planned.runId}`,
        (text) => JSON.parse(text).events?.length === own.length,
      ),
    );
    expect(run.runId).toBe(planned.runId);
    expect(run.state).toBe(planned.outcome === 'KILLED' ? 'RUNNING' : planned.outcome);
    expect(run.job).toMatchObject({ namespace: plan.jobNamespace, name: planned.jobName });
    const receipts = run.events.map(({ receiptId }: { receiptId: string }) => receiptId);
    expect(receipts.sort()).toEqual(own.map(receiptOf).sort());
    const names = (datasets: readonly { namespace: string; name: string }[]) =>
      datasets.map(({ namespace, name }) => `${namespace} ${name}`).sort();
    expect(names(run.inputs)).toEqual(names(planned.inputs));
    expect(names(run.outputs)).toEqual(names(planned.outputs));
    expect(run.parent?.runId).toBe(planned.parent?.run.runId);
    expect(run.root?.runId).toBe(planned.parent?.root.runId);
    expect(JSON.stringify(run.traces)).toContain(planned.traceId);
  });

  it('finds the same document in the vault, where the run says that it lies', async () => {
    const s3 = vaultClient(environment);
    for (const { runId } of plan.runs) {
      const { events } = JSON.parse(await readUntil(environment, `/api/v1/runs/${runId}`));
      for (const { receiptId, digest, location } of events) {
        const { bucket: Bucket, key: Key, versionId: VersionId, line } = location;
        const object = await s3.send(new GetObjectCommand({ Bucket, Key, VersionId }));
        const bytes = await object.Body?.transformToByteArray();
        const lines = gunzipSync(bytes ?? new Uint8Array())
          .toString('utf8')
          .split('\n');
        const envelope = JSON.parse(lines[line] ?? '');
        expect(envelope).toMatchObject({ receiptId, digest });
        const document = await readUntil(environment, `/api/v1/events/${receiptId}/document`);
        expect(envelope.document).toBe(document);
      }
    }
    s3.destroy();
  });
});

/** All that may be touched: a store that redacts more than it must is wrong too. */
function sensitivePaths(body: string): string[] {
  const error = ['$.run.facets.errorMessage.message', '$.run.facets.errorMessage.stackTrace'];
  const failed = JSON.parse(body).eventType === 'FAIL';
  return ['$.job.facets.sql.query', ...(failed ? error : [])];
}
