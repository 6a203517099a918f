import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { without } from '../../support/json-path.ts';
import { redactEvent } from '../../support/redact.ts';
import { withoutValues } from '../../support/without-values.ts';

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
  'functions, operators and columns of an expression':
    '{"job":{"facets":{"lineage":{"entries":[{"type":"DATASET","namespace":"n","name":"t","fields":{"total":{"inputs":[{"type":"DATASET","namespace":"n","name":"s","field":"amount","transformations":[{"type":"DIRECT","subtype":"AGGREGATION","description":"sum()"},{"type":"DIRECT","description":"sum(amount) / count(distinct buyer)"}]}]}}}]}}}}',
  'classes of errors and teams':
    '{"run":{"facets":{"errorMessage":{"programmingLanguage":"JAVA"},"processing_engine":{"name":"spark","version":"3.5.1"}}},"job":{"facets":{"ownership":{"owners":[{"name":"team:data","type":"MAINTAINER"}]}}}}',
  'a statement without a value':
    '{"job":{"facets":{"sql":{"query":"SELECT a, b FROM t WHERE c IS NULL AND d = $1","dialect":"postgres"}}}}',
  'lists of statements':
    '{"job":{"facets":{"sql":{"query":["SELECT a FROM t","SELECT b FROM t"]}}}}',
  'tags of the controls, whatever they look like':
    '{"run":{"facets":{"tags":{"tags":[{"key":"lineage.batch","value":"4111111111111111"}]}}}}',
  'texts of facets that nobody knows, whatever they are called':
    '{"run":{"facets":{"acme_thing":{"conf":{"mode":"full"},"owner":"ops","description":"a nightly load","args":["--all"],"params":{"n":"one"}}}}}',
  'JSON in a text, to the space':
    '{"run":{"facets":{"acme":{"raw":"{ \\"a\\" : [ 1.50, \\"b\\" ] }"}}}}',
  'surrogates, alone and in pairs, and what is no character':
    '{"run":{"facets":{"a\\ud800":{"x\\u0000":"\\ud83d\\ude00 \\udc00 \\u0000","\\u0061":"\\/"}}}}',
  'numbers that no double can hold':
    '{"outputs":[{"outputFacets":{"outputStatistics":{"rowCount":9007199254740993,"size":1.0}}}]}',
};

describe('redaction', () => {
  it.each(Object.entries(KEPT))('keeps %s', (_what, text) => {
    expect(redactEvent(text)).toMatchObject({ text, fields: [] });
  });

  it('has the real events to work on', () => {
    expect(fixtures).toHaveLength(23);
  });

  it.each(fixtures)('keeps %s outside the listed paths', (_name, text) => {
    const { text: stored, fields } = redactEvent(text);
    const paths = fields.map(({ path }) => path);
    expect(without(JSON.parse(stored), paths)).toEqual(without(JSON.parse(text), paths));
  });

  it.each(fixtures)('keeps the bytes of %s around each redacted value', (_name, text) => {
    const { text: stored, fields } = redactEvent(text);
    const paths = [...new Set(fields.map(({ path }) => path))];
    expect(withoutValues(stored, paths)).toBe(withoutValues(text, paths));
  });

  it('takes user info out of a namespace and keeps the rest as the key it is', () => {
    const { text, fields } = redactEvent(
      '{"inputs":[{"namespace":"postgres://u:secretpw@h:5432","name":"a.b"}]}',
    );
    expect(text).toBe('{"inputs":[{"namespace":"postgres://h:5432","name":"a.b"}]}');
    expect(fields).toMatchObject([{ path: '$.inputs[0].namespace', rule: 'url_user_info' }]);
  });

  it('makes an identity a pseudonym when a secret is left in it without its user info', () => {
    const { text, fields } = redactEvent(
      '{"job":{"namespace":"s3://u:p@h/AKIAABCDEFGHIJKLMNOP","name":"j"}}',
    );
    expect(text).toMatch(/^\{"job":\{"namespace":"id_[a-p]{16}","name":"j"\}\}$/);
    expect(fields).toMatchObject([{ path: '$.job.namespace', rule: 'identifier' }]);
  });
});
