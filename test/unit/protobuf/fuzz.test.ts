import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { LineageError } from '../../../lambdas/domain/errors.ts';
import { JsonDocument } from '../../../lambdas/domain/json/document.ts';
import { decodeExport } from '../../../lambdas/domain/protobuf/decode-export.ts';
import { type Decoded, type Oracle, tsProtoOracle } from '../../support/otlp-codec.ts';
import { seeded } from '../../support/seeded.ts';

const MUTATIONS = 60_000;

const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const bytes = fc.uint8Array({ maxLength: 20 });
const uint64 = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
const uint32 = fc.nat({ max: 0xffff_ffff });
const few = <T>(item: fc.Arbitrary<T>) => fc.array(item, { maxLength: 3 });

const { anyValue } = fc.letrec<{ anyValue: object; pairs: object[] }>((tie) => ({
  anyValue: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constant({}),
    fc.record({ stringValue: text }),
    fc.record({ boolValue: fc.boolean() }),
    fc.record({ intValue: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }) }),
    fc.record({ doubleValue: fc.double() }),
    fc.record({ bytesValue: bytes }),
    fc.record({ arrayValue: fc.record({ values: few(tie('anyValue')) }) }),
    fc.record({ kvlistValue: fc.record({ values: tie('pairs') }) }),
  ),
  pairs: few(fc.record({ key: text, value: fc.option(tie('anyValue'), { nil: undefined }) })),
}));
const attributes = few(fc.record({ key: text, value: fc.option(anyValue, { nil: undefined }) }));
const link = fc.record({
  ...{
    traceId: bytes,
    spanId: bytes,
    traceState: text,
    attributes,
    droppedAttributesCount: uint32,
  },
  flags: uint32,
});
const event = fc.record({
  ...{ timeUnixNano: uint64, name: text, attributes, droppedAttributesCount: uint32 },
});
const span = fc.record({
  ...{ traceId: bytes, spanId: bytes, traceState: text, parentSpanId: bytes, flags: uint32 },
  ...{ name: text, kind: fc.nat({ max: 9 }), startTimeUnixNano: uint64, endTimeUnixNano: uint64 },
  ...{ attributes, droppedAttributesCount: uint32, events: few(event), droppedEventsCount: uint32 },
  ...{ links: few(link), droppedLinksCount: uint32 },
  status: fc.option(fc.record({ message: text, code: fc.nat({ max: 3 }) }), { nil: undefined }),
});
const scope = fc.record({ name: text, version: text, attributes, droppedAttributesCount: uint32 });
const entityRef = fc.record({
  ...{ schemaUrl: text, type: text, idKeys: few(text), descriptionKeys: few(text) },
});
const resource = fc.record({
  ...{ attributes, droppedAttributesCount: uint32, entityRefs: few(entityRef) },
});
const exportRequest: fc.Arbitrary<Decoded> = fc.record({
  resourceSpans: few(
    fc.record({
      resource: fc.option(resource, { nil: undefined }),
      scopeSpans: few(
        fc.record({
          scope: fc.option(scope, { nil: undefined }),
          spans: few(span),
          schemaUrl: text,
        }),
      ),
      schemaUrl: text,
    }),
  ),
});

/** The mapping said once more, over what ts-proto holds. */
function expectedJson(value: unknown, name: string): unknown {
  if (value instanceof Uint8Array)
    return Buffer.from(value).toString(name.endsWith('Id') ? 'hex' : 'base64');
  if (typeof value === 'bigint') return String(value);
  if (typeof value === 'number' && !Number.isFinite(value)) return String(value);
  if (Array.isArray(value)) return value.map((item) => expectedJson(item, ''));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key, member]) => {
        if (member === undefined) return false;
        if (key === 'key' || key.endsWith('Value')) return true;
        if (typeof member === 'object') return (member as ArrayLike<unknown>).length !== 0;
        return Boolean(member);
      })
      .map(([key, member]) => [key, expectedJson(member, key)]),
  );
}

describe('decodeExport against ts-proto', () => {
  let oracle: Oracle;
  beforeAll(async () => {
    oracle = await tsProtoOracle();
  });

  it('reads any export as ts-proto does, to the last bit of 64-bit integers and bytes', () => {
    fc.assert(
      fc.property(exportRequest, (message) => {
        const encoded = oracle.encode(message).finish();
        const { text, deviations } = decodeExport(encoded);
        expect(JSON.parse(text)).toEqual(expectedJson(oracle.decode(encoded), ''));
        expect(deviations).toEqual(['sent_as_protobuf']);
        expect(() => new JsonDocument(text)).not.toThrow();
      }),
      seeded(1_000),
    );
  });

  it('answers damaged exports with an error of ours, and takes none that ts-proto refuses', () => {
    const base = fc
      .sample(exportRequest, { ...seeded(400), numRuns: 400 })
      .map((message) => oracle.encode(message).finish())
      .filter(({ length }) => length > 20 && length < 1_500);
    expect(base.length).toBeGreaterThan(20);
    const random = randomNumbers(20_261_130);
    const outcome = { taken: 0, refused: 0 };
    for (let i = 0; i < MUTATIONS; i++) {
      const mutated = mutate(base[i % base.length] as Uint8Array, random);
      if (!isTaken(mutated)) outcome.refused++;
      else {
        outcome.taken++;
        expect(() => oracle.decode(mutated), Buffer.from(mutated).toString('hex')).not.toThrow();
      }
    }
    // Neither side of the comparison may be empty.
    expect(Math.min(outcome.taken, outcome.refused)).toBeGreaterThan(MUTATIONS / 20);
  });
});

function isTaken(bytes: Uint8Array): boolean {
  try {
    new JsonDocument(decodeExport(bytes).text);
    return true;
  } catch (error) {
    expect(error).toBeInstanceOf(LineageError);
    return false;
  }
}

/** Once or twice: a bit flipped, a byte set, cut out or put in, a piece repeated, the end cut off. */
function mutate(bytes: Uint8Array, random: (below: number) => number): Uint8Array {
  let mutated = Buffer.from(bytes);
  for (let n = 1 + random(2); n > 0 && mutated.length > 1; n--) {
    const at = random(mutated.length);
    const [before, after] = [mutated.subarray(0, at), mutated.subarray(at)];
    const kind = random(6);
    if (kind === 0) mutated[at] = (mutated[at] as number) ^ (1 << random(8));
    else if (kind === 1) mutated[at] = random(256);
    else if (kind === 2) mutated = Buffer.concat([before, after.subarray(1 + random(4))]);
    else if (kind === 3) mutated = Buffer.concat([before, Buffer.from([random(256)]), after]);
    else if (kind === 4) mutated = Buffer.concat([before, after.subarray(0, random(30)), after]);
    else mutated = Buffer.from(before);
  }
  return mutated;
}

/** A linear congruential generator: the same numbers tomorrow. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}
