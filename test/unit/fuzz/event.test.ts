import { strict as assert } from 'node:assert';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { seeded } from '../../support/seeded.ts';
import { eventBody, oddBodies } from './bodies.ts';
import { CASES, FUZZ_MILLIS } from './case-counts.ts';
import { type Fault, fault, frontDoor, type Outcome } from './front-door.ts';
import { type Case, requests } from './transport.ts';

/** Faults under which no single event can be stored. */
const LOSES: ReadonlySet<Fault> = new Set(['stream', 'every record', 'every other record']);

function judge({ body, authenticates }: Case, told: Fault, outcome: Outcome): void {
  const { answer, json, published } = outcome;
  if (answer.statusCode !== 201) {
    assert.equal(published.length, 0, 'refused, and stored all the same');
    if (body?.whole && authenticates) assert.notEqual(told, 'none', `refused: ${answer.body}`);
    return;
  }
  assert(!LOSES.has(told));
  assert.deepEqual(
    published.map(({ receiptId }) => receiptId),
    [json.receiptId],
  );
  if (body) assert(published[0]?.bytes.equals(withoutMark(body.bytes)), 'stored what was not sent');
}

function withoutMark(bytes: Buffer): Buffer {
  return bytes.indexOf('\uFEFF') === 0 ? bytes.subarray(3) : bytes;
}

describe('POST /api/v1/lineage', () => {
  it(
    'keeps its promises whatever it is sent',
    async () => {
      const { send, statuses } = frontDoor('/api/v1/lineage');
      const bodies = fc.oneof(eventBody, oddBodies(eventBody));
      await fc.assert(
        fc.asyncProperty(requests(bodies), fault, async (sent, told) => {
          judge(sent, told, await send(sent, told));
        }),
        seeded(CASES.event),
      );
      expect([...statuses].sort()).toEqual([201, 400, 401, 413, 415, 503]);
    },
    FUZZ_MILLIS,
  );
});
