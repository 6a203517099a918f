import { describe, expect, it } from 'vitest';
import { JsonDocument } from '../../../lambdas/domain/json/document.ts';
import { prepareEvent } from '../../../lambdas/domain/openlineage/prepare-event.ts';
import { eventPolicy } from '../../../lambdas/domain/redaction/event-policy.ts';
import { redactWholeValues } from '../../../lambdas/domain/redaction/whole-value.ts';
import { consumed, runEventText } from '../../support/builders.ts';
import { growthOverFourfold } from '../../support/growth.ts';

const redact = (text: string) => redactWholeValues(new JsonDocument(text), eventPolicy);
const members = (n: number, of: (i: number) => string) =>
  Array.from({ length: n }, (_, i) => of(i)).join(',');
const nested = (depth: number, name: string, inner: string) =>
  `{"${name}":`.repeat(depth) + inner + '}'.repeat(depth);

/** Documents that a careless walk would visit too often, or whose paths would outgrow the document. */
const SHAPES: Record<string, (n: number) => string> = {
  'wide below deep': (n) => nested(480, 'a', `{${members(n / 10, (i) => `"m${i}":"v"`)}}`),
  'wide below deep facets': (n) =>
    nested(480, 'facets', `{${members(n / 10, (i) => `"m${i}":"v"`)}}`),
  'many sensitive values': (n) => `{${members(n / 12, (i) => `"m${i}":{"sql":"v"}`)}}`,
  'many items': (n) => `{"a":[${members(n / 4, () => '"v"')}]}`,
  'one long value': (n) => `{"note":"${'select '.repeat(n / 7)}"}`,
};

describe('redaction', () => {
  it.each(Object.entries(SHAPES))('takes linear time over %s', (_what, shape) => {
    const growth = growthOverFourfold(50_000, (n) => {
      const text = shape(n);
      return () => redact(text);
    });
    expect(growth).toBeLessThan(10);
  });

  it('stores an event as a skeleton whose list of redactions would be larger than any object', () => {
    const name = 'x'.repeat(5_000);
    const bomb = JSON.parse(nested(200, name, `{${members(2_000, (i) => `"m${i}":{"sql":"v"}`)}}`));
    const prepared = prepareEvent(consumed(1, runEventText({ bomb })));
    expect(prepared).toMatchObject({
      envelopes: [{ kind: 'run', redaction: { mode: 'skeleton' } }],
    });
    expect(JSON.stringify(prepared).length).toBeLessThan(100_000);
  });
});
