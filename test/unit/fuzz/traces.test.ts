import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seeded } from '../../support/seeded.ts';
import { exportBody, mixedExportBody, oddBodies, PROTOBUF_TYPE, protobufBody } from './bodies.ts';
import { CASES, FUZZ_MILLIS } from './case-counts.ts';
import { type Fault, fault, frontDoor, type Outcome } from './front-door.ts';
import { type Case, requests } from './transport.ts';

function judge({ body, authenticates, named }: Case, told: Fault, outcome: Outcome): void {
  const { answer, json, published } = outcome;
  if (answer.statusCode !== 200) {
    if (body?.whole && authenticates && named)
      assert.notEqual(told, 'none', `refused: ${answer.body}`);
    // Parts that the stream did take come again with the whole export, and are known by their bytes.
    assert(published.length === 0 || told === 'every other record');
    return;
  }
  assert(told === 'none' || published.length === 0 || told === 'every other record');
  assert.equal(new Set(published.map(({ receiptId }) => receiptId)).size, published.length);
  assert.deepEqual(Object.keys(json), ['partialSuccess']);
  if (!body?.whole) return;
  assert.deepEqual(json.partialSuccess, {});
  const stored = published.map(({ text }) => text).join('\n');
  for (const span of body.whole)
    assert.equal(occurrences(stored, span), occurrences(`${body.bytes}`, span));
}

function occurrences(text: string, part: string): number {
  return text.split(part).length - 1;
}

describe('POST /v1/traces', () => {
  it(
    'keeps its promises whatever it is sent',
    async () => {
      const { send, statuses } = frontDoor('/v1/traces');
      const bodies = fc.oneof(
        exportBody,
        mixedExportBody,
        protobufBody,
        oddBodies(exportBody),
        oddBodies(protobufBody, PROTOBUF_TYPE),
      );
      await fc.assert(
        fc.asyncProperty(requests(bodies), fault, async (sent, told) => {
          judge(sent, told, await send(sent, told));
        }),
        seeded(CASES.traces),
      );
      expect([...statuses].sort()).toEqual([200, 400, 401, 503]);
    },
    FUZZ_MILLIS,
  );
});
