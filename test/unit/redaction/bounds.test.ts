import { describe, expect, it } from 'vitest';
import { prepareEvent } from '../../../lambdas/domain/openlineage/prepare-event.ts';
import { consumed, REDACTION, runEventText } from '../../support/builders.ts';
import { growthOverFourfold } from '../../support/growth.ts';
import { redactEvent } from '../../support/redact.ts';

const redact = (text: string, maxWork?: number) =>
  redactEvent(text, maxWork === undefined ? {} : { maxWork });
const members = (n: number, of: (i: number) => string) =>
  Array.from({ length: n }, (_, i) => of(i)).join(',');
const nested = (depth: number, name: string, inner: string) =>
  `{"${name}":`.repeat(depth) + inner + '}'.repeat(depth);

/** The larger input is measured first: without this it alone would pay for the compiler. */
const WARM_UPS = 10;
const warm = (run: () => void) => {
  for (let i = 0; i < WARM_UPS; i++) run();
  return run;
};

/** Documents that a careless walk would visit too often, or whose paths would outgrow the document. */
const SHAPES: Record<string, (n: number) => string> = {
  'wide below deep': (n) => nested(480, 'a', `{${members(n / 10, (i) => `"m${i % 100}":"v"`)}}`),
  'wide below deep facets': (n) =>
    nested(480, 'facets', `{${members(n / 10, (i) => `"m${i % 100}":"v"`)}}`),
  'many sensitive values': (n) =>
    `{${members(n / 60, (i) => `"m${i % 100}":{"sql":"${'v'.repeat(40)}"}`)}}`,
  'many tags': (n) =>
    `{"run":{"facets":{"tags":{"tags":[${members(n / 30, () => '{"key":"a","value":"b@c.de"}')}]}}}}`,
  'many dialects': (n) =>
    `{"job":{"facets":{"sql":{"query":"SELECT 1",${members(n / 20, () => '"dialect":"mysql"')}}}}}`,
  'names that are data': (n) => `{${members(n / 30, (i) => `"m${i}@example.com":"v"`)}}`,
  'columns of many places': (n) =>
    `{"dataset":{"facets":{"columnLineage":{"fields":{${members(n / 40, (i) => `"c${i % 100}":{"inputFields":[{"field":"d${i % 100}"}]}`)}}}}}}`,
  'texts in texts': (n) =>
    JSON.stringify({ a: JSON.stringify({ b: JSON.stringify([`password=${'x'.repeat(n / 4)}`]) }) }),
  'brackets that are no JSON': (n) => `{"a":"[${'['.repeat(n)}]"}`,
  'many items': (n) => `{"a":[${members(n / 4, () => '"v"')}]}`,
  'one long value': (n) => `{"note":"${'select '.repeat(n / 7)}"}`,
};

/** A nest deep enough to show, at the larger size, and below the bound of the scanner. */
const CHARACTERS_PER_LEVEL = 345;
const inLevels = (n: number, open: string, close: string, inner: string) => {
  const levels = Math.round(n / CHARACTERS_PER_LEVEL);
  return open.repeat(levels) + inner + close.repeat(levels);
};

/** Documents in which a value is dear when it is judged by all that stands above or beside it. */
const CROSSED_SHAPES: Record<string, (n: number) => string> = {
  'keys beside values': (n) =>
    `{${members(n / 20, () => '"key":"a"')},${members(n / 20, () => '"value":"b"')}}`,
  'a long facet name above members': (n) =>
    `{"facets":{"${'x'.repeat(n / 2)}":{${members(n / 12, () => '"m":0')}}}}`,
  'a long name above items': (n) => `{"${'x'.repeat(n / 2)}":[${members(n / 4, () => '0')}]}`,
  'facets in columns above items': (n) =>
    inLevels(n, '{"facets":{"columnLineage":{"fields":', '}}}', `[${members(n / 2, () => '0')}]`),
  'facets in facets above members': (n) =>
    inLevels(n, '{"facets":{"ownership":', '}}', `{${members(n / 8, () => '"m":0')}}`),
  'one long name': (n) => `{"${'select '.repeat(n / 7)}":0}`,
};

describe('redaction', () => {
  it.each(Object.entries(CROSSED_SHAPES))('takes linear time over %s', (_what, shape) => {
    const growth = growthOverFourfold(12_500, (n) => {
      const text = shape(n);
      return warm(() => redact(text));
    });
    expect(growth).toBeLessThan(10);
  });

  it('needs less work than its bound for the densest bodies', () => {
    const [acceptedBytes, maxWork] = [6_000_000, 40_000_000];
    const n = 60_000;
    const densest = [
      `[${members(n / 2, () => '0')}]`,
      `[${members(n / 3, () => '""')}]`,
      `{${members(n / 5, () => '"":0')}}`,
      `"${'x'.repeat(n)}"`,
      `[${members(n / 18, () => '{"key":"","value":0}')}]`,
      `{"${'x'.repeat(n)}":0}`,
      `{${members(n / 14, () => '"a":{"sql":"?"}')}}`,
      JSON.stringify([JSON.stringify([JSON.stringify([members(n / 2, () => '0')])])]),
    ];
    for (const text of densest) {
      expect(() => redact(text, (maxWork * text.length) / acceptedBytes)).not.toThrow();
    }
  });

  it.each([
    ['values', `[${members(1_001, () => '0')}]`],
    ['characters of a value', `"${'x'.repeat(1_000)}"`],
    ['characters of a name', `{"${'x'.repeat(1_000)}":0}`],
    ['characters of a path', `[{"${'x'.repeat(400)}":{"token":1,"password":1}}]`],
    ['texts that only look like JSON', `[${members(7, () => '"[x]"')}]`],
    ['characters of a text in a text', `["[\\"${'x'.repeat(600)}\\"]"]`],
  ])('gives up over more %s than its bound', (_what, text) => {
    expect(() => redact(text, 1_000)).toThrow(expect.objectContaining({ code: 'too_much_work' }));
    expect(() => redact(text, 2_100)).not.toThrow();
  });

  it.each(Object.entries(SHAPES))('takes linear time over %s', (_what, shape) => {
    const growth = growthOverFourfold(50_000, (n) => {
      const text = shape(n);
      return warm(() => redact(text));
    });
    expect(growth).toBeLessThan(10);
  });

  it('gives up over more changes than an object may list', () => {
    const tokens = (n: number) => `[${members(n, () => '{"token":"x"}')}]`;
    expect(() => redact(tokens(150_000))).toThrow(
      expect.objectContaining({ code: 'too_many_redactions' }),
    );
  });

  it('stores an event as a skeleton whose list of redactions would be larger than any object', () => {
    const name = 'x'.repeat(5_000);
    const bomb = JSON.parse(
      nested(200, name, `{${members(2_000, (i) => `"m${i}":{"token":"v"}`)}}`),
    );
    const prepared = prepareEvent(consumed(1, runEventText({ bomb })), REDACTION);
    expect(prepared).toMatchObject({
      envelopes: [{ kind: 'run', redaction: { mode: 'skeleton', reason: 'too_many_redactions' } }],
    });
    expect(JSON.stringify(prepared).length).toBeLessThan(100_000);
  });
});
