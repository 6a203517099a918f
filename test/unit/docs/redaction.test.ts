import { describe, expect, it } from 'vitest';
import { eventPolicy } from '../../../lambdas/domain/redaction/event-policy.ts';
import { ruleForName } from '../../../lambdas/domain/redaction/sensitive-names.ts';
import { spanPolicy } from '../../../lambdas/domain/redaction/span-policy.ts';
import { readDocument, rowsUnder } from '../../support/markdown.ts';

const doc = readDocument('docs/redaction.md');
const names = rowsUnder(doc, 'By name, anywhere in an event or a span');
const facets = rowsUnder(doc, 'Whole facets of an event');
const members = rowsUnder(doc, 'Members that are sensitive in one facet only');
const prefixes = rowsUnder(doc, 'Attributes of spans, by prefix');

const words = (rows: readonly string[][]) =>
  rows.flatMap(([rule = '', list = '']) =>
    list.split(' ').map((word): [string, string] => [word, rule]),
  );
const eventRule = (...names: string[]) =>
  names.reduce((above, name) => eventPolicy.placeOf(name, above), eventPolicy.root).rule;
const ruleInFacet = (facet: string, member: string) => eventRule('run', 'facets', facet, member);

/** What stands in the source between two texts: the tables there are private, and a policy cannot be asked for its list. */
function source(file: string, from: string, to: string): string {
  const text = readDocument(`lambdas/domain/redaction/${file}.ts`);
  const start = text.indexOf(from);
  const end = text.indexOf(to, start);
  if (start === -1 || end === -1) throw new Error(`${file}.ts does not hold ${from} … ${to}`);
  return text.slice(start, end);
}

describe('docs/redaction.md says what the code does', () => {
  it.each(words(names))('the name %s goes under %s', (name, rule) => {
    expect(ruleForName(name)).toBe(rule);
  });

  it.each(facets as [string, string][])('the facet %s goes whole under %s', (facet, rule) => {
    expect(ruleInFacet(facet, 'anything')).toBe(rule);
  });

  it.each(members as [string, string, string][])('%s.%s goes under %s', (facet, member, rule) => {
    expect(ruleInFacet(facet, member)).toBe(rule);
  });

  it.each(words(prefixes))('the attribute %s goes under %s', (prefix, rule) => {
    expect(spanPolicy.placeOfValue([`${prefix}x`], spanPolicy.root).rule).toBe(rule);
  });

  it.each(['query', 'owner'])('a column may be called %s', (column) => {
    expect(eventRule('outputs', 'facets', 'columnLineage', 'fields', column)).toBeUndefined();
  });
});

describe('the code does nothing that docs/redaction.md does not say', () => {
  it('about names', () => {
    const block = source('sensitive-names', 'Object.entries({', '}).flatMap');
    const coded = [...block.matchAll(/(\w+):\s*'([^']+)'/g)].map(([, rule, list]) => [rule, list]);
    expect(names).toEqual(coded);
  });

  it('about facets', () => {
    const block = source('facet-rules', 'FACETS_WITHOUT_CONTENT:', '/** Members');
    const coded = [...block.matchAll(/'?([\w.-]+)'?: '(\w+)',/g)].map(([, facet, rule]) => [
      facet,
      rule,
    ]);
    expect(facets).toEqual(coded);
  });

  it('about members', () => {
    const block = source('facet-rules', 'FACET_MEMBERS:', '/** Maps keyed');
    const coded = [...block.matchAll(/(\w+): byPlainName\(\{([^}]+)\}\)/g)].flatMap(
      ([, facet, body = '']) =>
        [...body.matchAll(/(\w+): '(\w+)'/g)].map(([, member, rule]) => [facet, member, rule]),
    );
    expect(members).toEqual(coded);
  });

  it('about maps by column', () => {
    const block = source('facet-rules', 'COLUMN_MAPS:', '/** Entities');
    const coded = [...block.matchAll(/^ {2}(\w+): \[([^\]]+)\]/gm)];
    expect(coded).not.toEqual([]);
    for (const [, facet, maps = ''] of coded) {
      const paths = [...maps.matchAll(/'([^']+)'/g)].map(([, path]) => `\`${path}\``).join(', ');
      expect(doc.replaceAll('\n', ' ')).toContain(`\`${facet}\` (${paths})`);
    }
  });

  it('about attributes', () => {
    const block = source('span-policy', 'RULE_BY_PREFIX:', '/** Members of OTLP');
    const coded = [...block.matchAll(/\['([^']+)', '(\w+)'\]/g)].map(([, prefix, rule]) => [
      prefix,
      rule,
    ]);
    expect(words(prefixes).toSorted()).toEqual(coded.toSorted());
  });

  it('about policies', () => {
    for (const { id } of [eventPolicy, spanPolicy]) expect(doc).toContain(`\`${id}\``);
  });
});
