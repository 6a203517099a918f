import { describe, expect, it } from 'vitest';
import { JsonDocument } from '../../../lambdas/domain/json/document.ts';
import { eventPolicy } from '../../../lambdas/domain/redaction/event-policy.ts';
import { spanPolicy } from '../../../lambdas/domain/redaction/span-policy.ts';
import { redactWholeValues } from '../../../lambdas/domain/redaction/whole-value.ts';
import { CANARY } from './sensitive-events.ts';

const URL_NAME = `postgres://u:${CANARY}@h/db`;
const MARKER = '[redacted:connection_string]';

const redactEvent = (text: string) => redactWholeValues(new JsonDocument(text), eventPolicy);
const redactSpans = (text: string) => redactWholeValues(new JsonDocument(text), spanPolicy);

/** Values that stand below a name with a secret, where other rules have a say as well. */
const PLACES: Record<string, (named: string) => string> = {
  'an event': (named) => `{${named}}`,
  facets: (named) => `{"run":{"facets":{${named}}}}`,
  'a facet': (named) => `{"run":{"facets":{"x":{"a":[{${named}}]}}}}`,
  environment: (named) =>
    `{"run":{"facets":{"environmentVariables":{"environmentVariables":[{"name":{${named}}}]}}}}`,
  columns: (named) => `{"outputs":[{"facets":{"columnLineage":{"fields":{${named}}}}}]}`,
  'a span': (named) => `{"resourceSpans":[{"scopeSpans":[{"spans":[{${named}}]}]}]}`,
  'an attribute': (named) => `{"attributes":[{"key":"a","value":{${named}}}]}`,
};
const VALUES = ['{"sql":"y"}', '[1,"x"]', '"text"', '0', 'true', '{}', 'null', '""'];
const everywhere = Object.entries(PLACES).flatMap(([what, place]) =>
  VALUES.map((value) => [what, value, place(`"${URL_NAME}":${value},"kept":1.50`)] as const),
);

describe('a member name that holds a secret', () => {
  it.each(everywhere)('is replaced in %s, above %s', (_what, _value, text) => {
    for (const redact of [redactEvent, redactSpans]) {
      const once = redact(text);
      expect(JSON.stringify(once)).not.toContain(CANARY);
      expect(redact(once.text)).toEqual({ text: once.text, fields: [] });
    }
  });

  it('goes with its value, both are declared, and nothing else changes', () => {
    const text = `{ "run": {"facets":{"x":{"${URL_NAME}" : {"sql":"y"}, "n": 1.50}}}}`;
    const path = `$.run.facets.x['${MARKER}']`;
    expect(redactEvent(text)).toEqual({
      text: `{ "run": {"facets":{"x":{"${MARKER}" : "${MARKER}", "n": 1.50}}}}`,
      fields: [
        { path, rule: 'connection_string', bytesBucket: 64 },
        { path, rule: 'connection_string', bytesBucket: 16 },
      ],
    });
  });

  it.each([
    ['escaped', `"\\u0070ostgres:\\/\\/u:${CANARY}@h/db"`, MARKER],
    ['a token', `"Bearer ${CANARY}"`, '[redacted:secret]'],
    ['a statement', `"select a from t where b = '${CANARY}'"`, '[redacted:sql]'],
    ['long', `"${'x '.repeat(50_000)}password=${CANARY}"`, MARKER],
  ])('is found when it is %s', (_how, name, marker) => {
    expect(redactEvent(`{"a":{${name}:0}}`).text).toBe(`{"a":{"${marker}":"${marker}"}}`);
  });

  it('is no column or facet that only sounds like one', () => {
    const text =
      '{"run":{"facets":{"update_from":{"selected values":1,"https://x/y?page=2":2,"a@b.example":3}}}}';
    expect(redactEvent(text)).toEqual({ text, fields: [] });
  });
});
