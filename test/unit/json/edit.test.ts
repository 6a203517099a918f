import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { applyEdits, type Edit } from '../../../lambdas/domain/json/edit.ts';
import { seeded } from '../../support/seeded.ts';

const textAndEdits = fc
  .tuple(
    fc.string({ maxLength: 60 }),
    fc.array(fc.tuple(fc.nat(9), fc.nat(5), fc.string()), { maxLength: 6 }),
  )
  .map(([text, steps]) => {
    const edits: Edit[] = [];
    let at = 0;
    for (const [gap, length, replacement] of steps) {
      const start = at + gap;
      const end = start + length;
      if (end > text.length) break;
      edits.push({ start, end, replacement });
      at = end;
    }
    return { text, edits };
  });

describe('applyEdits', () => {
  it('keeps everything between the edits to the byte', () => {
    fc.assert(
      fc.property(textAndEdits, ({ text, edits }) => {
        // From the back, one at a time: another way to the same text.
        const expected = edits
          .toReversed()
          .reduce(
            (now, { start, end, replacement }) =>
              now.slice(0, start) + replacement + now.slice(end),
            text,
          );
        expect(applyEdits(text, edits)).toBe(expected);
      }),
      seeded(300),
    );
  });

  it.each([
    [
      'overlap',
      [
        { start: 0, end: 2, replacement: '' },
        { start: 1, end: 3, replacement: '' },
      ],
    ],
    [
      'are out of order',
      [
        { start: 2, end: 3, replacement: '' },
        { start: 0, end: 1, replacement: '' },
      ],
    ],
    ['end before they start', [{ start: 3, end: 2, replacement: '' }]],
  ])('refuses edits that %s', (_what, edits) => {
    expect(() => applyEdits('abcdef', edits)).toThrow(RangeError);
  });
});
