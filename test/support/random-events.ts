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

/** A map of facets: unknown ones with anything in them, and sometimes one that is redacted. */
const facets = fc
  .tuple(fc.array(value, { maxLength: 3 }), fc.option(text), space)
  .map(([values, statement, gap]) => {
    const members = values.map((inner, i) => `"acme_facet${i}":${gap}${inner}`);
    if (statement !== null) members.push(`"sql":${gap}{"query":${statement}}`);
    return joined('{', members, '}', gap);
  });

const dataset = (kind: 'input' | 'output') =>
  fc
    .tuple(facets, facets, fc.nat(9))
    .map(
      ([own, more, n]) =>
        `{"namespace":"urn:n","facets":${own},"name":"d${n}","${kind}Facets":${more}}`,
    );

/** Run events with unknown content at every place that facets can nest in, as raw JSON text. */
export const randomEvent: fc.Arbitrary<string> = fc
  .tuple(
    facets,
    facets,
    facets,
    facets,
    fc.array(dataset('input'), { maxLength: 2 }),
    fc.array(dataset('output'), { maxLength: 2 }),
    fc.uuid(),
    fc.tuple(value, space),
  )
  .map(([run, parentRun, rootRun, job, inputs, outputs, runId, [extra, gap]]) => {
    const parent = `{"run":{"runId":"p","facets":${parentRun}},"job":{"namespace":"n","name":"p"},"root":{"run":{"runId":"r","facets":${rootRun}},"job":{"namespace":"n","name":"r"}}}`;
    const runFacets = run.replace('{', `{"parent":${parent}${/^\{\s*\}$/.test(run) ? '' : ','}`);
    return joined(
      '{',
      [
        `"acme_top":${extra}`,
        `"run":{"facets":${runFacets},"runId":"${runId}"}`,
        '"producer":"urn:p","eventTime":"2026-03-04T05:06:00Z","eventType":"OTHER"',
        `"outputs":[${outputs.join(`,${gap}`)}]`,
        `"inputs":[${inputs.join(',')}]`,
        `"job":{"name":"j","facets":${job},"namespace":"n"}`,
      ],
      '}',
      gap,
    );
  });
