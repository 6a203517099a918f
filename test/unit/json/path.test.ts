import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { itemPath, memberPath, ROOT_PATH } from '../../../lambdas/domain/json/path.ts';
import { type Step, stepsOf } from '../../support/json-path.ts';
import { seeded } from '../../support/seeded.ts';

const pathOf = (steps: readonly Step[]) =>
  steps.reduce<string>(
    (path, step) => (typeof step === 'number' ? itemPath(path, step) : memberPath(path, step)),
    ROOT_PATH,
  );

const units = fc
  .array(fc.oneof(fc.constantFrom("'", '"', '\\', '.', '[', ']', '$', 'u', '\n'), fc.nat(0xffff)), {
    maxLength: 8,
  })
  .map((parts) =>
    parts.map((part) => (typeof part === 'number' ? String.fromCharCode(part) : part)).join(''),
  );
const step = fc.oneof(units, fc.nat(99), fc.constantFrom('facets', '_x1', '0', '__proto__', ''));

describe('json paths', () => {
  it('lead back to exactly the steps they were made of', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 5 }), (steps) => {
        expect(stepsOf(pathOf(steps))).toEqual(steps);
      }),
      seeded(2_000),
    );
  });

  it('tell an index from a name of digits', () => {
    expect(pathOf([0])).toBe('$[0]');
    expect(pathOf(['0'])).toBe("$['0']");
  });
});
