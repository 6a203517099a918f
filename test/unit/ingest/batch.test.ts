import { describe, expect, it } from 'vitest';
import { storeKey } from '../../../lambdas/domain/store-key.ts';
import { createHandler } from '../../../lambdas/ingest/handler.ts';
import { NOW, runEventText } from '../../support/builders.ts';
import { SingleEpochKey } from '../../support/fakes/keys.ts';
import { InMemoryStream } from '../../support/fakes/streams.ts';
import { CONTEXT, metering, producersWith, request } from '../../support/http.ts';

const eventOf = (runId: string) => runEventText({ run: { runId } });
const REFUSED_KEY = storeKey('run', 'unlucky');

function ingest() {
  const stream = new InMemoryStream();
  stream.refusedKeys.add(REFUSED_KEY);
  const { lines, dependencies } = metering();
  const handler = createHandler({
    publisher: stream,
    registry: producersWith(),
    epochKeys: new SingleEpochKey(),
    maxRecordBytes: 50_000,
    clock: () => NOW,
    ...dependencies,
  });
  const post = async (body: string) => {
    const resource = '/api/v1/lineage/batch';
    const { statusCode, headers, body: text } = await handler(request({ body, resource }), CONTEXT);
    return { status: statusCode, headers, answer: JSON.parse(text) };
  };
  return { stream, post, lines };
}

describe('POST /api/v1/lineage/batch', () => {
  it('answers a receipt for each event', async () => {
    const { status, answer } = await ingest().post(`[${eventOf('a')},${eventOf('b')}]`);
    expect(status).toBe(200);
    expect(answer).toMatchObject({
      status: 'success',
      summary: { received: 2, successful: 2, failed: 0, retriable: 0, non_retriable: 0 },
      receipts: [{ index: 0, deviations: ['run_id_not_uuid'] }, { index: 1 }],
      failed_events: [],
    });
  });

  it('takes an empty batch for what it is', async () => {
    expect(await ingest().post('[]')).toMatchObject({
      status: 200,
      answer: {
        status: 'success',
        summary: { received: 0, successful: 0, failed: 0 },
        receipts: [],
        failed_events: [],
      },
    });
  });

  it('takes a full batch of one run, each event with a receipt and the partition of its run', async () => {
    const { post, stream } = ingest();
    const { status, answer } = await post(`[${Array(1_000).fill(eventOf('one')).join()}]`);
    expect([status, answer.summary.successful]).toEqual([200, 1_000]);
    const receipts = answer.receipts.map(({ receiptId }: { receiptId: string }) => receiptId);
    expect(new Set(receipts).size).toBe(1_000);
    expect(new Set(stream.records.map(({ partitionKey }) => partitionKey))).toEqual(
      new Set([storeKey('run', 'one')]),
    );
    expect(stream.records).toHaveLength(1_000);
  });

  it('gives each event its own receipt', async () => {
    const { answer } = await ingest().post(`[${eventOf('a')},${eventOf('a')}]`);
    expect(answer.receipts[0].receiptId).not.toBe(answer.receipts[1].receiptId);
  });

  it('tells final refusals from what may be sent again, by index', async () => {
    const { status, answer } = await ingest().post(
      `[${eventOf('a')},7,${eventOf('unlucky')},${eventOf('b')}]`,
    );
    expect(status).toBe(200);
    expect(answer).toMatchObject({
      status: 'partial_success',
      summary: { received: 4, successful: 2, failed: 2, retriable: 1, non_retriable: 1 },
      receipts: [{ index: 0 }, { index: 3 }],
      failed_events: [
        { index: 1, retriable: false, reason: 'event_is_not_an_object at $' },
        { index: 2, retriable: true },
      ],
    });
  });

  it('is 503 when nothing is stored and everything may be sent again', async () => {
    const { stream, post, lines } = ingest();
    stream.faults.refuse('publish');
    const { status, headers } = await post(`[${eventOf('a')}]`);
    expect([status, headers?.['retry-after']]).toEqual([503, '2']);
    expect(JSON.stringify(lines)).toContain('publish_unavailable');
  });

  it('is 503 also when the stream answers but takes nothing', async () => {
    expect((await ingest().post(`[${eventOf('unlucky')},${eventOf('unlucky')}]`)).status).toBe(503);
  });

  it('is no 503 when a refused event must not come again', async () => {
    const { stream, post } = ingest();
    stream.faults.refuse('publish');
    const { status, answer } = await post(`[${eventOf('a')},7]`);
    expect([status, answer.summary]).toEqual([
      200,
      { received: 2, successful: 0, failed: 2, retriable: 1, non_retriable: 1 },
    ]);
  });

  it('is 200 when every event is refused for good', async () => {
    expect(await ingest().post('[1,2]')).toMatchObject({
      status: 200,
      answer: { summary: { successful: 0, retriable: 0, non_retriable: 2 } },
    });
  });

  it.each(['', '[', `[${'1,'.repeat(1_000)}1]`])('is 400 for %.20j', async (body) => {
    const { post, stream } = ingest();
    expect((await post(body)).status).toBe(400);
    expect(stream.faults.calls).toEqual([]);
  });
});
