import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { prepareEvent } from '../../../lambdas/domain/openlineage/prepare-event.ts';
import { createHandler } from '../../../lambdas/ingest/handler.ts';
import { NOW, REDACTION } from '../../support/builders.ts';
import { SingleEpochKey } from '../../support/fakes/keys.ts';
import { InMemoryStream } from '../../support/fakes/streams.ts';
import { binary, CONTEXT, metering, producersWith, request } from '../../support/http.ts';
import { randomEvent } from '../../support/random-events.ts';
import { seeded } from '../../support/seeded.ts';
import { withoutValues } from '../../support/without-values.ts';

const BYTE_ORDER_MARK = '\uFEFF';

/** Ways to send one event. */
const SENDINGS: Record<string, (text: string) => [route: string, body: Uint8Array]> = {
  alone: (text) => ['/api/v1/lineage', Buffer.from(text)],
  gzipped: (text) => ['/api/v1/lineage', gzipSync(text)],
  'behind a byte order mark': (text) => ['/api/v1/lineage', Buffer.from(BYTE_ORDER_MARK + text)],
  'in an array': (text) => ['/api/v1/lineage/batch', Buffer.from(`[ ${text} ]`)],
  'in an array behind a byte order mark': (text) => [
    '/api/v1/lineage/batch',
    Buffer.from(`${BYTE_ORDER_MARK}[${text}]`),
  ],
};

function receiver() {
  const stream = new InMemoryStream();
  const handler = createHandler({
    ...metering().dependencies,
    publisher: stream,
    registry: producersWith(),
    epochKeys: new SingleEpochKey(),
    maxRecordBytes: 1_000_000,
    clock: () => NOW,
  });
  /** What the sender is told, and the envelope that archive makes of the record. */
  return async (route: string, body: Uint8Array) => {
    stream.records.length = 0;
    const answer = await handler(request({ ...binary(body), resource: route }), CONTEXT);
    const told = JSON.parse(answer.body);
    const [record] = stream.records;
    if (!record) throw new Error(answer.body);
    const position = { shardId: 'shardId-000000000000', sequenceNumber: '1' };
    const prepared = prepareEvent({ position, arrivedAtMillis: NOW, data: record.data }, REDACTION);
    if ('quarantined' in prepared) throw new Error(prepared.quarantined.reason);
    return {
      deviations: (told.receipts?.[0] ?? told).deviations as string[],
      envelope: prepared.envelopes[0] as (typeof prepared.envelopes)[number],
    };
  };
}

describe('an accepted event', () => {
  it.each(Object.entries(SENDINGS))(
    'sent %s is stored to the byte, but for what the envelope lists',
    async (_how, sending) => {
      const send = receiver();
      let redacted = 0;
      await fc.assert(
        fc.asyncProperty(randomEvent, async (text) => {
          const { document, redaction } = (await send(...sending(text))).envelope;
          const paths = redaction.fields.map(({ path }) => path);
          redacted += paths.length;
          if (paths.length === 0) expect(document).toBe(text);
          expect(withoutValues(document, paths)).toBe(withoutValues(text, paths));
        }),
        seeded(400),
      );
      // The generator does reach what is redacted.
      expect(redacted).toBeGreaterThan(100);
    },
  );

  it('departs in the same things however it is sent, for its sender and in its envelope', async () => {
    const send = receiver();
    await fc.assert(
      fc.asyncProperty(randomEvent, async (text) => {
        const alone = await send(...(SENDINGS.alone as (typeof SENDINGS)[string])(text));
        expect(alone.envelope.deviations).toEqual(alone.deviations);
        for (const [how, sending] of Object.entries(SENDINGS)) {
          const { deviations, envelope } = await send(...sending(text));
          const more = how.includes('mark') ? ['byte_order_mark'] : [];
          expect([how, deviations]).toEqual([how, [...alone.deviations, ...more].sort()]);
          expect([how, envelope.deviations]).toEqual([how, deviations]);
        }
      }),
      seeded(200),
    );
  });
});
