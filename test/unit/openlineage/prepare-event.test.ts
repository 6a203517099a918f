import { describe, expect, it } from 'vitest';
import type { Envelope } from '../../../lambdas/domain/evidence/envelope.ts';
import { JsonDocument } from '../../../lambdas/domain/json/document.ts';
import { readEvent } from '../../../lambdas/domain/openlineage/event.ts';
import { prepareEvent } from '../../../lambdas/domain/openlineage/prepare-event.ts';
import type { RedactionSettings } from '../../../lambdas/domain/redaction/redact-or-reduce.ts';
import { sha256Hex } from '../../../lambdas/domain/store-key.ts';
import {
  consumed,
  head,
  NOW,
  NOW_TEXT,
  REDACTION,
  RUN_ID,
  runEventText,
} from '../../support/builders.ts';

const CANARY = 'canary-7f3e9d01';
/** The key is asked for with the first statement. */
const broken: RedactionSettings = {
  ...REDACTION,
  key: {
    epoch: 0,
    get secret(): Buffer {
      throw new Error(CANARY);
    },
  },
};
const STATEMENT = `SELECT a FROM t WHERE b = '${CANARY}'`;

const envelopeOf = (prepared: ReturnType<typeof prepareEvent>): Envelope => {
  if ('quarantined' in prepared) throw new Error(prepared.quarantined.reason);
  return prepared.envelopes[0] as Envelope;
};

describe('prepareEvent', () => {
  it('stores the event to the byte, minus what it lists', () => {
    const text = ` ${runEventText({ sql: STATEMENT })} `;
    const envelope = envelopeOf(prepareEvent(consumed(1, text), REDACTION));
    expect(envelope.document).toBe(text.replace(`'${CANARY}'`, '?'));
    expect(envelope.redaction.fields.map(({ path }) => path)).toEqual(['$.sql']);
    expect(envelope.digest).toBe(sha256Hex(envelope.document));
  });

  it('gives the same line for every replay', () => {
    const record = consumed(1, runEventText({ sql: STATEMENT }));
    const line = JSON.stringify(prepareEvent(record, REDACTION));
    expect(JSON.stringify(prepareEvent(structuredClone(record), REDACTION))).toBe(line);
  });

  it('has a fixed order of members', () => {
    expect(Object.keys(envelopeOf(prepareEvent(consumed(1, runEventText()), REDACTION)))).toEqual([
      ...[
        'evidence',
        'receiptId',
        'acceptedAt',
        'submitter',
        'retentionClass',
        'kind',
        'stream',
        'digest',
      ],
      ...['received', 'redaction', 'facts', 'deviations', 'document'],
    ]);
  });

  it('keeps a size as a power of two only', () => {
    const text = runEventText();
    const { bytesBucket } = envelopeOf(prepareEvent(consumed(1, text), REDACTION)).received;
    expect(Math.log2(bytesBucket) % 1).toBe(0);
    expect(bytesBucket).toBeGreaterThanOrEqual(text.length);
  });

  it.each([
    ['no JSON', 'canarycanary', 'unexpected_character'],
    ['no event', '{"canarycanary":1}', 'invalid_event'],
    ['nothing', '', 'unexpected_end'],
  ])('quarantines %s without a byte of it', (_what, text, reason) => {
    const prepared = prepareEvent(consumed(1, text), REDACTION);
    expect(prepared).toMatchObject({
      quarantined: { reason, head: { receiptId: 'receipt-1' }, acceptedAt: NOW_TEXT },
    });
    expect(JSON.stringify(prepared)).not.toContain('canary');
  });

  it('quarantines what has no head under its arrival time', () => {
    const prepared = prepareEvent(
      {
        position: { shardId: 's', sequenceNumber: '1' },
        arrivedAtMillis: NOW,
        data: Buffer.from(CANARY),
      },
      REDACTION,
    );
    expect(prepared).toMatchObject({
      quarantined: { reason: 'head_missing', acceptedAt: NOW_TEXT },
    });
    expect(JSON.stringify(prepared)).not.toContain(CANARY);
  });
});

describe('an event that cannot be redacted', () => {
  const facets = { acme_thing: { x: CANARY }, sql: { query: STATEMENT } };
  const text = runEventText({
    run: { runId: RUN_ID, facets },
    inputs: [{ namespace: 'postgres://u:hunter2@h', name: 'a.b', facets }],
    note: CANARY,
  });
  const envelope = envelopeOf(prepareEvent(consumed(1, text), broken));

  it('is stored as a skeleton that says so', () => {
    expect(envelope.redaction).toEqual({
      ...{ policy: 'strict/1', mode: 'skeleton', reason: 'Error', fields: [] },
    });
    expect(envelope.facts).toEqual({});
  });

  it('keeps kind, type, time, identities and names of facets', () => {
    expect(JSON.parse(envelope.document)).toMatchObject({
      eventType: 'START',
      eventTime: '2026-03-04T05:06:00.000000000Z',
      run: { runId: RUN_ID, facetNames: ['acme_thing', 'sql'] },
      job: { namespace: 'ns', name: 'job' },
      inputs: [{ namespace: 'postgres://h', name: 'a.b' }],
    });
  });

  it('keeps no content', () => {
    expect(JSON.stringify(envelope)).not.toMatch(/canary|hunter2/);
  });

  it.each([
    ['run', runEventText({ sql: 'SELECT 1' })],
    [
      'job',
      '{"job":{"namespace":"n","name":"j"},"outputs":[{"namespace":"n","name":"d"}],"sql":"SELECT 1"}',
    ],
    ['dataset', '{"dataset":{"namespace":"n","name":"d","facets":{"sql":{"query":"SELECT 1"}}}}'],
  ])('can still be filed as a %s event', (kind, event) => {
    const { document, redaction } = envelopeOf(prepareEvent(consumed(1, event), broken));
    expect(redaction.mode).toBe('skeleton');
    expect(readEvent(new JsonDocument(document)).kind).toBe(kind);
  });

  it('notes what the receiver saw beside what the document shows', () => {
    const deviations = ['byte_order_mark'];
    const { deviations: found } = envelopeOf(
      prepareEvent(
        consumed(1, '{"job":{"namespace":"n","name":""}}', { ...head(), deviations }),
        REDACTION,
      ),
    );
    expect(found).toEqual([
      'byte_order_mark',
      'event_time_missing',
      'job_name_empty',
      'producer_missing',
      'schema_url_missing',
    ]);
  });

  it.each([
    ['a run id that is nothing but a credential', { run: { runId: '?token=abc' } }],
    ['a schemaURL whose kind is cut off', { schemaURL: 'https://x?token=b/JobEvent', run: {} }],
  ])('keeps %s to the end of the path, or names it', (_, overrides) => {
    const prepared = prepareEvent(consumed(1, runEventText(overrides)), REDACTION);
    if ('quarantined' in prepared) return expect(prepared.quarantined.reason).toBeTruthy();
    const { document, kind } = envelopeOf(prepared);
    expect(() => readEvent(new JsonDocument(document), kind as 'run' | 'job')).not.toThrow();
  });

  it('never empties an identity', () => {
    const { document } = envelopeOf(
      prepareEvent(consumed(1, runEventText({ run: { runId: '?token=abc' } })), REDACTION),
    );
    expect(readEvent(new JsonDocument(document)).runId).toMatch(/^id_[a-p]{16}$/);
  });

  it('tells two run ids apart that were credentials', () => {
    const [one, other] = ['?token=abc', '?token=abd'].map((runId) => {
      const record = consumed(1, runEventText({ run: { runId } }));
      return readEvent(new JsonDocument(envelopeOf(prepareEvent(record, REDACTION)).document))
        .runId;
    });
    expect(one).not.toBe(other);
  });
});
