import { describe, expect, it } from 'vitest';
import { InvalidEventError, TooLargeError } from '../../../lambdas/domain/errors.ts';
import { openReceipt } from '../../../lambdas/domain/evidence/receipt.ts';
import { decodeStreamRecord } from '../../../lambdas/domain/evidence/stream-record.ts';
import { JsonSyntaxError, MAX_DEPTH } from '../../../lambdas/domain/json/scanner.ts';
import { acceptBatch } from '../../../lambdas/domain/openlineage/accept-batch.ts';
import { acceptEvent } from '../../../lambdas/domain/openlineage/accept-event.ts';
import { MAX_BATCH_ITEMS } from '../../../lambdas/domain/openlineage/departures.ts';
import {
  acceptance,
  EPOCH_KEY,
  NOW,
  NOW_TEXT,
  RUN_ID,
  registration,
  runEventText,
} from '../../support/builders.ts';

const partitionOf = (event: Record<string, unknown>) =>
  acceptEvent(runEventText(event), acceptance()).record.partitionKey;

describe('acceptEvent', () => {
  it('keeps the bytes of the event as they came', () => {
    const text = ` ${runEventText({ n: 1 }).replace('"n":1', '"n" : 1.50')}\n`;
    const { body } = decodeStreamRecord(acceptEvent(text, acceptance()).record.data);
    expect(Buffer.from(body).toString()).toBe(text);
  });

  it('stamps the registered basis, and nothing where there is none', () => {
    const basis = { derivation: 'parsed-intent', completeness: 'not-guaranteed' };
    const headBy = (overrides: Parameters<typeof registration>[0]) =>
      decodeStreamRecord(
        acceptEvent(runEventText(), acceptance({ registration: registration(overrides) })).record
          .data,
      ).head;
    expect(headBy({ basis }).registeredBasis).toEqual(basis);
    expect(headBy({})).not.toHaveProperty('registeredBasis');
  });

  it('stamps who sent it from the registration, never from the event', () => {
    const text = runEventText({ submitter: { producerId: 'liar' }, retentionClass: 'forever' });
    const { head } = decodeStreamRecord(
      acceptEvent(text, acceptance({ registration: registration({ retentionClass: 'short' }) }))
        .record.data,
    );
    expect(head).toMatchObject({
      submitter: { producerId: 'producer-1', group: 'group-1' },
      retentionClass: 'short',
      acceptedAt: NOW_TEXT,
    });
  });

  it('issues a receipt that proves itself', () => {
    const { receiptId } = acceptEvent(runEventText(), acceptance());
    expect(openReceipt(EPOCH_KEY, receiptId)).toEqual({ epoch: 0, acceptedAtMillis: NOW });
  });

  it('hashes the same bytes of two deliveries alike, under two receipts', () => {
    const state = acceptance();
    const [a, b] = [acceptEvent(runEventText(), state), acceptEvent(runEventText(), state)];
    const hmacOf = ({ record }: typeof a) => decodeStreamRecord(record.data).head.received.hmac;
    expect(hmacOf(a)).toBe(hmacOf(b));
    expect(a.receiptId).not.toBe(b.receiptId);
  });

  it('keeps the events of a run on one shard, whatever the case of its UUID', () => {
    expect(partitionOf({ run: { runId: RUN_ID.toUpperCase() } })).toBe(partitionOf({}));
    expect(partitionOf({ run: { runId: 'other' } })).not.toBe(partitionOf({}));
  });

  it('tells the sender about departures', () => {
    const { deviations } = acceptEvent(runEventText({ producer: undefined }), acceptance(), {
      deviations: ['byte_order_mark'],
    });
    expect(deviations).toEqual(['byte_order_mark', 'producer_missing']);
  });

  it('refuses what the stream would not take, measured as it would be sent', () => {
    const noise = Array.from({ length: 4_000 }, (_, i) => (i * 7_919) % 10_007).join('');
    expect(() =>
      acceptEvent(runEventText({ noise }), acceptance({ maxRecordBytes: 4_000 })),
    ).toThrow(TooLargeError);
    expect(() =>
      acceptEvent(
        runEventText({ spaces: ' '.repeat(100_000) }),
        acceptance({ maxRecordBytes: 4_000 }),
      ),
    ).not.toThrow();
  });
});

describe('acceptBatch', () => {
  const fates = (text: string) =>
    acceptBatch(text, acceptance()).map((item) => ('refused' in item ? item.refused : 'accepted'));

  it.each([
    ['an array', `[${runEventText()}, ${runEventText()}]`],
    ['one event a line', `${runEventText()}\n${runEventText()}\n`],
    [
      'lines with carriage returns and blanks between',
      `${runEventText()}\r\n\r\n  \n${runEventText()}`,
    ],
  ])('takes %s', (_what, text) => {
    expect(fates(text)).toEqual(['accepted', 'accepted']);
  });

  it.each([
    ['one event', runEventText()],
    ['one event over several lines', JSON.stringify(JSON.parse(runEventText()), null, 2)],
  ])('takes %s', (_what, text) => {
    expect(fates(text)).toEqual(['accepted']);
  });

  it('lets no item cost another', () => {
    expect(fates(`[1, ${runEventText()}, {"run":{}}, ${runEventText()}]`)).toEqual([
      'event_is_not_an_object at $',
      'accepted',
      'required_string at $.run.runId; required_object at $.job',
      'accepted',
    ]);
  });

  it('lets no line cost another', () => {
    expect(fates(`${runEventText()}\n{"broken":\n${runEventText()}`)).toEqual([
      'accepted',
      'unexpected_end',
      'accepted',
    ]);
  });

  it('takes an event as deep as alone, and refuses a deeper one alone', () => {
    const nested = (levels: number) => {
      const facets = `${'{"a":'.repeat(levels)}0${'}'.repeat(levels)}`;
      return `{"run":{"runId":"r","facets":${facets}},"job":{"namespace":"n","name":"j"}}`;
    };
    const [deepest, tooDeep] = [nested(MAX_DEPTH - 2), nested(MAX_DEPTH - 1)];
    expect(acceptEvent(deepest, acceptance())).toHaveProperty('receiptId');
    expect(fates(`[${deepest},${tooDeep},${runEventText()}]`)).toEqual([
      'accepted',
      'too_deep',
      'accepted',
    ]);
    expect(fates(`[${'['.repeat(100_000)}${']'.repeat(100_000)},${runEventText()}]`)).toEqual([
      'too_deep',
      'accepted',
    ]);
  });

  it('says of each event what the request departed in', () => {
    const [item] = acceptBatch(runEventText(), acceptance(), ['byte_order_mark']);
    expect(item).toMatchObject({ accepted: { deviations: ['byte_order_mark'] } });
  });

  it('counts before it copies: millions of items cost no memory of their own', () => {
    expect(() => fates(`[${'0,'.repeat(1_000_000)}0]`)).toThrow(InvalidEventError);
    expect(fates(`${'\n'.repeat(1_000_000)}${runEventText()}\n1`)).toHaveLength(2);
  });

  it('gives no byte of an item as a reason', () => {
    expect(
      JSON.stringify(fates('{"canarycanary": oops}\n{"run":{"runId":["canarycanary"]}}')),
    ).not.toContain('canary');
  });

  it.each(['[', `[${'{},'.repeat(3)}`, `  [${'{}'}`])(
    'refuses the broken array %j as a whole',
    (text) => {
      expect(() => fates(text)).toThrow(JsonSyntaxError);
    },
  );

  it.each(['', '  \n \n'])('refuses %j, in which there is nothing', (text) => {
    expect(() => fates(text)).toThrow(JsonSyntaxError);
  });

  it('takes the documented number of items and not one more', () => {
    const items = (n: number) => `[${Array.from({ length: n }, () => '1').join(',')}]`;
    expect(fates(items(MAX_BATCH_ITEMS))).toHaveLength(MAX_BATCH_ITEMS);
    expect(() => fates(items(MAX_BATCH_ITEMS + 1))).toThrow(InvalidEventError);
    expect(() => fates('1\n'.repeat(MAX_BATCH_ITEMS + 1))).toThrow(InvalidEventError);
  });

  it('takes an empty array for no events', () => {
    expect(fates('[]')).toEqual([]);
  });
});
