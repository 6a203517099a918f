import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seeded } from '../../support/seeded.ts';
import { batchBody, mixedBatchBody, oddBodies } from './bodies.ts';
import { CASES, FUZZ_MILLIS } from './case-counts.ts';
import { type Fault, fault, frontDoor, type Outcome } from './front-door.ts';
import { type Case, requests } from './transport.ts';

function judge({ body, authenticates }: Case, told: Fault, outcome: Outcome): void {
  const { answer, json, published } = outcome;
  if (answer.statusCode !== 200) {
    assert.equal(published.length, 0, 'refused, and stored all the same');
    if (body?.whole && authenticates) assert.notEqual(told, 'none', `refused: ${answer.body}`);
    return;
  }
  const { receipts, failed_events: failed, summary } = json;
  assert.deepEqual(
    receipts.map(({ receiptId }: { receiptId: string }) => receiptId),
    published.map(({ receiptId }) => receiptId),
  );
  const indexes = [...receipts, ...failed].map(({ index }) => index).sort((a, b) => a - b);
  assert.deepEqual(
    indexes,
    Array.from({ length: summary.received }, (_, index) => index),
  );
  assert.equal(summary.successful, receipts.length);
  assert.equal(summary.retriable + summary.non_retriable, failed.length);
  const retriable = failed.filter((item: { retriable: boolean }) => item.retriable).length;
  assert.equal(summary.retriable, retriable);
  assert(retriable === 0 || told !== 'none', 'to be sent again although nothing was away');
  assert(
    summary.received === 0 || retriable < summary.received,
    'a 2xx of which all must come again',
  );
  if (body) judgeTexts(body.bytes.toString('utf8'), outcome);
  if (body?.whole) {
    assert.equal(summary.received, body.whole.length);
    for (const [position, { index }] of receipts.entries()) {
      assert.equal(published[position]?.text, body.whole[index]);
    }
    if (told === 'none') assert.equal(summary.failed, 0);
  }
}

/** Whatever the body was: what is stored stands in it, in order and without overlap. */
function judgeTexts(sent: string, { published }: Outcome): void {
  let from = 0;
  for (const { text } of published) {
    const at = sent.indexOf(text, from);
    assert.notEqual(at, -1, 'stored what was not sent');
    from = at + text.length;
  }
}

describe('POST /api/v1/lineage/batch', () => {
  it(
    'keeps its promises whatever it is sent',
    async () => {
      const { send, statuses } = frontDoor('/api/v1/lineage/batch');
      const bodies = fc.oneof(batchBody, mixedBatchBody, oddBodies(batchBody));
      await fc.assert(
        fc.asyncProperty(requests(bodies), fault, async (sent, told) => {
          judge(sent, told, await send(sent, told));
        }),
        seeded(CASES.batch),
      );
      expect([...statuses].sort()).toEqual([200, 400, 401, 415, 503]);
    },
    FUZZ_MILLIS,
  );
});
