import { describe, expect, it, vi } from 'vitest';
import { LineageError } from '../../../lambdas/domain/errors.ts';
import type { Acceptance } from '../../../lambdas/domain/evidence/accept.ts';
import { acceptBatch } from '../../../lambdas/domain/openlineage/accept-batch.ts';
import { acceptEvent } from '../../../lambdas/domain/openlineage/accept-event.ts';
import { prepareEvent } from '../../../lambdas/domain/openlineage/prepare-event.ts';
import { acceptExport } from '../../../lambdas/domain/traces/accept-export.ts';
import { prepareTraces } from '../../../lambdas/domain/traces/prepare-trace.ts';
import { readBody } from '../../../lambdas/shared/http/body.ts';
import { HttpProblem } from '../../../lambdas/shared/http/problem.ts';
import { consumed, EPOCH_KEY, NOW, REDACTION, registration } from '../../support/builders.ts';
import { FEW_RUNS, growthOver } from '../../support/growth.ts';
import { binary, request } from '../../support/http.ts';

/** Bodies of 1 MB against bodies of 2 and of 4 MB, which is about what a request can hold. */
const SMALL_BYTES = 1_000_000;
/** Linear is 2, quadratic is 4. */
const MAX_TWOFOLD = 3.5;
/** Linear is 4, quadratic is 16; no shape here grows by more than 6. */
const MAX_FOURFOLD = 8;

const acceptance: Acceptance = {
  registration: registration(),
  epochKey: EPOCH_KEY,
  acceptedAtMillis: NOW,
  newDeliveryId: () => '019cb67e-7e52-7000-8000-000000000000',
  maxRecordBytes: 10_000_000,
};

const fill = (bytes: number, piece: string) => piece.repeat(Math.ceil(bytes / piece.length));
const items = (bytes: number, piece: string) => `${fill(bytes, `${piece},`)}${piece}`;
const event = (members: string) =>
  `{"run":{"runId":"r"},"job":{"namespace":"n","name":"j"},${members}}`;
const nest = (open: string, close: string, levels: number) =>
  open.repeat(levels) + close.repeat(levels);

type Shapes = Readonly<Record<string, (bytes: number) => string>>;

const EVENTS: Shapes = {
  'nests down to the depth limit': (n) => event(`"x":[${items(n, nest('[', ']', 498))}]`),
  'objects down to the depth limit': (n) =>
    event(`"x":[${items(n, `${'{"a":'.repeat(490)}0${'}'.repeat(490)}`)}]`),
  'a nest that never ends': (n) => fill(n, '['),
  'a long key': (n) => event(`"${fill(n, 'k')}":0`),
  'the same key over and over': (n) =>
    `{${items(n, '"run":{"runId":"r"}')},"job":{"namespace":"n","name":"j"}}`,
  'a hundred thousand keys in a job': (n) => `{"job":{${items(n, '"namespace":"n"')},"name":"j"}}`,
  'keys that are spelled with escapes': (n) => event(items(n, '"\\u0072un":0')),
  'keys like __proto__': (n) => event(items(n, '"__proto__":{"constructor":{}}')),
  backslashes: (n) => event(`"x":"${fill(n, '\\\\')}"`),
  'a name of escapes': (n) => `{"job":{"namespace":"n","name":"${fill(n, '\\ud83d\\ude00')}"}}`,
  'a run id as large as the body': (n) => `{"run":{"runId":"${fill(n, 'r')}"}}`,
  'a huge number': (n) => event(`"x":${fill(n, '9')}`),
  'a time of digits': (n) => event(`"eventTime":"2026-11-29T10:00:00.${fill(n, '9')}"`),
  'a time of colons': (n) => event(`"eventTime":"${fill(n, '2026-11-29T10:00:00')}"`),
  'a schema URL that nearly ends': (n) => event(`"schemaURL":"${fill(n, '/RunEvent')}/"`),
  'values that are no numbers': (n) => event(`"x":[${items(n, 'NaN,-Infinity')}]`),
  'white space': (n) => `${fill(n, ' \r\n\t')}${event('"x":0')}`,
  'a string without an end': (n) => `{"x":"${fill(n, '\\"')}`,
  'control characters at the end': (n) => `{"x":"${fill(n, 'x')}\u0000"}`,
};

const ESCAPED_KEYS = 2_000;
/** For duplicates, surrogates and its name, on the way in and in what is stored; a look-up decodes nothing. */
const MAX_DECODED = 5 * ESCAPED_KEYS;
const escapedKeys = Array.from({ length: ESCAPED_KEYS }, (_, i) => `"\\u0061${i}":0`).join();

const BATCHES: Shapes = {
  'tiny items': (n) => `[${items(n, '0')}]`,
  'tiny lines': (n) => fill(n, '7\n'),
  'lines that open': (n) => fill(n, '{\n'),
  'a thousand items': (n) =>
    `[${Array(1_000)
      .fill(event(`"x":"${fill(n / 1_000, 'v')}"`))
      .join()}]`,
  'a thousand lines': (n) =>
    Array(1_000)
      .fill(event(`"x":"${fill(n / 1_000, 'v')}"`))
      .join('\n'),
  'a thousand refused items': (n) =>
    `[${Array(1_000)
      .fill(`{"run":{"runId":"${fill(n / 1_000, 'v')}"}}`)
      .join()}]`,
  'a thousand nests': (n) => `[${items(n, nest('[', ']', 499))}]`,
};

const span = (members: string) =>
  `{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331"${members}}`;
const inResource = (spans: string, resource = '{}') =>
  `{"resourceSpans":[{"resource":${resource},"scopeSpans":[{"spans":[${spans}]}]}]}`;

const EXPORTS: Shapes = {
  'many spans': (n) => inResource(items(n, span(''))),
  'many traces': (n) =>
    inResource(
      Array.from({ length: Math.floor(n / 90) }, (_, i) =>
        span('').replace('0af76519', (i + 1).toString(16).padStart(8, '0')),
      ).join(),
    ),
  'many spans that cannot be filed': (n) => inResource(items(n, '{"traceId":"x"}')),
  'spans with every deviation': (n) =>
    inResource(items(n, span(',"flags":"x","start_time_unix_nano":"y","status":{"code":"z"}'))),
  'a span of attributes': (n) => inResource(span(`,"attributes":[${items(n, '{"key":"k"}')}]`)),
  'many resources': (n) => `{"resourceSpans":[${items(n, '{"scopeSpans":[{"spans":[]}]}')}]}`,
  'a resource as large as the body': (n) => inResource(span(''), `{"x":"${fill(n, '\\\\')}"}`),
  'traces in a large resource': (n) =>
    inResource(`${span('')},${span('').replace('0af7', '1af7')}`, `{"x":[${items(n, '0')}]}`),
  'members of both spellings': (n) => `{${items(n, '"resource_spans":null')},"resourceSpans":[]}`,
};

/** A refusal takes its time as well. */
function outcomeOf(work: () => unknown): void {
  try {
    work();
  } catch (error) {
    if (!(error instanceof LineageError || error instanceof HttpProblem)) throw error;
  }
}

function expectLinear(shape: (bytes: number) => string, work: (text: string) => unknown): void {
  const worked = (bytes: number) => {
    const text = shape(bytes);
    return () => outcomeOf(() => work(text));
  };
  const [twofold, fourfold] = growthOver(SMALL_BYTES, [2, 4], worked, FEW_RUNS);
  expect(twofold).toBeLessThan(MAX_TWOFOLD);
  expect(fourfold).toBeLessThan(MAX_FOURFOLD);
}

/** The way of a body through the receiver, from the wire on. */
const received = (text: string) => readBody(request(binary(Buffer.from(text)))).text;

describe('takes linear time over bodies of up to 4 MB', () => {
  it.each(Object.entries(EVENTS))('as an event: %s', (_what, shape) => {
    expectLinear(shape, (text) => acceptEvent(received(text), acceptance));
  });

  it.each(Object.entries(BATCHES))('as a batch: %s', (_what, shape) => {
    expectLinear(shape, (text) => acceptBatch(received(text), acceptance));
  });

  it.each(Object.entries(EXPORTS))('as an export: %s', (_what, shape) => {
    expectLinear(shape, (text) => acceptExport(received(text)));
  });

  it.each(Object.entries(EVENTS))('when an event is archived: %s', (_what, shape) => {
    expectLinear(shape, (text) => prepareEvent(consumed(1, text), REDACTION));
  });
  it.each(Object.entries(EXPORTS))('when an export is archived: %s', (_what, shape) => {
    expectLinear(shape, (text) => prepareTraces(consumed(1, text), REDACTION));
  });
});

describe('keys that are spelled with escapes are not decoded for every look-up', () => {
  it.each([
    ['an event', () => acceptEvent(event(escapedKeys), acceptance)],
    ['an archived event', () => prepareEvent(consumed(1, event(escapedKeys)), REDACTION)],
    ['a span', () => acceptExport(inResource(span(`,${escapedKeys}`)))],
    [
      'an archived span',
      () => prepareTraces(consumed(1, inResource(span(`,${escapedKeys}`))), REDACTION),
    ],
  ])('of %s', (_what, work) => {
    const parse = vi.spyOn(JSON, 'parse');
    work();
    const decoded = parse.mock.calls.length;
    parse.mockRestore();
    expect(decoded).toBeLessThan(MAX_DECODED);
  });
});
