import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonDocument } from '../../../lambdas/domain/json/document.ts';
import { readExport } from '../../../lambdas/domain/traces/otlp.ts';
import { without } from '../../support/json-path.ts';
import { redactSpans } from '../../support/redact.ts';
import { seeded } from '../../support/seeded.ts';
import { canary } from './canaries.ts';
import { everyCase, exportWithCanary } from './sensitive-spans.ts';

const CANARY = canary('spans');
const OTHER = canary('other spans');

/** Everything that is stored, with escapes read, in any case. */
const stored = (text: string) => {
  const redacted = redactSpans(text);
  const read = JSON.stringify([JSON.parse(redacted.text), redacted.fields, redacted.facts]);
  return { redacted, read: read.toLowerCase() };
};
/** Pseudonyms are keyed by what they stand for; sizes are no more than their bucket. */
const withoutPseudonyms = (text: string) => text.replaceAll(/id_[a-p]{16}/g, 'id_');
const hasDuplicates = (text: string) => /"(?:key|value)":[^,]*,"(?:key|value)":.*"key"/i.test(text);

describe('redaction of spans', () => {
  it('finds a value in every attribute that a table has', () => {
    const survived = everyCase.filter(([, make]) =>
      stored(make(CANARY)).read.includes(CANARY.toLowerCase()),
    );
    expect(survived.map(([name]) => name)).toEqual([]);
  });

  it('lets nothing through wherever it stands and however it is spelled', () => {
    fc.assert(
      fc.property(exportWithCanary, (make) => {
        expect(stored(make(CANARY)).read).not.toContain(CANARY.toLowerCase());
      }),
      seeded(20_000),
    );
  });

  it('says the same of two values, but for the pseudonym of a person', () => {
    fc.assert(
      fc.property(exportWithCanary, (make) => {
        expect(withoutPseudonyms(redactSpans(make(CANARY)).text)).toBe(
          withoutPseudonyms(redactSpans(make(OTHER)).text),
        );
      }),
      seeded(3_000),
    );
  });

  it('changes nothing more when it runs again', () => {
    fc.assert(
      fc.property(exportWithCanary, (make) => {
        const { text } = redactSpans(make(CANARY));
        expect(redactSpans(text)).toMatchObject({ text, fields: [] });
      }),
      seeded(3_000),
    );
  });

  it('changes nothing but what it lists, and no span is lost', () => {
    fc.assert(
      fc.property(exportWithCanary, (make) => {
        const text = make(CANARY);
        const { redacted } = stored(text);
        const spans = (json: string) =>
          readExport(new JsonDocument(json)).spans.map(({ traceId, spanId }) => traceId + spanId);
        expect(spans(redacted.text)).toEqual(spans(text));
        fc.pre(!hasDuplicates(text));
        const paths = redacted.fields.map(({ path }) => path);
        expect(without(JSON.parse(redacted.text), paths)).toEqual(without(JSON.parse(text), paths));
      }),
      seeded(2_000),
    );
  });
});
