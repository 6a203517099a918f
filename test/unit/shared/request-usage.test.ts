import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { Metric } from '../../../lambdas/shared/metric-names.ts';
import { RequestUsage } from '../../../lambdas/shared/request-usage.ts';
import { acceptance, NOW, NOW_TEXT, runEventText } from '../../support/builders.ts';
import {
  BATCH,
  exported,
  frontDoor,
  GOOD_SPAN,
  LINEAGE,
  TRACES,
} from '../../support/front-door.ts';
import { binary, KEY, metering, request } from '../../support/http.ts';

const CANARY = 'canary-7f3e9d01';
const HOUR = '2026-03-04T05';

describe('a refusal', () => {
  it.each([
    [
      'a broken rule',
      LINEAGE,
      '{"run":{"runId":""},"job":{"namespace":"n","name":"j"}}',
      400,
      { must_not_be_empty: 1 },
    ],
    [
      'several broken rules',
      LINEAGE,
      '{"run":{"runId":7},"job":7}',
      400,
      { required_string: 1, required_object: 1 },
    ],
    [
      'one rule broken twice',
      LINEAGE,
      '{"job":{"namespace":1,"name":2}}',
      400,
      { required_string: 1 },
    ],
    ['no UTF-8', LINEAGE, binary(Buffer.from([0xff])), 400, { not_utf8: 1 }],
    ['too much', LINEAGE, runEventText({ x: ' '.repeat(4_500_000) }), 413, { too_large: 1 }],
    ['a broken batch', BATCH, '[{', 400, { expected_key: 1 }],
    [
      'items of a batch',
      BATCH,
      `[7,${runEventText()},8,{}]`,
      200,
      { event_is_not_an_object: 2, event_names_no_run_job_or_dataset: 1 },
    ],
    ['an export', TRACES, '{"resourceSpans":{}}', 400, { required_array: 1 }],
    [
      'spans of an export',
      TRACES,
      exported({ traceId: 'x' }, { traceId: 'y' }, 7, GOOD_SPAN),
      200,
      { trace_id_unreadable: 2, span_is_not_an_object: 1 },
    ],
    [
      'an export of unreadable spans',
      TRACES,
      exported({ traceId: 'x' }),
      400,
      { trace_id_unreadable: 1 },
    ],
  ])('of %s is counted by rule', async (_what, route, sent, status, expected) => {
    const { post, rules } = frontDoor();
    expect((await post(route, sent)).status).toBe(status);
    expect(await rules()).toEqual(expected);
  });

  it('for a missing scope is counted, since the producer is known', async () => {
    const { post, rules } = frontDoor({ scopes: ['read'] });
    expect((await post(LINEAGE, runEventText())).status).toBe(403);
    expect(await rules()).toEqual({ forbidden: 1 });
  });

  it('is sampled without anything that its sender wrote', async () => {
    const { post, usage, lines } = frontDoor();
    const body = gzipSync(`{"run":{"runId":["${CANARY}"]},"${CANARY}":{}}`);
    await post(LINEAGE, binary(body));
    await post(LINEAGE, `{"${CANARY}`);
    const counts = await usage.ofHour(HOUR);
    expect(counts[0]).toEqual({
      producerId: 'producer-1',
      rule: 'required_string',
      refused: 1,
      samples: [
        {
          ...{ at: NOW_TEXT, requestId: 'request-1', route: LINEAGE },
          ...{ path: '$.run.runId', bytesBucket: 2 ** Math.ceil(Math.log2(body.length)) },
        },
      ],
    });
    expect(JSON.stringify([counts, lines])).not.toContain(CANARY);
  });

  it('of a whole export is one refusal, whatever its spans broke', async () => {
    const { post, rules } = frontDoor();
    const noise = Array.from({ length: 60_000 }, (_, i) => i * 7919).join(' ');
    const good = { ...GOOD_SPAN, name: noise };
    expect((await post(TRACES, exported({ traceId: 'x' }, good))).status).toBe(413);
    expect(await rules()).toEqual({ too_large: 1 });
  });

  it('never writes down a rule or a path that is not ours', async () => {
    const { usage, dependencies } = metering();
    const refused = new RequestUsage(request(), acceptance(), {
      ...dependencies,
      clock: () => NOW,
    });
    refused.refuse([{ path: `$.run.${CANARY}`, rule: `${CANARY} is no rule` }]);
    refused.refuse([{ path: '$.inputs[3].name', rule: 'required_string' }]);
    await refused.settle();
    const counts = await usage.ofHour(HOUR);
    expect(counts.map(({ rule, samples }) => [rule, samples[0]?.path])).toEqual([
      ['unnamed_rule', '$.run.*'],
      ['required_string', '$.inputs[].name'],
    ]);
  });

  it('stays what it is when it cannot be counted, and the loss is counted', async () => {
    const { post, usage, counted, lines } = frontDoor();
    usage.faults.refuse('count', 9);
    expect((await post(LINEAGE, '7')).status).toBe(400);
    expect((await post(BATCH, `[7,${runEventText()}]`)).status).toBe(200);
    expect(counted[Metric.uncountedRefusals]).toBe(2);
    expect(JSON.stringify(lines)).toContain('count_unavailable');
  });

  it('that may be sent again is not counted', async () => {
    const { post, rules, stream } = frontDoor();
    stream.publish = async (records) => records.map(() => false);
    expect((await post(LINEAGE, runEventText())).status).toBe(503);
    expect(
      (
        await post(
          TRACES,
          exported(
            { traceId: 'x' },
            { traceId: 'ab'.repeat(16), spanId: 'cd'.repeat(8), name: 'n' },
          ),
        )
      ).status,
    ).toBe(503);
    expect(await rules()).toEqual({});
  });

  it('of a stranger writes nothing and is a number only', async () => {
    const { post, usage, counted } = frontDoor({ eventsPerSecond: 1 });
    const headers = { Authorization: `Bearer ${KEY}0` };
    expect((await post(LINEAGE, { body: '7', headers })).status).toBe(401);
    expect((await post(TRACES, { body: '7', headers: {} })).status).toBe(401);
    expect(usage.faults.calls).toEqual([]);
    expect(counted).toEqual({ [Metric.unauthenticatedRequests]: 2 });
  });

  it('causes one write for each rule of a request, however many items break it', async () => {
    const { post, usage } = frontDoor();
    await post(BATCH, `[${'7,{},'.repeat(400)}7]`);
    expect(usage.faults.calls).toEqual(['count', 'count']);
  });

  it('is one line of metrics for a request, however many rules it breaks and counts fail', async () => {
    const { post, usage, publications } = frontDoor();
    usage.faults.refuse('count', 1);
    await post(BATCH, `[7,{},7,${runEventText()}]`);
    expect(publications).toEqual([{ [Metric.refusals]: 3, [Metric.uncountedRefusals]: 2 }]);
  });

  it('that did not happen is no line of metrics and no call of the table', async () => {
    const { post, usage, publications } = frontDoor();
    expect((await post(LINEAGE, runEventText())).status).toBe(201);
    expect((await post(BATCH, `[${runEventText()},${runEventText()}]`)).status).toBe(200);
    expect((await post(TRACES, exported(GOOD_SPAN))).status).toBe(200);
    expect(publications).toEqual([]);
    expect(usage.faults.calls).toEqual([]);
  });
});

describe('the limit of a producer', () => {
  it.each([
    ['an event', LINEAGE, runEventText()],
    ['an event that is refused', LINEAGE, '7'],
    ['an export', TRACES, exported()],
    ['a batch of one', BATCH, `[${runEventText()}]`],
    ['a batch of none', BATCH, '[]'],
    ['a batch whose other items are refused', BATCH, `[7,7,7,${runEventText()}]`],
  ])('is two requests in two seconds at one a second: %s', async (_what, route, body) => {
    const { post, counted } = frontDoor({ eventsPerSecond: 1 });
    const before = [await post(route, body), await post(route, body)];
    for (const { status } of before) expect(status).toBeLessThan(500);
    const { status, body: text } = await post(route, body);
    expect(status).toBe(503);
    expect(text).toContain('more events than it may; send the same request again');
    expect(counted[Metric.rateLimitedRequests]).toBe(1);
  });

  it('counts a batch by its accepted items', async () => {
    const { post } = frontDoor({ eventsPerSecond: 3 });
    expect(
      (await post(BATCH, `[${runEventText()},${runEventText()},${runEventText()}]`)).status,
    ).toBe(200);
    for (const status of [201, 201, 201, 503]) {
      expect((await post(LINEAGE, runEventText())).status).toBe(status);
    }
  });

  it('stores nothing of a batch that has to come again, and counts no refusal of it', async () => {
    const { post, stream, rules } = frontDoor({ eventsPerSecond: 2 });
    for (let i = 0; i < 3; i++) await post(LINEAGE, runEventText());
    expect((await post(BATCH, `[7,${runEventText()},${runEventText()}]`)).status).toBe(503);
    expect(stream.records).toHaveLength(3);
    expect(await rules()).toEqual({});
  });

  it('refuses a batch for good for which there may never be room', async () => {
    const { post, rules } = frontDoor({ eventsPerSecond: 2 });
    const { status } = await post(BATCH, `[${runEventText()},${runEventText()},${runEventText()}]`);
    expect(status).toBe(400);
    expect(await rules()).toEqual({ more_items_than_the_rate_limit_allows: 1 });
  });

  it('bounds the writes that one producer causes by refusals, those for a missing scope included', async () => {
    const { post, usage } = frontDoor({ eventsPerSecond: 1, scopes: ['read'] });
    for (let i = 0; i < 20; i++) await post(LINEAGE, '7');
    expect(usage.faults.calls.filter((call) => call === 'count')).toHaveLength(2);
    expect(usage.faults.calls.length).toBeLessThan(6);
  });

  it('is closed while the table is away', async () => {
    const { post, usage, stream } = frontDoor({ eventsPerSecond: 1 });
    usage.faults.refuse('lease');
    expect((await post(LINEAGE, runEventText())).status).toBe(503);
    expect(stream.records).toEqual([]);
  });
});
