import { describe, expect, it } from 'vitest';
import { readPolicy } from '../../../lambdas/domain/redaction/policy.ts';
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
  'a container that is a text of a text': {
    acme: { facets: JSON.stringify(JSON.stringify({ debug: { x: CANARY } })) },
  },
  'brackets that are no JSON': { acme: { x: `[password=${CANARY} ]` } },
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

  it('are reached by the rules of a policy for the outer facet and by those for any facet', () => {
    const policy = readPolicy({ drop: ['facet:acme.facets.b.note', 'facet:c.note'] });
    const inner = { note: CANARY, kept: 'x' };
    const facets = { acme: { facets: { b: inner, c: inner } }, b: { note: 'y' } };
    const { fields } = redactEvent(JSON.stringify({ run: { facets } }), { policy });
    expect(fields.map(({ path }) => path)).toEqual([
      '$.run.facets.acme.facets.b.note',
      '$.run.facets.acme.facets.c.note',
    ]);
  });

  it('of a facet that is scanned by a rule are still what they are', () => {
    const policy = readPolicy({ strictUnknown: true, scan: ['facet:acme'] });
    const text = JSON.stringify({
      run: { facets: { acme: { note: 'x', facets: { sql: { query: `b = '${CANARY}'` } } } } },
    });
    expect(redactEvent(text, { policy }).text).not.toContain(CANARY);
    expect(redactEvent(text, { policy }).text).toContain('"note":"x"');
  });

  it('nobody knows go but for their heads under a strict policy, and stay when one keeps them', () => {
    const facet = { _producer: 'urn:p', a: { b: 'x', n: 1 } };
    const text = JSON.stringify({ run: { facets: { acme: facet, other: facet } } });
    const policy = readPolicy({ strictUnknown: true, keep: ['facet:other'] });
    expect(JSON.parse(redactEvent(text, { policy }).text).run.facets).toEqual({
      acme: { _producer: 'urn:p', a: '[redacted:dropped]' },
      other: facet,
    });
  });

  it('stay where a rule keeps them, and what a longer rule names goes', () => {
    const policy = readPolicy({
      keep: ['facet:acme', 'facet:x.a.b'],
      drop: ['facet:acme.note', 'facet:x'],
    });
    const kept = { mail: 'a@b.example', facets: { debug: { x: 'y' } } };
    const facets = { acme: { ...kept, note: 'n' }, x: { a: { b: 'kept', c: 'd' } } };
    const { text } = redactEvent(JSON.stringify({ run: { facets } }), { policy });
    expect(JSON.parse(text).run.facets).toEqual({
      acme: { ...kept, note: '[redacted:dropped]' },
      x: { a: { b: 'kept', c: '[redacted:dropped]' } },
    });
  });

  it('keep their heads behind what is dropped', () => {
    const { text } = redact({ debug: { x: 'y', _producer: 'urn:p' } });
    expect(JSON.parse(text).run.facets.debug).toEqual({
      x: '[redacted:dropped]',
      _producer: 'urn:p',
    });
  });

  it('lose numbers that are called like a secret, or are a person', () => {
    const { text } = redact({
      sql: { api_key: 12345, n: 1 },
      ownership: { owners: [{ name: 12345 }] },
      columnLineage: { fields: { password: { n: 1 } } },
    });
    expect(JSON.parse(text).run.facets).toEqual({
      sql: { api_key: '[redacted:credential]', n: 1 },
      ownership: { owners: [{ name: expect.stringMatching(/^id_[a-p]{16}$/) }] },
      columnLineage: { fields: { password: { n: 1 } } },
    });
  });

  it('are judged column by column', () => {
    const policy = readPolicy({ drop: ['facet:columnLineage.fields.b'] });
    const fields = { a: { n: 1 }, b: { n: 1 }, '*': { n: 1 } };
    const { text } = redactEvent(
      JSON.stringify({ run: { facets: { columnLineage: { fields } } } }),
      { policy },
    );
    expect(Object.values(JSON.parse(text).run.facets.columnLineage.fields)).toEqual([
      { n: 1 },
      '[redacted:dropped]',
      { n: 1 },
    ]);
    expect(redact({ columnLineage: { fields } }).fields).toMatchObject([{ rule: 'identifier' }]);
  });
});
