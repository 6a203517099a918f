import { randomBytes, randomInt, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PutRecordsCommand } from '@aws-sdk/client-kinesis';
import { InvokeCommand } from '@aws-sdk/client-lambda';
import { afterAll, describe, expect, inject, it } from 'vitest';
import { previewFile } from '../../bin/evidence/redact-event.ts';
import { STRICT } from '../../lambdas/domain/redaction/policy.ts';
import {
  type CanaryDocument,
  canaryDocuments,
  formedText,
  isCovered,
  plainForm,
} from '../support/canary-documents.ts';
import type { Fill } from '../support/canary-events.ts';
import { detectorForms } from '../support/detector-forms.ts';
import { runEvent, span, spanExport } from '../support/events.ts';
import { findEverywhere } from '../support/everything-stored.ts';
import { localLogs } from '../support/local-logs.ts';
import { type Answer, StoreClient } from '../support/store-client.ts';

const HOUR_MILLIS = 3_600_000;

/** Twelve letters, or digits, that no detector knows and that stand nowhere else. */
function newCore(head: string): string {
  const letters = [...randomBytes(12 - head.length)].map((byte) =>
    String.fromCharCode(97 + (byte & 15)),
  );
  return head + letters.join('');
}

/** Four letters behind a core, so that each place has its own canary and one search finds all. */
function letters(serial: number): string {
  return [17_576, 676, 26, 1]
    .map((unit) => String.fromCharCode(97 + (Math.floor(serial / unit) % 26)))
    .join('');
}

describe('what a rule covers', () => {
  const store = new StoreClient(inject('environment'));
  const { environment, clients } = store;
  const [covered, kept] = [newCore('zq'), newCore('zk')];
  const forms = detectorForms(newCore('zd7'), () => randomInt(10));
  const answers: Answer[] = [];
  const heard = (answer: Answer) => {
    answers.push(answer);
    return answer;
  };

  let serial = randomInt(2 ** 28);
  const plain: Fill = (place) => {
    const isGone = isCovered(place);
    const canary = (isGone ? covered : kept) + letters(serial++);
    return formedText(place, serial) ?? (isGone ? plainForm(place, canary) : canary);
  };
  const detected: Fill = (place) => {
    const form = forms[serial++ % forms.length] as (typeof forms)[number];
    return formedText(place, serial) ?? (place.treatment === 'keep' ? kept : form.text);
  };
  const documents = [...canaryDocuments(plain), ...canaryDocuments(detected)];

  const folder = mkdtempSync(join(tmpdir(), 'canaries-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  it.each(documents.map((document, index) => [`${document.name} ${index}`, document] as const))(
    'is gone from what is stored and answered, as the preview says: %s',
    async (_, document) => {
      const stored =
        document.kind === 'event' ? await storeEvent(document) : await storeExport(document);
      const [preview, ...others] = await previewFile(fileOf(document), STRICT);
      expect(others).toEqual([]);
      for (const part of ['document', 'redaction', 'facts'] as const) {
        expect(anyKey(stored[part]), part).toBe(anyKey(preview?.[part]));
      }
    },
  );

  it('is answered by no refusal', async () => {
    const secret = `${covered}xxxx`;
    const lineage = '/api/v1/lineage';
    const event = JSON.stringify(runEvent({ sql: secret }));
    const refused: ReadonlyArray<readonly [status: number, answer: Promise<Answer>]> = [
      [401, store.post(lineage, event, `ev_${secret}`)],
      [401, store.post('/v1/traces', event, secret)],
      [403, store.post('/v1/traces', event, 'read')],
      [400, store.post(lineage, `{"${secret}`)],
      [400, store.post(lineage, JSON.stringify({ [secret]: 1 }))],
      [400, store.post(lineage, JSON.stringify(runEvent({ run: { runId: [secret] } })))],
      [400, store.post(`${lineage}/batch`, `[{"${secret}`)],
      // Each line is answered for.
      [200, store.post(`${lineage}/batch`, `{"${secret}`)],
      [400, store.post('/v1/traces', `{"${secret}`, 'traces')],
      [400, store.post('/v1/traces', JSON.stringify({ resourceSpans: secret }), 'traces')],
      [413, store.post(lineage, JSON.stringify(runEvent({ pad: secret.repeat(300_000) })))],
      [415, store.post('/v1/traces', event, 'traces', { 'content-type': `text/${secret}` })],
      [400, store.post('/v1/traces', event, 'traces', { 'content-encoding': secret })],
      [404, store.get(`/api/v1/events/${secret}`)],
      [404, store.get(`/api/v1/runs/${secret}`)],
      [404, store.get(`/api/v1/${secret}`)],
      [400, store.get(`/api/v1/producers?limit=${secret}`)],
    ];
    const statuses = await Promise.all(
      refused.map(async ([, answer]) => heard(await answer).status),
    );
    expect(statuses).toEqual(refused.map(([status]) => status));
  });

  it('is in no record that cannot be read, and in no report', async () => {
    for (const StreamName of Object.values(environment.streams)) {
      const Records = [`{"record":1}\n${covered}aaaa`, `${covered}bbbb`].map((text) => ({
        PartitionKey: randomUUID(),
        Data: Buffer.from(text),
      }));
      await clients.kinesis.send(new PutRecordsCommand({ StreamName, Records }));
    }
    // What follows the poison is stored: it has been through.
    const { json } = await store.store(runEvent());
    const sent = span();
    await store.post('/v1/traces', JSON.stringify(spanExport(sent)), 'traces');
    await store.until(`/api/v1/traces/${sent.traceId}`);
    const from = Math.floor(Date.parse(json.acceptedAt) / HOUR_MILLIS) * HOUR_MILLIS;
    const to = new Date(from + HOUR_MILLIS).toISOString();
    const { auditRetention, reportRejections } = environment.functions;
    for (const FunctionName of [auditRetention, reportRejections]) {
      const Payload = JSON.stringify({ from: new Date(from).toISOString(), to, asOf: to });
      const answer = await clients.lambda.send(new InvokeCommand({ FunctionName, Payload }));
      expect(answer.FunctionError).toBeUndefined();
      expect(Buffer.from(answer.Payload ?? []).toString()).not.toContain(covered);
    }
  });

  it('is nowhere but in the streams, which hold bodies as they came', async () => {
    const needles = [covered, ...new Set(forms.map(({ needle }) => needle))];
    const sent = documents.map(({ text }) => text).join('\n');
    expect(needles.filter((needle) => !sent.includes(needle))).toEqual([]);
    const { hits, searched } = await findEverywhere(environment, [...needles, kept], localLogs());
    for (const kind of ['object', 'row', 'log', 'stream'] as const) {
      expect(searched[kind], kind).toBeGreaterThan(4);
    }
    const outside = hits.filter(({ kind }) => kind !== 'stream');
    // What no rule covers is found where it should be: the search looks at what was stored.
    const control = outside.filter(({ needle }) => needle === kept).map(({ kind }) => kind);
    expect(control).toEqual(expect.arrayContaining(['object', 'row']));
    expect(outside.filter(({ needle }) => needle !== kept)).toEqual([]);
    expect(answers.length).toBeGreaterThan(60);
    for (const { text, headers } of answers) {
      const all = `${text}${JSON.stringify([...headers])}`;
      expect(needles.filter((needle) => all.includes(needle))).toEqual([]);
    }
  });

  function fileOf({ text }: CanaryDocument): string {
    const file = join(folder, `${randomUUID()}.json`);
    writeFileSync(file, text);
    return file;
  }

  /** Reads a line back through S3, and through everything that answers with it. */
  async function storeEvent({ text }: CanaryDocument) {
    const posted = heard(await store.post('/api/v1/lineage', text));
    expect(posted.status, posted.text).toBe(201);
    const { receiptId } = posted.json;
    const { json } = heard(await store.stored(receiptId));
    heard(await store.get(`/api/v1/events/${receiptId}/document`));
    const runId = JSON.parse(text).run?.runId;
    if (runId !== undefined) {
      const path = `/api/v1/runs/${runId}`;
      heard(await store.until(path));
    }
    return store.line(json.location);
  }

  async function storeExport({ text }: CanaryDocument) {
    const posted = heard(await store.post('/v1/traces', text, 'traces'));
    expect(posted.status, posted.text).toBe(200);
    const { traceId } = JSON.parse(text).resourceSpans[0].scopeSpans[0].spans[0];
    const trace = heard(
      await store.until(`/api/v1/traces/${traceId}`, ({ json }) => json.deliveries.length > 0),
    );
    const [{ receiptId, location }] = trace.json.deliveries;
    heard(await store.get(`/api/v1/events/${receiptId}`));
    heard(await store.get(`/api/v1/events/${receiptId}/document`));
    return store.line(location);
  }
});

/** Pseudonyms and fingerprints are made with a key that a store has for itself. */
function anyKey(part: unknown): string {
  return JSON.stringify(part)
    .replace(/id_[a-p]{16}/g, 'id_')
    .replace(/"shape":"[0-9a-f]{32}"/g, '"shape":""');
}
