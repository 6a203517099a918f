import { expect, it } from 'vitest';
import { DEVIATIONS, REFUSALS } from '../../../lambdas/domain/openlineage/departures.ts';
import { readDocument } from '../../support/markdown.ts';

/** Code that names a departure or a refusal without a type that would hold it to the table. */
const UNTYPED = ['lambdas/shared/http/body.ts'];

it('every departure and refusal outside the typed code stands in the tables', () => {
  const named = UNTYPED.map(readDocument).flatMap((text) =>
    [...text.matchAll(/(?:rule: |deviations: \[)'(\w+)'/g)].map(([, name]) => name as string),
  );
  expect(named.length).toBeGreaterThan(2);
  for (const name of named) expect({ ...DEVIATIONS, ...REFUSALS }).toHaveProperty(name);
});
