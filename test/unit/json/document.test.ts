import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { JsonDocument } from '../../../lambdas/domain/json/document.ts';
import { Kind, NONE, type Node } from '../../../lambdas/domain/json/scanner.ts';
import { growthOverFourfold } from '../../support/growth.ts';
import { seeded } from '../../support/seeded.ts';

/** Builds the value again from positions alone; objects as entries, so that duplicates can be seen. */
function rebuild(document: JsonDocument, node: Node): unknown {
  switch (document.kind(node)) {
    case Kind.object:
      return document
        .members(node)
        .map(({ key, value }) => [document.string(key), rebuild(document, value)]);
    case Kind.array:
      return document.items(node).map((item) => rebuild(document, item));
    case Kind.string:
      return document.string(node);
    default:
      return JSON.parse(document.raw(node));
  }
}

function asEntries(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(asEntries);
  if (typeof value !== 'object' || value === null) return value;
  return Object.entries(value).map(([key, member]) => [key, asEntries(member)]);
}

/** Any string of UTF-16 units, lone surrogates included, spelled with escapes at random. */
const spelledString = fc
  .array(fc.tuple(fc.nat(0xffff), fc.boolean()), { maxLength: 12 })
  .map((units) => {
    const text = units.map(([unit]) => String.fromCharCode(unit)).join('');
    const inner = units.map(([unit, escaped]) => {
      const hex = `\\u${unit.toString(16).padStart(4, '0')}`;
      return escaped ? hex : JSON.stringify(String.fromCharCode(unit)).slice(1, -1);
    });
    return { text, spelling: `"${inner.join('')}"` };
  });

const SHAPES: Record<string, (n: number) => string> = {
  'brackets inside a string': (n) => `"${'[{'.repeat(n / 2)}"`,
  backslashes: (n) => `"${'\\\\'.repeat(n / 2)}"`,
  'unicode escapes': (n) => `["${'\\u0022'.repeat(n / 6)}"]`,
  'a long number': (n) => '1'.repeat(n),
  spaces: (n) => `[${' '.repeat(n)}1]`,
  'many empty arrays': (n) => `[${'[],'.repeat(n / 3)}0]`,
  'many members': (n) => `{${'"a":1,'.repeat(n / 6)}"b":2}`,
  'many deep branches': (n) => `[${`${'['.repeat(400)}${']'.repeat(400)},`.repeat(n / 801)}0]`,
};

describe('JsonDocument', () => {
  it('finds every value of any JSON text at its place', () => {
    fc.assert(
      fc.property(
        fc.jsonValue({ maxDepth: 5 }),
        fc.constantFrom(undefined, 1, '\t'),
        (value, indent) => {
          const text = JSON.stringify(value, null, indent);
          const document = new JsonDocument(text);
          expect(rebuild(document, document.root)).toEqual(asEntries(JSON.parse(text)));
        },
      ),
      seeded(500),
    );
  });

  it('decodes a string however it is spelled', () => {
    fc.assert(
      fc.property(spelledString, ({ text, spelling }) => {
        const document = new JsonDocument(` ${spelling} `);
        expect(document.string(document.root)).toBe(text);
        expect(document.raw(document.root)).toBe(spelling);
      }),
      seeded(500),
    );
  });

  it('finds a member whose name is spelled with escapes', () => {
    fc.assert(
      fc.property(spelledString, ({ text, spelling }) => {
        const document = new JsonDocument(`{${spelling}:7}`);
        expect(document.raw(document.get(document.root, text))).toBe('7');
      }),
      seeded(200),
    );
  });

  it('tells names apart as decoding them would, without decoding', () => {
    const piece = fc.constantFrom(
      ...[
        'a',
        'b',
        'u',
        '0',
        '\\u0061',
        '\\u0062',
        '\\u00E9',
        '\\u00e9',
        '\\u005c',
        '\\\\',
        '\\"',
        '/',
        '\\/',
      ],
      ...['\\b', '\\f', '\\n', '\\r', '\\t', '\\u000A', '\\ud83d', '\\ude00'],
    );
    const spelling = fc.array(piece, { maxLength: 3 }).map((pieces) => `"${pieces.join('')}"`);
    fc.assert(
      fc.property(spelling, spelling, (key, other) => {
        const document = new JsonDocument(key);
        const name = JSON.parse(other) as string;
        const parse = vi.spyOn(JSON, 'parse');
        const isNamed = document.isNamed(document.root, name);
        expect(parse).not.toHaveBeenCalled();
        parse.mockRestore();
        expect(isNamed).toBe(JSON.parse(key) === name);
      }),
      seeded(3_000),
    );
  });

  it('keeps duplicate members in order and answers the last one', () => {
    const document = new JsonDocument('{"a":1,"b":2,"\\u0061":3}');
    expect(document.members(document.root).map(({ value }) => document.raw(value))).toEqual([
      '1',
      '2',
      '3',
    ]);
    expect(document.raw(document.get(document.root, 'a'))).toBe('3');
  });

  it.each(['', '__proto__', 'constructor', 'toString'])(
    'treats %j as a name like any other',
    (name) => {
      const text = `{${JSON.stringify(name)}:{"x":1}}`;
      const document = new JsonDocument(text);
      expect(document.raw(document.at(document.root, name, 'x'))).toBe('1');
      expect(document.get(new JsonDocument('{}').root, 'x')).toBe(NONE);
    },
  );

  it('answers NONE for a name that is not there, whatever Object.prototype holds', () => {
    const document = new JsonDocument('{"a":1}');
    expect(document.get(document.root, 'toString')).toBe(NONE);
    expect(document.at(document.root, 'a', 'b', 'c')).toBe(NONE);
  });

  it.each(['12345678901234567890123', '1.0', '1E400', '-0', '0.10'])(
    'keeps the spelling of %s',
    (number) => {
      const document = new JsonDocument(`[${number}]`);
      expect(document.items(document.root).map((item) => document.raw(item))).toEqual([number]);
    },
  );

  it.each(Object.entries(SHAPES))('reads %s in linear time', (_name, shape) => {
    const growth = growthOverFourfold(200_000, (n) => {
      const text = shape(n);
      return () => {
        const document = new JsonDocument(text);
        document.members(document.root);
        document.items(document.root);
        document.string(document.root);
      };
    });
    expect(growth).toBeLessThan(10);
  });
});
