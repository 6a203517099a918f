import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonDocument } from '../../../lambdas/domain/json/document.ts';
import { eventPolicy } from '../../../lambdas/domain/redaction/event-policy.ts';
import { redactWholeValues } from '../../../lambdas/domain/redaction/whole-value.ts';
import { without } from '../../support/json-path.ts';
import { seeded } from '../../support/seeded.ts';
import { CANARY, everySensitiveEvent, sensitiveEvent } from './sensitive-events.ts';

const redact = (text: string) => redactWholeValues(new JsonDocument(text), eventPolicy);
const hasDuplicates = (text: string) => JSON.stringify(JSON.parse(text)).length < text.length / 1.7;

describe('redaction of events', () => {
  it.each(everySensitiveEvent)('lets nothing through of %s', (_name, text) => {
    expect(text).toContain(CANARY);
    expect(redact(text).text).not.toContain(CANARY);
  });

  it('lets nothing through wherever it stands and however it is spelled', () => {
    fc.assert(
      fc.property(sensitiveEvent, (text) => {
        expect(redact(text).text).not.toContain(CANARY);
      }),
      seeded(2_000),
    );
  });

  it('names paths without a byte of what stood there', () => {
    fc.assert(
      fc.property(sensitiveEvent, (text) => {
        expect(JSON.stringify(redact(text).fields)).not.toContain(CANARY);
      }),
      seeded(300),
    );
  });

  it('changes nothing but what it lists', () => {
    fc.assert(
      fc.property(sensitiveEvent, (text) => {
        fc.pre(!hasDuplicates(text));
        const { text: stored, fields } = redact(text);
        const paths = fields.map(({ path }) => path);
        expect(without(JSON.parse(stored), paths)).toEqual(without(JSON.parse(text), paths));
      }),
      seeded(600),
    );
  });

  it('keeps spelling and white space between the values it replaces', () => {
    const text = '{ "n" : 1.50,\t"\\u0073ql":"x",\r\n "m": 1E2, "m": [ ] }';
    expect(redact(text).text).toBe(
      '{ "n" : 1.50,\t"\\u0073ql":"[redacted:sql]",\r\n "m": 1E2, "m": [ ] }',
    );
  });

  it('changes nothing more when it runs again', () => {
    fc.assert(
      fc.property(sensitiveEvent, (text) => {
        const once = redact(text).text;
        expect(redact(once)).toEqual({ text: once, fields: [] });
      }),
      seeded(600),
    );
  });

  it('lists each change with a rule and a coarse size', () => {
    const { fields } = redact('{"job":{"facets":{"sql":{"query":"select 1 from a_table"}}}}');
    expect(fields).toEqual([{ path: '$.job.facets.sql.query', rule: 'sql', bytesBucket: 32 }]);
  });

  it.each(['null', '""', '{}', '[]'])(
    'keeps an empty value: that it is empty (%s) is evidence',
    (empty) => {
      const text = `{"job":{"facets":{"sql":{"query":${empty}}}}}`;
      expect(redact(text)).toEqual({ text, fields: [] });
    },
  );

  it('is not fooled by a value that only looks like a marker', () => {
    for (const name of ['sql', 'note']) {
      const text = `{"${name}":"[redacted:sql] Bearer ${CANARY}"}`;
      expect(redact(text).text).not.toContain(CANARY);
    }
  });
});
