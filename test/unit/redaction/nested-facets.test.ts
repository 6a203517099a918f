import { describe, expect, it } from 'vitest';
import { JsonDocument } from '../../../lambdas/domain/json/document.ts';
import { eventPolicy } from '../../../lambdas/domain/redaction/event-policy.ts';
import { redactWholeValues } from '../../../lambdas/domain/redaction/whole-value.ts';
import { CANARY } from './sensitive-events.ts';

const redact = (facets: object) =>
  redactWholeValues(new JsonDocument(JSON.stringify({ run: { facets } })), eventPolicy);

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
  'a head that is an array': { debug: { _schemaURL: [CANARY] } },
  'a head deeper down': { environmentVariables: { environmentVariables: [{ _producer: CANARY }] } },
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
    expect(redactWholeValues(new JsonDocument(once.text), eventPolicy)).toEqual({
      text: once.text,
      fields: [],
    });
  });

  it.each(Object.entries(KEPT))('leave %s', (_what, facets) => {
    expect(redact(facets)).toEqual({ text: JSON.stringify({ run: { facets } }), fields: [] });
  });
});
