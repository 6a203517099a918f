import fc from 'fast-check';

/** Text between two tokens, as no printer of ours would write it. */
const space = fc.constantFrom('', '', '', ' ', '\n', '\t ', '\r\n  ');

/** Spellings that a parse-and-print would change. */
const number = fc.constantFrom(
  ...[
    '0',
    '-0',
    '1.50',
    '1e3',
    '1E+02',
    '9007199254740993',
    '0.30000000000000000004',
    '1e400',
    'NaN',
    '-Infinity',
  ],
);

const character = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...'abcxyzäß€😀 _-./') },
  fc.constantFrom('\\n', '\\"', '\\\\', '\\/', '\\u00e9', '\\u0000', '\\ud83d\\ude00', '\\ud800'),
);
const text = fc.array(character, { maxLength: 12 }).map((parts) => `"${parts.join('')}"`);

/** Names of members that no rule of redaction knows; some with an escape. */
const name = fc
  .tuple(fc.constantFrom('acme', 'x_', 'größe', '\\u0061b', 'Z9'), fc.nat(50))
  .map(([stem, n]) => `"${stem}${n}"`);

const joined = (open: string, items: readonly string[], close: string, gap: string) =>
  `${open}${gap}${items.join(`${gap},${gap}`)}${gap}${close}`;

const { value } = fc.letrec<{ value: string; object: string }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    number,
    text,
    fc.constantFrom('true', 'false', 'null', '{}', '[]'),
    fc
      .tuple(fc.array(tie('value'), { maxLength: 4 }), space)
      .map(([items, gap]) => joined('[', items, ']', gap)),
    tie('object'),
  ),
  object: fc
    .tuple(
      fc.uniqueArray(fc.tuple(name, tie('value')), {
        maxLength: 5,
        selector: ([key]) => JSON.parse(key),
      }),
      space,
    )
    .map(([members, gap]) =>
      joined(
        '{',
        members.map(([key, inner]) => `${key}${gap}:${gap}${inner}`),
        '}',
        gap,
      ),
    ),
}));

const DELETED = '"acme_gone":{"_deleted":true}';

/** A map of facets: unknown ones with anything in them, and sometimes one that is redacted. */
const facets = fc
  .tuple(fc.array(value, { maxLength: 3 }), fc.option(text), space)
  .map(([values, statement, gap]) => {
    const members = values.map((inner, i) => `"acme_facet${i}":${gap}${inner}`);
    if (statement !== null) members.push(`"sql":${gap}{"query":${statement}}`, DELETED);
    return joined('{', members, '}', gap);
  });

const dataset = (kind: 'input' | 'output') =>
  fc
    .tuple(facets, facets, fc.nat(9))
    .map(
      ([own, more, n]) =>
        `{"namespace":"urn:n","facets":${own},"name":"d${n}","${kind}Facets":${more}}`,
    );

/** Events of every kind with unknown content at every place that facets can nest in, as raw JSON text. */
export const randomEvent: fc.Arbitrary<string> = fc
  .record({
    kind: fc.constantFrom('run', 'run', 'job', 'dataset'),
    facets: fc.tuple(facets, facets, facets, facets),
    inputs: fc.array(dataset('input'), { maxLength: 2 }),
    outputs: fc.array(dataset('output'), { maxLength: 2 }),
    runId: fc.uuid(),
    extra: value,
    gap: space,
  })
  .map(({ kind, facets: [own, job, parent, root], inputs, outputs, runId, extra, gap }) => {
    const members = [
      `"acme_top":${extra}`,
      '"producer":"urn:p","eventTime":"2026-03-04T05:06:00Z","eventType":"OTHER"',
      `"outputs":[${outputs.join(`,${gap}`)}]`,
      `"inputs":[${inputs.join(',')}]`,
    ];
    if (kind === 'run') members.push(`"run":${runWithParents(own, parent, root, runId)}`);
    if (kind === 'dataset') members.push(`"dataset":{"facets":${own},"namespace":"n","name":"d"}`);
    else members.push(`"job":{"name":"j","facets":${job},"namespace":"n"}`);
    return joined('{', members, '}', gap);
  });

function runWithParents(own: string, parent: string, root: string, runId: string): string {
  const job = '"job":{"namespace":"n","name":"p"}';
  const rootRun = `"root":{"run":{"runId":"r","facets":${root}},${job}}`;
  const parentFacet = `"parent":{"run":{"runId":"p","facets":${parent}},${job},${rootRun}}`;
  const isEmpty = /^\{\s*\}$/.test(own);
  return `{"facets":${own.replace('{', `{${parentFacet}${isEmpty ? '' : ','}`)},"runId":"${runId}"}`;
}
