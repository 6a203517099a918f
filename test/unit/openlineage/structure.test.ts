import { describe, expect, it } from 'vitest';
import { JsonDocument } from '../../../lambdas/domain/json/document.ts';
import { judgeEvent } from '../../../lambdas/domain/openlineage/event.ts';
import { runEventText } from '../../support/builders.ts';
import { growthOverFourfold } from '../../support/growth.ts';

const BASE = { _producer: 'urn:p', _schemaURL: 'urn:s' };
const RUN_ID = '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b';
const DATASET = { namespace: 'n', name: 'd' };

const judge = (event: unknown) =>
  judgeEvent(new JsonDocument(typeof event === 'string' ? event : JSON.stringify(event)))
    .deviations;
const event = (overrides: Record<string, unknown> = {}) => JSON.parse(runEventText(overrides));
const run = (facets: unknown) => event({ run: { runId: RUN_ID, facets } });
const job = (facets: unknown) => event({ job: { namespace: 'n', name: 'j', facets } });
const input = (more: object) => event({ inputs: [{ ...DATASET, ...more }] });
const output = (more: object) => event({ outputs: [{ ...DATASET, ...more }] });

describe('judgeEvent', () => {
  it.each([
    ['the specification to the letter', event()],
    ['a facet of somebody else, anywhere', run({ acme_custom: BASE })],
    [
      'facets where they are defined',
      input({ facets: { schema: BASE }, inputFacets: { subset: BASE } }),
    ],
    ['a deleted facet with its base', job({ sql: { ...BASE, _deleted: true } })],
    ['lists and facets that are empty', event({ inputs: [], outputs: [] })],
  ])('finds nothing odd in %s', (_what, given) => {
    expect(judge(given)).toEqual([]);
  });

  it.each([
    ['unknown_top_level_member', event({ facets: {} })],
    ['datasets_not_a_list', event({ inputs: null })],
    ['datasets_not_a_list', event({ outputs: {} })],
    ['dataset_unreadable', event({ inputs: [7] })],
    ['dataset_unreadable', event({ inputs: [{ namespace: 'n' }] })],
    ['dataset_unreadable', event({ outputs: [{ namespace: 'n', name: 'x'.repeat(2000) }] })],
    ['dataset_name_empty', event({ inputs: [{ namespace: 'n', name: '' }] })],
    ['dataset_namespace_empty', event({ outputs: [{ namespace: '', name: 'd' }] })],
    ['facets_not_an_object', run([])],
    ['facets_not_an_object', input({ inputFacets: 1 })],
    ['facet_not_an_object', run({ parent: null })],
    ['facet_without_producer_or_schema', run({ acme: { _producer: 'urn:p' } })],
    ['facet_without_producer_or_schema', job({ sql: { query: 'q', _deleted: true } })],
    ['facet_misplaced', run({ sql: BASE })],
    ['facet_misplaced', job({ parent: BASE })],
    ['facet_misplaced', input({ inputFacets: { schema: BASE } })],
    ['facet_misplaced', input({ outputFacets: {} })],
    ['facet_misplaced', output({ inputFacets: {} })],
    ['facet_misplaced', output({ facets: { outputStatistics: BASE } })],
    ['facet_deleted', job({ sql: { _deleted: true } })],
    ['facet_deleted_where_undefined', run({ parent: { ...BASE, _deleted: true } })],
    [
      'facet_deleted_where_undefined',
      output({ outputFacets: { outputStatistics: { ...BASE, _deleted: true } } }),
    ],
  ])('names %s', (deviation, given) => {
    expect(judge(given)).toEqual([deviation]);
  });

  it('names what a bare deletion of a run facet breaks', () => {
    expect(judge(run({ parent: { _deleted: true } }))).toEqual([
      'facet_deleted',
      'facet_deleted_where_undefined',
    ]);
  });

  it('reads names as they are decoded', () => {
    const text = runEventText().replace('"run":', '"\\u0072un":');
    expect(judge(text)).toEqual(['escaped_keys']);
  });

  it('names what the text itself departs in', () => {
    const text = JSON.stringify(run({ acme_x: BASE })).replace(
      '"urn:p"',
      '"urn:p","n":NaN,"n":1e400',
    );
    expect(judge(text)).toEqual(['duplicate_keys', 'non_finite_numbers', 'numbers_beyond_double']);
  });

  it('takes time in proportion to the event', () => {
    const growth = growthOverFourfold(3_000, (count) => {
      const names = Array.from({ length: count }, (_, i) => `f${i}`);
      const facets = Object.fromEntries(names.map((name) => [name, { ...BASE, name }]));
      const inputs = names.map((name) => ({ namespace: 'n', name, facets: {} }));
      const document = new JsonDocument(JSON.stringify({ ...run(facets), inputs }));
      return () => judgeEvent(document);
    });
    expect(growth).toBeLessThan(10);
  });
});
