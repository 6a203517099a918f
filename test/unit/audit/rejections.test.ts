import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fixedPath, namedRule } from '../../../lambdas/domain/audit/rejections.ts';
import { acceptBatch } from '../../../lambdas/domain/openlineage/accept-batch.ts';
import { acceptance } from '../../support/builders.ts';

describe('a path in a sample', () => {
  it.each([
    ['$', '$'],
    ['$.run.runId', '$.run.runId'],
    ['$.inputs[17].name', '$.inputs[].name'],
    ['$[3].job.namespace', '$[].job.namespace'],
    ['$.resourceSpans[0].scopeSpans[12].spans', '$.resourceSpans[].scopeSpans[].spans'],
    ['$.run.facets.alice_smith.query', '$.run.facets.*'],
    ["$.run.facets['a.run']", '$.run.facets.*'],
    ["$['run']", '$.*'],
    ['$.', '$.*'],
  ])('%s is written as %s', (path, fixed) => {
    expect(fixedPath(path)).toBe(fixed);
  });

  it('is made of nothing but names that the receiver knows, whatever comes', () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), fc.stringMatching(/^\$(\.[a-z]{1,4}|\[\d\])*$/)),
        (path) => {
          expect(fixedPath(path)).toMatch(
            /^\$(\.(run|runId|job|dataset|inputs|outputs|name|namespace|facets|scope|spans|resource|traceId|spanId|event(Type|Time)|producer|schemaURL|resourceSpans|scopeSpans)|\[\])*(\.\*)?$/,
          );
        },
      ),
    );
  });
});

describe('a rule in a counter', () => {
  it('is one of ours or has no name', () => {
    expect(namedRule('longer_than_1024_bytes')).toBe('longer_than_1024_bytes');
    for (const odd of ['', 'Alice Smith', 'a'.repeat(65), 'a-b', '1']) {
      expect(namedRule(odd)).toBe('unnamed_rule');
    }
  });

  it('names every refusal of the receiver, with a path that is left whole', () => {
    const items = ['7', '{}', '{', '{"run":1}', '{"run":{"runId":""},"job":{}}', '{"job":7}'];
    const refused = acceptBatch(items.join('\n'), acceptance()).flatMap((item) =>
      'refused' in item ? item.violations : [],
    );
    expect(refused.length).toBeGreaterThan(items.length);
    for (const { rule, path } of refused) {
      expect([namedRule(rule), fixedPath(path)]).toEqual([rule, path]);
    }
  });
});
