import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeExports } from '../../../lambdas/domain/traces/merge-exports.ts';
import { seeded } from '../../support/seeded.ts';
import { exportOf, SPAN_1, span, TRACE_A } from './exports.ts';

const NON_FINITE = ['NaN', 'Infinity', '-Infinity'] as const;

/** JSON.stringify cannot print them; a mark stands for each, and for a string that only looks like one. */
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 6 },
    fc.constantFrom(...NON_FINITE).map((word) => `@${word}@`),
    fc.constantFrom('"NaN"', 'NaN', '\\', '\\"', ', Infinity', '-Infinity"'),
    fc.string(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fc.constantFrom('a', 'NaN', '-Infinity', '"'), tie('value'), { maxKeys: 4 }),
  ),
}));
const spell = (text: string, quote: string) =>
  text.replace(/"@(NaN|-?Infinity)@"/g, `${quote}$1${quote}`);

describe('mergeExports', () => {
  it('prints numbers that JSON does not know as the strings of OTLP, wherever they stand', () => {
    fc.assert(
      fc.property(value, value, value, (ofSpan, ofResource, ofScope) => {
        const text = JSON.stringify({
          resourceSpans: [
            {
              resource: ofResource,
              scopeSpans: [{ scope: ofScope, spans: [span({ extra: ofSpan })] }],
            },
          ],
        });
        const document = spell(text, '');

        const { json } = mergeExports([{ receiptId: 'r', document }]);

        expect(JSON.parse(json)).toEqual(JSON.parse(spell(text, '"')));
      }),
      seeded(500),
    );
  });

  it('names each delivery of a span once, in the order of the deliveries', () => {
    const document = exportOf(span(), span());
    const exports = ['a', 'b', 'c'].map((receiptId) => ({ receiptId, document }));

    expect(mergeExports(exports).spans).toMatchObject([
      { traceId: TRACE_A, spanId: SPAN_1, receiptIds: ['a', 'b', 'c'] },
    ]);
  });
});
