import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { without } from '../../support/json-path.ts';
import { redactEvent } from '../../support/redact.ts';
import { seeded } from '../../support/seeded.ts';
import { CANARY, everySensitiveEvent, OTHER_CANARY, sensitiveEvent } from './sensitive-events.ts';

/** Everything of an event that is stored. */
const stored = (text: string) => JSON.stringify(redactEvent(text));
/** Pseudonyms are made to differ. */
const PSEUDONYM = /id_[a-p]{16}/g;
const hasDuplicates = (text: string) => JSON.stringify(JSON.parse(text)).length < text.length / 1.7;

describe('redaction of events', () => {
  it.each(everySensitiveEvent)('lets nothing through of %s', (_name, event) => {
    expect(event(CANARY)).toContain(CANARY);
    expect(stored(event(CANARY))).not.toContain(CANARY);
  });

  it('lets nothing through wherever it stands and however it is spelled', () => {
    fc.assert(
      fc.property(sensitiveEvent, (event) => {
        expect(stored(event(CANARY))).not.toContain(CANARY);
      }),
      seeded(4_000),
    );
  });

  it('stores the same of two values, but for their pseudonyms', () => {
    fc.assert(
      fc.property(sensitiveEvent, (event) => {
        const [one, other] = [CANARY, OTHER_CANARY].map((value) =>
          stored(event(value)).replace(PSEUDONYM, 'id_'),
        );
        expect(one).toBe(other);
      }),
      seeded(1_000),
    );
  });

  it('stores the same every time', () => {
    fc.assert(
      fc.property(sensitiveEvent, (event) => {
        expect(stored(event(CANARY))).toBe(stored(event(CANARY)));
      }),
      seeded(200),
    );
  });

  it('changes nothing but what it lists', () => {
    fc.assert(
      fc.property(sensitiveEvent, (event) => {
        const text = event(CANARY);
        fc.pre(!hasDuplicates(text));
        const { text: redacted, fields } = redactEvent(text);
        // A name that changed has no path in what came.
        fc.pre(fields.every(({ rule }) => rule !== 'identifier'));
        const paths = fields.map(({ path }) => path);
        expect(without(JSON.parse(redacted), paths)).toEqual(without(JSON.parse(text), paths));
      }),
      seeded(1_000),
    );
  });

  it('keeps spelling and white space between the values it replaces', () => {
    const text = '{ "n" : 1.50,\t"\\u0073ql":"x",\r\n "m": 1E2, "m": [ ] }';
    expect(redactEvent(text).text).toBe('{ "n" : 1.50,\t"\\u0073ql":"?",\r\n "m": 1E2, "m": [ ] }');
  });

  it('changes nothing more when it runs again', () => {
    fc.assert(
      fc.property(sensitiveEvent, (event) => {
        const once = redactEvent(event(CANARY)).text;
        expect(redactEvent(once)).toMatchObject({ text: once, fields: [] });
      }),
      seeded(1_000),
    );
  });

  it('lists each change with a rule, a coarse size and how much of a statement was read', () => {
    const { fields } = redactEvent(
      '{"job":{"facets":{"sql":{"query":"select 1 from a_table"},"sourceCode":{"sourceCode":"x = 1"}}}}',
    );
    expect(fields).toEqual([
      { path: '$.job.facets.sql.query', rule: 'sql', mode: 'full', bytesBucket: 32 },
      { path: '$.job.facets.sourceCode.sourceCode', rule: 'dropped', bytesBucket: 16 },
    ]);
  });

  it.each(['null', '""', '{}', '[]', '{ }', '[\n]'])(
    'keeps an empty value: that it is empty (%s) is evidence',
    (empty) => {
      for (const [facet, member] of Object.entries({
        sql: 'query',
        sourceCode: 'sourceCode',
        x: 'token',
      })) {
        const text = `{"job":{"facets":{"${facet}":{"${member}":${empty}}}}}`;
        expect(redactEvent(text)).toMatchObject({ text, fields: [] });
      }
    },
  );

  it('is not fooled by a value that only looks like a marker', () => {
    for (const name of ['sql', 'note']) {
      const text = `{"${name}":"[redacted:sql] Bearer ${CANARY}${CANARY}"}`;
      expect(redactEvent(text).text).not.toContain(CANARY);
    }
  });
});
