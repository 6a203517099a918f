import fc from 'fast-check';
import { ATTRIBUTE_NAMES, ATTRIBUTES } from '../../../lambdas/domain/redaction/attribute-table.ts';
import { exportOf, SPAN_2, span, TRACE_B } from '../traces/exports.ts';

/** An export as text, for a canary that stands in it somewhere. */
export type ExportWith = (canary: string) => string;

type Json = unknown;
type With<T> = (canary: string) => T;
type Attribute = { readonly key: Json; readonly value?: Json };

/** Texts in which a value stands that the treatment of their attribute must find. */
const TEXTS: Readonly<Record<string, ReadonlyArray<With<string>>>> = {
  drop: [(c) => c, (c) => `{"a":"${c}"}`],
  pseudonym: [(c) => c],
  sql: [
    (c) => `SELECT a FROM t WHERE b = '${c}'`,
    (c) => `UPDATE t SET b = '${c}' WHERE c = "${c}"`,
    (c) => `not even SQL ${c}`,
    (c) => `{"find":"users","filter":{"name":"${c}"}}`,
    (c) => c,
  ],
  expression: [(c) => `a = '${c}'`, (c) => `no expression: '${c}`],
  error: [
    (c) => c,
    (c) => `DETAIL:  Key (email)=(${c}) already exists.`,
    (c) => `java.lang.IllegalStateException: ${c}\n\tat a.B.c(B.java:1)`,
  ],
  command: [(c) => `mysql --password ${c} db`, (c) => `TOKEN=${c} run`],
  url: [(c) => `postgres://u:${c}@h/db?password=${c}`],
  request: [(c) => `https://h/p?q=${c}#${c}`, (c) => `https://u:${c}@h/p`],
};

/** In any other text: what a detector is sure of, and SQL. */
const FOUND_ANYWHERE: ReadonlyArray<With<string>> = [
  (c) => `used password=${c}`,
  (c) => `postgres://u:${c}@h/db`,
  (c) => `Bearer ${c}`,
  (c) => `${c}@example.com`,
  (c) => `SELECT a FROM t WHERE b = '${c}'`,
  (c) => `{"password":"${c}"}`,
  (c) => `[{"note":"see https://u:${c}@h/p"}]`,
  (c) => JSON.stringify({ q: `SELECT a FROM t WHERE b = '${c}'` }),
  (c) => JSON.stringify({ deep: JSON.stringify({ sql: `SELECT '${c}'` }) }),
  (c) => JSON.stringify([{ key: 'password', value: c }]),
];

const listed = Object.entries(ATTRIBUTES).flatMap(([namespace, names]) =>
  Object.entries(names).flatMap(([treatment, list]) =>
    list
      .split(' ')
      .map((name) => [name === '.' ? `${namespace}.zz` : `${namespace}.${name}`, treatment]),
  ),
) as ReadonlyArray<readonly [string, string]>;
const named = Object.entries(ATTRIBUTE_NAMES).flatMap(([treatment, list]) =>
  list.split(' ').map((name) => [`acme.${name}`, treatment]),
) as ReadonlyArray<readonly [string, string]>;
const credentials = ['password', 'acme.api.key', 'db_token', 'acme.client_secret.old'].map(
  (name) => [name, 'drop'] as const,
);

/** Names of attributes with a text that their treatment, or a scan, must find something in. */
const cases = [...listed, ...named, ...credentials].flatMap(([key, treatment]) =>
  (TEXTS[treatment] ?? FOUND_ANYWHERE).map((text) => ({ key, treatment, text })),
);

interface Case {
  readonly key: string;
  readonly treatment: string;
  readonly text: With<string>;
}

const text = (stringValue: string) => ({ stringValue });
const spelled = (key: string) =>
  fc.oneof(
    fc.constant(key),
    fc.constant(key.toUpperCase()),
    fc.constant(key.replaceAll('_', '-')),
    fc.constant(`${key}.0`),
  );

/** A value as AnyValue, in whatever part of it the text stands. */
const values: ReadonlyArray<(inner: string) => Json> = [
  text,
  text,
  (inner) => ({ string_value: inner }),
  (inner) => ({ arrayValue: { values: [text('a'), text(inner)] } }),
  (inner) => ({ array_value: { values: [{ arrayValue: { values: [text(inner)] } }] } }),
  (inner) => ({ kvlistValue: { values: [{ key: 'a', value: text(inner) }] } }),
  (inner) => ({
    kvlistValue: {
      values: [
        { key: 'a', value: { kvlistValue: { values: [{ key: 'b', value: text(inner) }] } } },
      ],
    },
  }),
  (inner) => ({ stringValue: '', unknownValue: [inner] }),
  (inner) => ({ intValue: inner }),
];

/** A list of arguments has no text of its own: each of its items is a word. */
const isWhole = ({ treatment }: Case) => treatment === 'command';

const attributeOf = (one: Case): fc.Arbitrary<With<Attribute>> =>
  fc.tuple(spelled(one.key), fc.nat(values.length - 1), fc.nat(7)).map(([key, shape, how]) => {
    const valueWith: With<Json> = (canary) =>
      (values[shape] as (inner: string) => Json)(one.text(canary));
    const forms: ReadonlyArray<With<Attribute>> = [
      (canary) => ({ key, value: valueWith(canary) }),
      (canary) => ({ key, value: valueWith(canary) }),
      // One attribute inside another, whose name says nothing.
      (canary) => ({
        key: 'acme.zz',
        value: { kvlistValue: { values: [{ key, value: valueWith(canary) }] } },
      }),
      (canary) => ({
        key: 'acme.zz',
        value: text(
          JSON.stringify({ [key]: isWhole(one) ? one.text(canary) : [one.text(canary)] }),
        ),
      }),
      (canary) => ({
        key: 'acme.zz',
        value: text(JSON.stringify({ a: [{ key, value: one.text(canary) }] })),
      }),
      (canary) => ({ key, [`Value${shape}`]: one.text(canary) }),
      (canary) => ({ value: valueWith(canary), Key: key, key }) as Attribute,
      (canary) => ({ key, value: one.text(canary) }),
    ];
    return forms[how] as With<Attribute>;
  });

/** Where attributes stand. */
const placed: ReadonlyArray<(attribute: Attribute) => string> = [
  (attribute) => exportOf(span({ attributes: [attribute] })),
  (attribute) => exportOf(span({ events: [{ name: 'e', attributes: [attribute] }] })),
  (attribute) =>
    exportOf(span({ links: [{ traceId: TRACE_B, spanId: SPAN_2, attributes: [attribute] }] })),
  (attribute) => around({ resource: { attributes: [attribute] } }),
  (attribute) => around({}, { scope: { name: 's', attributes: [attribute] } }),
  (attribute) => exportOf(span({ acme: { attributes: [attribute] } })),
  ({ key, value }) =>
    exportOf({ ...span(), attributes: { [String(key)]: value ?? null, other: 1 } }),
];

function around(resource: object, scope: object = {}): string {
  const [resourceSpans] = JSON.parse(exportOf(span())).resourceSpans;
  const [scopeSpans] = resourceSpans.scopeSpans;
  return JSON.stringify({
    resourceSpans: [{ ...resourceSpans, scopeSpans: [{ ...scopeSpans, ...scope }], ...resource }],
  });
}

/** What is no attribute. */
const members: ReadonlyArray<ExportWith> = [
  ...FOUND_ANYWHERE.flatMap((found): ExportWith[] => [
    (c) => exportOf(span({ name: found(c) })),
    (c) => exportOf(span({ events: [{ name: found(c) }] })),
    (c) => exportOf(span({ acme: { zz: [found(c)] } })),
    (c) => around({}, { scope: { name: found(c), version: found(c) } }),
    (c) => around({ schemaUrl: found(c) }),
    (c) => exportOf(span({ kind: found(c) })),
    (c) => exportOf(span({ flags: found(c), droppedEventsCount: found(c) })),
    (c) => exportOf(span({ startTimeUnixNano: found(c), parentSpanId: found(c) })),
    (c) => exportOf(span({ attributes: [{ key: found(c), value: text('a') }] })),
  ]),
  (c) => exportOf(span({ traceState: `vendor=${c}` })),
  (c) => exportOf(span({ trace_state: [c] })),
  (c) => exportOf(span({ links: [{ traceId: TRACE_B, spanId: SPAN_2, traceState: c }] })),
  (c) => exportOf(span({ status: { code: 2, message: c } })),
  (c) => exportOf(span({ status: { code: c } })),
  (c) => exportOf(span({ status: { code: { a: [c] } } })),
  (c) => exportOf(span({ Status: { Message: { text: c } } })),
  (c) => exportOf(span({ attributes: [{ key: 'acme.zz', value: { bytesValue: c } }] })),
  (c) =>
    exportOf(span({ attributes: [{ key: [c], value: text(c) }] }).valueOf() as object).replace(
      JSON.stringify([c]),
      '["password"]',
    ),
  (c) => exportOf(span({ password: { a: c }, query: { a: `SELECT '${c}'` } })),
  // Of two keys or two values a reader takes one.
  (c) => exportOf(span({ attributes: [{ key: 'a', value: text(c), Key: 'password' }] })),
  (c) =>
    exportOf(span({ attributes: [{ key: 'FIRST', value: text(c) }] })).replace(
      '"key":"FIRST"',
      '"key":"password","key":"a"',
    ),
  (c) =>
    exportOf(span({ attributes: [{ key: 'password', value: 0 }] })).replace(
      '"value":0',
      `"value":{"stringValue":"a"},"value":{"stringValue":"${c}"}`,
    ),
];

/** Spells letters of every string as escapes, by a seed: names as well as values. */
function escaped(json: string, seed: number): string {
  let state = seed;
  return json.replace(/"(?:[^"\\]|\\.)*"/gs, (string) =>
    string.replace(/\\.|[a-z]/gis, (found) => {
      state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
      if (found.length > 1 || state % 4 !== 0) return found;
      return `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`;
    }),
  );
}

const plainExport: fc.Arbitrary<ExportWith> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .constantFrom(...cases)
      .chain((one) => fc.tuple(attributeOf(one), fc.constantFrom(...placed)))
      .map(
        ([attribute, place]): ExportWith =>
          (canary) =>
            place(attribute(canary)),
      ),
  },
  { weight: 1, arbitrary: fc.constantFrom(...members) },
);

/** Exports with a canary wherever a rule must find it, however it is spelled. */
export const exportWithCanary: fc.Arbitrary<ExportWith> = fc
  .tuple(plainExport, fc.option(fc.nat(), { nil: undefined }))
  .map(([make, seed]): ExportWith => {
    if (seed === undefined) return make;
    return (canary) => escaped(make(canary), seed);
  });

/** Names of people get a pseudonym, which differs for each of them. */
export const everyCase: ReadonlyArray<readonly [string, ExportWith]> = cases.map(
  ({ key, treatment, text: textOf }) => [
    `${key} (${treatment})`,
    (canary) => exportOf(span({ attributes: [{ key, value: text(textOf(canary)) }] })),
  ],
);
