import { expect, it } from 'vitest';
import { STORE_QUALIFICATIONS } from '../../../lambdas/domain/qualification.ts';
import { readDocument, rowsUnder } from '../../support/markdown.ts';

/** Literals by which the code names a departure or a refusal; what is composed has its own line. */
const NAMES = [
  /deviations\.add\('(\w+)'\)/g,
  /deviation: '(\w+)'/g,
  /deviations: \['(\w+)'\]/g,
  /rule: '(\w+)'/g,
];
const COMPOSED = [
  'job_name_empty',
  'job_namespace_empty',
  'dataset_name_empty',
  'dataset_namespace_empty',
  'longer_than_1024_bytes',
  'more_than_1000_items',
];

it('docs/api.md names every deviation and every refusal of an event', () => {
  const doc = readDocument('docs/api.md');
  const sources = [
    'lambdas/domain/openlineage/event.ts',
    'lambdas/domain/openlineage/event-time.ts',
    'lambdas/domain/openlineage/accept-batch.ts',
    'lambdas/shared/http/body.ts',
  ].map(readDocument);
  const coded = NAMES.flatMap((pattern) =>
    sources.flatMap((text) => [...text.matchAll(pattern)].map(([, name]) => name as string)),
  );
  expect(coded.length).toBeGreaterThan(12);
  for (const name of [...coded, ...COMPOSED]) expect(doc).toContain(`\`${name}\``);
});

it('docs/api.md is the table of what the store says about an answer', () => {
  expect(rowsUnder(readDocument('docs/api.md'), 'Qualifications')).toEqual(
    Object.entries(STORE_QUALIFICATIONS).map(([code, { of, means }]) => [code, of, means]),
  );
});
