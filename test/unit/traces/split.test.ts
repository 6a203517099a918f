import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TooLargeError } from '../../../lambdas/domain/errors.ts';
import { JsonDocument } from '../../../lambdas/domain/json/document.ts';
import { acceptExport } from '../../../lambdas/domain/traces/accept-export.ts';
import { readExport } from '../../../lambdas/domain/traces/otlp.ts';
import { firstByteOf, splitExport, traceOf } from '../../../lambdas/domain/traces/split.ts';
import { exportOf, SPAN_1, span, TRACE_A, TRACE_B } from './exports.ts';

const split = (text: string, keyOf = traceOf) => {
  const document = new JsonDocument(text);
  return splitExport(document, readExport(document).spans, keyOf);
};

describe('splitExport', () => {
  it('keeps an export of one trace to the byte', () => {
    const text = exportOf(span(), span({ spanId: '4'.repeat(16) }));

    expect([...split(text)]).toEqual([[TRACE_A, text]]);
  });

  it('keeps members that OTLP does not know, number spellings and key order around the spans', () => {
    const spanText = `{"n":1.50,"traceId":"${TRACE_A}","spanId":"${SPAN_1}","intValue":9007199254740993}`;
    const text = `{"x":1e2,"resourceSpans":[{"schemaUrl":"s","scopeSpans":[{"spans":[${spanText}],"y":{"z":[]}}],"resource":null}]}`;

    expect(split(text).get(TRACE_A)).toBe(text);
  });

  it('leaves out resources and scopes without a span of the trace', () => {
    const a = JSON.stringify(span());
    const b = JSON.stringify(span({ traceId: TRACE_B }));
    const text = `{"resourceSpans":[{"r":1,"scopeSpans":[{"s":1,"spans":[${a}]},{"s":2,"spans":[${b}, ${a}]}]},{"r":2,"scopeSpans":[{"s":3,"spans":[${b}]}]}]}`;

    expect([...split(text)]).toEqual([
      [
        TRACE_A,
        `{"resourceSpans":[{"r":1,"scopeSpans":[{"s":1,"spans":[${a}]},{"s":2,"spans":[${a}]}]}]}`,
      ],
      [
        TRACE_B,
        `{"resourceSpans":[{"r":1,"scopeSpans":[{"s":2,"spans":[${b}]}]},{"r":2,"scopeSpans":[{"s":3,"spans":[${b}]}]}]}`,
      ],
    ]);
  });

  it('loses no span and no byte of a span or of what is around it', () => {
    const hexDigit = fc.constantFrom(...'0123456789abcdefABCDEF');
    const id = (bytes: number) =>
      fc
        .string({ unit: hexDigit, minLength: bytes * 2, maxLength: bytes * 2 })
        .filter((text) => !/^0+$/.test(text));
    const traceId = fc.oneof(fc.constantFrom(TRACE_A, TRACE_B, TRACE_A.toUpperCase()), id(16));
    const anySpan = fc
      .record({ traceId, spanId: id(8), name: fc.string(), extra: fc.jsonValue() })
      .map((value) => JSON.stringify(value, null, 1));
    const list = <T>(item: fc.Arbitrary<T>) => fc.array(item, { maxLength: 4 });
    const anyExport = list(fc.tuple(fc.jsonValue(), list(fc.tuple(fc.jsonValue(), list(anySpan)))));
    const print = (
      resources: ReadonlyArray<[unknown, ReadonlyArray<[unknown, readonly string[]]>]>,
    ) => {
      const scopes = (items: ReadonlyArray<[unknown, readonly string[]]>) =>
        items.map(
          ([scope, spans]) => `{"scope":${JSON.stringify(scope)},"spans":[${spans.join(' , ')}]}`,
        );
      return `{"resourceSpans":[${resources.map(
        ([resource, items]) =>
          `{"resource":${JSON.stringify(resource)},"scopeSpans":[${scopes(items).join(',')}]}`,
      )}]}`;
    };
    const spansWithContext = (text: string) => {
      const document = new JsonDocument(text);
      const raw = (node: number, name: string) => document.raw(document.get(node, name));
      return readExport(document).spans.map((item) =>
        [
          raw(item.resourceSpans, 'resource'),
          raw(item.scopeSpans, 'scope'),
          document.raw(item.node),
        ].join('\n'),
      );
    };

    fc.assert(
      fc.property(anyExport, fc.constantFrom(traceOf, firstByteOf), (resources, keyOf) => {
        const text = print(resources);
        const parts = split(text, keyOf);

        for (const [key, part] of parts) {
          const { spans } = readExport(new JsonDocument(part));
          expect(spans.map(keyOf)).toEqual(spans.map(() => key));
        }
        expect([...parts.values()].flatMap(spansWithContext).sort()).toEqual(
          spansWithContext(text).sort(),
        );
      }),
      { numRuns: 200 },
    );
  });
});

describe('acceptExport', () => {
  it('makes one record for each first byte, on a partition of its own', () => {
    const sibling = `a1${'7'.repeat(30)}`;
    const { records, acceptedSpans, rejected } = acceptExport(
      exportOf(
        span(),
        span({ traceId: TRACE_B }),
        span({ traceId: sibling }),
        span({ traceId: 'x' }),
      ),
    );

    expect(records.map(({ firstByte }) => firstByte)).toEqual(['a1', 'b2']);
    expect(new Set(records.map(({ partitionKey }) => partitionKey)).size).toBe(2);
    expect(acceptedSpans).toBe(3);
    expect(rejected).toMatchObject([{ rule: 'trace_id_unreadable', count: 1 }]);
  });

  it('takes 512 traces with a 20 KB resource and refuses what would grow without bound', () => {
    const spans = Array.from({ length: 512 }, (_, i) =>
      span({ traceId: (0x1000 + i).toString(16).padStart(32, '1') }),
    );
    const withResource = (characters: number) =>
      exportOf(...spans).replace(
        '"resource":{',
        `"resource":{"padding":"${'r'.repeat(characters)}",`,
      );

    expect(acceptExport(withResource(20_000)).acceptedSpans).toBe(512);
    expect(() => acceptExport(withResource(100_000))).toThrow(TooLargeError);
  });
});
