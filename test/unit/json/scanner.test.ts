import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonSyntaxError, Kind, MAX_DEPTH, scan } from '../../../lambdas/domain/json/scanner.ts';
import { seeded } from '../../support/seeded.ts';

const accepts = (read: (text: string) => unknown, text: string): boolean => {
  try {
    read(text);
    return true;
  } catch {
    return false;
  }
};

/** JSON text that was hit by a few random edits: mostly broken, sometimes still whole. */
const mutatedJson = fc
  .tuple(
    fc.json({ maxDepth: 4 }),
    fc.array(
      fc.record({
        at: fc.nat(200),
        remove: fc.nat(3),
        insert: fc.constantFrom(
          ...[
            '"',
            '\\',
            '{',
            '}',
            '[',
            ']',
            ',',
            ':',
            '0',
            '-',
            '+',
            '.',
            'e',
            'E',
            'u',
            ' ',
            '\n',
            '\t',
          ],
          ...[
            '\u0000',
            '\u001f',
            '\u00a0',
            '\u2028',
            '\ufeff',
            '\ud800',
            '1e5',
            '01',
            '\\u12',
            '\\x',
            'true',
            'nul',
            '//',
          ],
        ),
      }),
      { maxLength: 3 },
    ),
  )
  .map(([text, edits]) =>
    edits.reduce((current, { at, remove, insert }) => {
      const from = at % (current.length + 1);
      return current.slice(0, from) + insert + current.slice(from + remove);
    }, text),
  );

describe('scan', () => {
  it('accepts exactly what JSON.parse accepts', () => {
    fc.assert(
      fc.property(mutatedJson, (text) => {
        expect(accepts(scan, text)).toBe(accepts(JSON.parse, text));
      }),
      seeded(3_000),
    );
  });

  it.each(['NaN', 'Infinity', '-Infinity', '[NaN,-Infinity]', '{"a": Infinity }'])(
    'also accepts %s, which Python writes',
    (text) => {
      expect(() => scan(text)).not.toThrow();
    },
  );

  it.each(['-NaN', 'nan', '+Infinity', 'Infinity1', 'NaNN', '- Infinity', '-Infinit', 'infinity'])(
    'refuses %s, which nobody writes',
    (text) => {
      expect(() => scan(text)).toThrow(JsonSyntaxError);
    },
  );

  it.each([
    ['', 'unexpected_end', 0],
    ['{"a" 1}', 'expected_colon', 5],
    ['{a:1}', 'expected_key', 1],
    ['{"a":1,}', 'expected_key', 7],
    ['[1,]', 'unexpected_character', 3],
    ['[1', 'unexpected_end', 2],
    ['[1 2]', 'expected_comma_or_end', 3],
    ['1 2', 'more_than_one_value', 2],
    ['"a', 'unterminated_string', 2],
    ['"\n"', 'control_character_in_string', 1],
    ['"\\x"', 'invalid_escape', 1],
    ['-x', 'invalid_number', 1],
    ['tru', 'unexpected_character', 0],
  ])('names what is wrong with %j', (text, code, offset) => {
    expect(() => scan(text)).toThrow(expect.objectContaining({ code, offset }));
  });

  it.each(['{"a\\u00e9":[-1.5e+10,"b\\n",true,{"c":[]}]}', '-12.5E-3', '"\\ud83d"'])(
    'does not read on in the text before where %s breaks off',
    (whole) => {
      for (let cut = 0; cut <= whole.length; cut++) {
        scan(whole);
        const text = whole.slice(0, cut);
        expect(accepts(scan, text), text).toBe(accepts(JSON.parse, text));
      }
    },
  );

  it.each([32_767, 32_768, 32_769, 70_000])('reads all of a text of %i units', (length) => {
    const text = `"${'€'.repeat(length - 2)}"`;
    expect([...scan(text)]).toEqual([Kind.string, 0, length, 1]);
    expect(() => scan(text.slice(0, -1))).toThrow(
      expect.objectContaining({ code: 'unterminated_string', offset: length - 1 }),
    );
  });

  it('never quotes the text it refuses', () => {
    fc.assert(
      fc.property(mutatedJson, (text) => {
        try {
          scan(`{"canarycanary": ${text} canarycanary`);
        } catch (error) {
          expect(String(error)).not.toContain('canary');
        }
      }),
      seeded(200),
    );
  });

  it('accepts containers down to the depth bound', () => {
    expect(() => scan('['.repeat(MAX_DEPTH) + ']'.repeat(MAX_DEPTH))).not.toThrow();
  });

  it.each([MAX_DEPTH + 1, 1_000_000])('refuses %i levels without using the stack', (depth) => {
    expect(() => scan('['.repeat(depth))).toThrow(expect.objectContaining({ code: 'too_deep' }));
  });
});
