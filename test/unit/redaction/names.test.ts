import { describe, expect, it } from 'vitest';
import { redactEvent, valueRedactor } from '../../support/redact.ts';
import { CANARY } from './sensitive-events.ts';

const URL_NAME = `postgres://u:${CANARY}@h/db`;
const pseudonym = (name: string) => valueRedactor().pseudonym(name);

/** Values that stand below a name with a secret, where other rules have a say as well. */
const PLACES: Record<string, (named: string) => string> = {
  'an event': (named) => `{${named}}`,
  facets: (named) => `{"run":{"facets":{${named}}}}`,
  'a facet': (named) => `{"run":{"facets":{"x":{"a":[{${named}}]}}}}`,
  environment: (named) =>
    `{"run":{"facets":{"environmentVariables":{"environmentVariables":[{"name":{${named}}}]}}}}`,
  columns: (named) => `{"outputs":[{"facets":{"columnLineage":{"fields":{${named}}}}}]}`,
};
const VALUES = ['{"sql":"y"}', '[1,"x"]', '"text"', '0', 'true', '{}', 'null', '""'];
const everywhere = Object.entries(PLACES).flatMap(([what, place]) =>
  VALUES.map((value) => [what, value, place(`"${URL_NAME}":${value},"kept":1.50`)] as const),
);

describe('a member name that is data', () => {
  it.each(everywhere)('is a pseudonym in %s, above %s', (_what, _value, text) => {
    const once = redactEvent(text);
    expect(JSON.stringify(once)).not.toContain(CANARY);
    expect(redactEvent(once.text)).toMatchObject({ text: once.text, fields: [] });
  });

  it('is declared, its value is judged by itself, and nothing else changes', () => {
    const text = `{ "run": {"facets":{"x":{"${URL_NAME}" : {"token":"y"}, "n": 1.50}}}}`;
    const path = `$.run.facets.x.${pseudonym(URL_NAME)}`;
    expect(redactEvent(text)).toMatchObject({
      text: `{ "run": {"facets":{"x":{"${pseudonym(URL_NAME)}" : {"token":"[redacted:credential]"}, "n": 1.50}}}}`,
      fields: [
        { path, rule: 'identifier', bytesBucket: 64 },
        { path: `${path}.token`, rule: 'credential', bytesBucket: 16 },
      ],
    });
  });

  it('says no more what it named, also when the redactor comes back to it', () => {
    const text = `{"run":{"facets":{"x":{"token=${CANARY}":"y"}}}}`;
    expect(redactEvent(text).text).toContain(':"y"');
  });

  it.each([
    ['escaped', `\\u0070ostgres:\\/\\/u:${CANARY}@h/db`],
    ['a token', `Bearer ${CANARY}${CANARY}`],
    ['a statement', `select a from t where b = '${CANARY}'`],
    ['an address', `${CANARY}@h.example`],
    ['a card', '4111 1111 1111 1111'],
    ['long', `${'x '.repeat(50_000)}password=${CANARY}`],
  ])('is found when it is %s', (_how, name) => {
    const decoded = JSON.parse(`"${name}"`) as string;
    expect(redactEvent(`{"a":{"${name}":0}}`).text).toBe(`{"a":{"${pseudonym(decoded)}":0}}`);
  });

  it('is no column or facet that only sounds like one', () => {
    const text =
      '{"run":{"facets":{"update_from":{"selected values":1,"https://x/y?page=2":2,"card_2026":3}}}}';
    expect(redactEvent(text)).toMatchObject({ text, fields: [] });
  });

  it('is the same path for two names of one pseudonym', () => {
    const { text, fields } = redactEvent(`{"a":[{"x@h.example":0},{"x@h.example":1}]}`);
    const name = pseudonym('x@h.example');
    expect(text).toBe(`{"a":[{"${name}":0},{"${name}":1}]}`);
    expect(fields.map(({ path }) => path)).toEqual([`$.a[0].${name}`, `$.a[1].${name}`]);
  });
});

/** Names that a column may have and that say more than a name. */
const COLUMNS = [
  'jane.roe@example.com',
  '4111111111111111',
  '123456789',
  '078-05-1120',
  '0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b',
  'room 101',
  'a/b',
  'x'.repeat(129),
  'jane@example.com \ud83d\ude00',
];

describe('a column that is data', () => {
  it.each(COLUMNS)('has one pseudonym wherever it stands: %s', (column) => {
    const { text } = redactEvent(
      JSON.stringify({
        run: { facets: { tags: { tags: [{ key: 'k', value: 'v', field: column }] } } },
        job: {
          facets: {
            sql: { query: `SELECT "${column}" FROM t`, dialect: 'postgres' },
            lineage: { entries: [{ fields: { [column]: { inputs: [{ field: column }] } } }] },
          },
        },
        outputs: [
          {
            facets: {
              schema: { fields: [{ name: column }, { name: 'a', fields: [{ name: column }] }] },
              columnLineage: {
                fields: { [column]: { inputFields: [{ field: column }] } },
                dataset: [{ field: column }],
              },
              lineage: { fields: { [column]: { inputs: [{ field: column }] } } },
              dataQualityMetrics: { columnMetrics: { [column]: { nullCount: 1 } } },
              dataQualityAssertions: { assertions: [{ column }] },
              icebergScanReport: { projectedFieldNames: [column] },
              subset: { outputCondition: { left: { field: column } } },
            },
          },
        ],
      }),
    );
    expect(text).not.toContain(JSON.stringify(column).slice(1, -1));
    expect(text.split(pseudonym(column)).length - 1).toBe(15);
    expect(text.match(/id_[a-p]{16}/g)).toHaveLength(15);
  });

  it.each(['email', 'events_20240101', 'größe', 'a b', 'query', 'x-y', 'password'])(
    'is none that is only a name: %s',
    (column) => {
      const text = JSON.stringify({
        dataset: {
          facets: {
            schema: { fields: [{ name: column }] },
            columnLineage: { fields: { [column]: { inputFields: [{ field: column }] } } },
            dataQualityMetrics: { columnMetrics: { [column]: { nullCount: 1 } } },
          },
        },
      });
      expect(redactEvent(text)).toMatchObject({ text, fields: [] });
    },
  );
});

describe('an identity that is data', () => {
  it('has one pseudonym wherever it stands', () => {
    const namespace = 'AKIAABCDEFGHIJKLMNOP';
    const name = 'mail jane@example.com';
    const runId = '?token=abc';
    const { text } = redactEvent(
      JSON.stringify({
        run: {
          runId,
          facets: {
            parent: { run: { runId }, job: { namespace, name }, root: { run: { runId } } },
            jobDependencies: { upstream: [{ job: { namespace, name }, run: { runId } }] },
          },
        },
        job: {
          namespace,
          name,
          facets: {
            lineage: { entries: [{ namespace, name, runId, inputs: [{ namespace, name }] }] },
          },
        },
        inputs: [
          {
            namespace,
            name,
            facets: {
              symlinks: { identifiers: [{ namespace, name }] },
              hierarchy: { hierarchy: [{ name }] },
              lifecycleStateChange: { previousIdentifier: { namespace, name } },
            },
          },
        ],
      }),
    );
    const count = (of: string) => text.split(`"${pseudonym(of)}"`).length - 1;
    expect([namespace, name, runId].map(count)).toEqual([8, 9, 5]);
    expect(text).not.toMatch(/AKIA|token=|jane/);
  });

  it('is one as a number, too', () => {
    const { text } = redactEvent('{"job":{"namespace":"n","name":4111111111111111}}');
    expect(text).toBe(`{"job":{"namespace":"n","name":"${pseudonym('4111111111111111')}"}}`);
  });
});
