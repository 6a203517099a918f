import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { JsonDocument } from '../../../lambdas/domain/json/document.ts';
import { eventPolicy } from '../../../lambdas/domain/redaction/event-policy.ts';
import { redactWholeValues } from '../../../lambdas/domain/redaction/whole-value.ts';
import { without } from '../../support/json-path.ts';

const redact = (text: string) => redactWholeValues(new JsonDocument(text), eventPolicy);

const FIXTURES = new URL('../../fixtures/openlineage-events/', import.meta.url);
const fixtures = readdirSync(FIXTURES).map(
  (name) => [name, readFileSync(new URL(name, FIXTURES), 'utf8')] as const,
);

/** What must come through to the byte, and why somebody needs it. */
const KEPT: Record<string, string> = {
  'columns that are called like secrets':
    '{"outputs":[{"facets":{"columnLineage":{"fields":{"query":{"inputFields":[{"namespace":"n","name":"t","field":"owner"}]},"owner":{"inputFields":[]},"message":{"inputFields":[]}}}}}]}',
  'columns of the lineage facet':
    '{"job":{"facets":{"lineage":{"entries":[{"type":"DATASET","namespace":"n","name":"t","fields":{"password":{"inputs":[]}}}]}}},"dataset":{"facets":{"lineage":{"fields":{"token":{"inputs":[]}}}}}}',
  'schema fields':
    '{"outputs":[{"facets":{"schema":{"fields":[{"name":"query","type":"string"},{"name":"email","type":"text"}]}}}]}',
  'lineage tags':
    '{"run":{"facets":{"tags":{"tags":[{"key":"lineage.derivation","value":"parsed-intent","source":"INTEGRATION"},{"key":"lineage.actor","value":"supplied"}]}}}}',
  'unknown facets':
    '{"run":{"facets":{"acme_thing":{"_producer":"urn:x","level":3,"list":[1.50,null,{"a":"b"}]}}}}',
  'the parent':
    '{"run":{"facets":{"parent":{"run":{"runId":"a"},"job":{"namespace":"n","name":"j"},"root":{"run":{"runId":"b"}}}}}}',
  'the trace context':
    '{"run":{"facets":{"bearingnode_traceContext":{"traceId":"0af7651916cd43dd8448eb211c80319c","spanId":"b7ad6b7169203331"}}}}',
  'names of facets':
    '{"run":{"facets":{"environmentVariables":{"_producer":"p","environmentVariables":[{"name":"HOME"}]}}}}',
  'the container of an abfss path':
    '{"inputs":[{"namespace":"abfss://container@account.dfs.core.windows.net","name":"/a?b=c"}]}',
  'dashed job names that start with a verb':
    '{"job":{"namespace":"n","name":"copy-s3-to-redshift"}}',
  'numbers that no double can hold':
    '{"outputs":[{"outputFacets":{"outputStatistics":{"rowCount":9007199254740993,"size":1.0}}}]}',
};

describe('redaction', () => {
  it.each(Object.entries(KEPT))('keeps %s', (_what, text) => {
    expect(redact(text)).toEqual({ text, fields: [] });
  });

  it('has the real events to work on', () => {
    expect(fixtures).toHaveLength(23);
  });

  it.each(fixtures)('keeps %s outside the listed paths', (_name, text) => {
    const { text: stored, fields } = redact(text);
    const paths = fields.map(({ path }) => path);
    expect(without(JSON.parse(stored), paths)).toEqual(without(JSON.parse(text), paths));
  });

  it.each(fixtures)('keeps the bytes of %s around each replaced value', (_name, text) => {
    const { text: stored, fields } = redact(text);
    const pieces = stored.split(/"\[redacted:[a-z_]+\]"/);
    let at = 0;
    for (const piece of pieces) {
      const found = text.indexOf(piece, at);
      expect(found).toBeGreaterThanOrEqual(at);
      at = found + piece.length;
    }
    expect(pieces.length - 1).toBe(fields.length);
  });

  it('takes user info out of a namespace and keeps the rest as the key it is', () => {
    const { text, fields } = redact(
      '{"inputs":[{"namespace":"postgres://u:secretpw@h:5432","name":"a.b"}]}',
    );
    expect(text).toBe('{"inputs":[{"namespace":"postgres://h:5432","name":"a.b"}]}');
    expect(fields).toMatchObject([{ path: '$.inputs[0].namespace', rule: 'url_user_info' }]);
  });

  it('replaces an identity whole when a secret is left in it without its user info', () => {
    const { text } = redact('{"job":{"namespace":"s3://u:p@h/AKIAABCDEFGHIJKLMNOP","name":"j"}}');
    expect(text).toBe('{"job":{"namespace":"[redacted:secret]","name":"j"}}');
  });
});
