import { describe, expect, it } from 'vitest';
import { redactEvent } from '../../support/redact.ts';
import { CANARY } from './sensitive-events.ts';

const redact = (facets: object) => redactEvent(JSON.stringify({ run: { facets } }));

const STATEMENT = `SELECT a FROM t WHERE b = '${CANARY}'`;

const HIDDEN: Record<string, object> = {
  'an outer rule': { ownership: { owners: [{ facets: { a: { name: CANARY } } }] } },
  'an outer rule for an identifier': { hive_session: { facets: { a: { sessionId: CANARY } } } },
  'an outer rule for the facet itself': { ownership: { facets: { name: { x: CANARY } } } },
  'an outer rule two levels up': {
    ownership: { facets: { hive_session: { facets: { a: { name: CANARY } } } } },
  },
  'an outer rule around a parent': {
    ownership: { facets: { parent: { run: { facets: { a: { name: CANARY } } } } } },
  },
  'an outer rule through facets called facets': {
    ownership: { facets: { facets: { a: { name: CANARY } } } },
  },
  'a name that is harmless as a facet': { acme: { facets: { password: { x: CANARY } } } },
  'an inner rule': { acme: { facets: { ownership: { name: CANARY } } } },
  'a container in the wrong place of a parent': {
    parent: { facets: { password: { x: CANARY } } },
  },
  'a head that is an object': { debug: { _producer: { x: CANARY } } },
  'a head that is an array': { debug: { _schemaURL: [{ x: CANARY }] } },
  'a head deeper down': { environmentVariables: { environmentVariables: [{ _producer: CANARY }] } },
  'a container in other spelling': { acme: { Input_Facets: { sql: { query: CANARY } } } },
  'a container that is a text': { facets: JSON.stringify({ debug: { x: CANARY } }) },
  'a container that is a list': { acme: { facets: [{ debug: { x: CANARY } }] } },
  'a facet that is a text': { acme: { facets: { airflow: `{"dagRun":{"conf":"${CANARY}"}}` } } },
  'a facet that is called like a secret': { acme_token: { x: CANARY } },
  'a text that is called like a statement': { raw_sql: CANARY },
  'texts in texts': {
    acme: JSON.stringify(JSON.stringify({ a: JSON.stringify([STATEMENT]) })),
  },
  'texts in texts, too deep to look into': {
    acme: [0, 1, 2, 3].reduce<string>((inner) => JSON.stringify([inner]), CANARY),
  },
  'objects where a statement should stand': { sql: { query: { text: [CANARY] } } },
  'lists where a statement should stand': { sql: { query: [[CANARY]] } },
};

const KEPT: Record<string, object> = {
  'facets of a parent run': { parent: { run: { facets: { user: { level: 'a' } } } } },
  'facets of a root job': { parent: { root: { job: { facets: { user: { level: 'a' } } } } } },
  'the head of a facet': { debug: { _producer: 'urn:x', _schemaURL: 'urn:y', _deleted: true } },
  'names in a facet of an unknown one': { acme: { facets: { a: { name: 'b' } } } },
};

describe('facets inside a facet', () => {
  it.each(Object.entries(HIDDEN))('cannot get round %s', (_what, facets) => {
    const once = redact(facets);
    expect(once.text).not.toContain(CANARY);
    expect(redactEvent(once.text)).toMatchObject({ text: once.text, fields: [] });
  });

  it.each(Object.entries(KEPT))('leave %s', (_what, facets) => {
    const text = JSON.stringify({ run: { facets } });
    expect(redact(facets)).toMatchObject({ text, fields: [] });
  });
});
