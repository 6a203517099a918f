import { describe, expect, it } from 'vitest';
import { redactSpans as redact } from '../../support/redact.ts';
import { exportOf, RUN, SPAN_2, span, TRACE_B } from '../traces/exports.ts';

const CANARY = 'canary-48211907';
const attribute = (key: string, stringValue: string = CANARY) => ({ key, value: { stringValue } });
const statement = `SELECT * FROM customers WHERE email = '${CANARY}'`;

const places: ReadonlyArray<readonly [string, object]> = [
  ['a statement attribute', span({ attributes: [attribute('db.query.text')] })],
  [
    'a query parameter that is a number',
    span({ attributes: [{ key: 'db.query.parameter.0', value: { intValue: CANARY } }] }),
  ],
  [
    'a nested list of pairs',
    span({
      attributes: [
        { key: 'app.request', value: { kvlistValue: { values: [attribute('password')] } } },
      ],
    }),
  ],
  [
    'a nested array',
    span({
      attributes: [
        { key: 'app.log', value: { arrayValue: { values: [{ stringValue: statement }] } } },
      ],
    }),
  ],
  [
    'a whole list under a sensitive key',
    span({
      attributes: [
        {
          key: 'process.command_args',
          value: { arrayValue: { values: [{ stringValue: CANARY }] } },
        },
      ],
    }),
  ],
  [
    'snake case values',
    span({
      attributes: [
        {
          key: 'app.x',
          value: { kvlist_value: { values: [{ key: 'token', value: { string_value: CANARY } }] } },
        },
      ],
    }),
  ],
  [
    'values beside a sensitive key, whatever they are called',
    span({
      attributes: ['Value', 'value_', 'stringValue', 'VALUE', 'note'].map((name) => ({
        key: 'password',
        [name]: { stringValue: CANARY },
      })),
    }),
  ],
  [
    'values beside a key in another case, or one that is no text',
    span({
      attributes: [
        { Key: 'db.query.text', value: { stringValue: CANARY } },
        { key: ['password'], value: { stringValue: CANARY } },
        { key: { stringValue: 'password' }, value: { stringValue: CANARY } },
      ],
    }),
  ],
  [
    'attributes that are an object',
    {
      ...span({}),
      attributes: {
        'gen_ai.prompt': CANARY,
        'url.query': CANARY,
        'http.request.header.x': CANARY,
        aws_secret_access_key: CANARY,
      },
    },
  ],
  [
    'members of a span in another case',
    span({
      Status: { message: CANARY },
      tracestate: CANARY,
      TraceState: CANARY,
      BytesValue: CANARY,
    }),
  ],
  ['a status code that is a text', span({ status: { code: CANARY } })],
  [
    'a statement far behind in a text',
    span({ attributes: [attribute('app.x', `${'x'.repeat(5_000)} ${statement}`)] }),
  ],
  ['bytes', span({ attributes: [{ key: 'app.blob', value: { bytesValue: CANARY } }] })],
  [
    'bytes in snake case',
    span({ attributes: [{ key: 'app.blob', value: { bytes_value: CANARY } }] }),
  ],
  [
    'JSON inside a string',
    span({ attributes: [attribute('app.body', `{"customer":"${CANARY}"}`)] }),
  ],
  [
    'a JSON array inside a string',
    span({ attributes: [attribute('app.rows', ` ["a", "password=${CANARY}"] `)] }),
  ],
  [
    'a secret behind its name',
    span({ attributes: [attribute('app.note', `used password: ${CANARY}`)] }),
  ],
  [
    'a key that contains a credential word',
    span({ attributes: [attribute('app.db_password_old')] }),
  ],
  [
    'an exception event',
    span({
      events: [
        {
          name: 'exception',
          attributes: [attribute('exception.message'), attribute('exception.stacktrace')],
        },
      ],
    }),
  ],
  [
    'the detail of a loss',
    span({ events: [{ name: 'lineage.dropped', attributes: [attribute('detail')] }] }),
  ],
  ['an event name that is SQL', span({ events: [{ name: statement }] })],
  [
    'a link',
    span({
      links: [
        {
          traceId: TRACE_B,
          spanId: SPAN_2,
          traceState: CANARY,
          attributes: [attribute('db.statement')],
        },
      ],
    }),
  ],
  ['a trace state in snake case', span({ trace_state: `vendor=${CANARY}` })],
  ['a trace state that is no string', span({ traceState: { vendor: CANARY } })],
  ['a status message', span({ status: { code: 2, message: CANARY } })],
  ['a span name that is SQL', span({ name: statement })],
  ['a span name with SQL inside', span({ name: `pg.query: ${statement}` })],
  [
    'free text under a lineage attribute',
    span({ attributes: [attribute('lineage.detail'), attribute('lineage.note', statement)] }),
  ],
  ['a member that OTLP does not know', span({ password: CANARY, message: [CANARY] })],
];

describe('spanPolicy', () => {
  it.each(places)('replaces %s', (_place, item) => {
    const text = exportOf(item);
    expect(text).toContain(CANARY);

    const redacted = redact(text);

    expect(redacted.text).not.toContain(CANARY);
    expect(redacted.fields.length).toBeGreaterThan(0);
    expect(JSON.stringify(redacted.fields)).not.toContain(CANARY);
  });

  it.each([
    ['resource', '"resource":{"attributes":['],
    ['scope', '"scope":{"attributes":['],
  ])('replaces sensitive attributes of the %s', (name, opening) => {
    const text = exportOf(span()).replace(
      new RegExp(`"${name}":\\{("attributes":\\[)?`),
      (found) =>
        found.endsWith('[')
          ? `${opening}${JSON.stringify(attribute('process.environment_variable.HOME'))},`
          : `${opening}${JSON.stringify(attribute('process.environment_variable.HOME'))}],`,
    );
    expect(text).toContain(CANARY);

    expect(redact(text).text).not.toContain(CANARY);
  });

  it('keeps what the join and the controls read', () => {
    const kept = [
      span({
        runIds: [RUN],
        attributes: [
          attribute('lineage.actor', 'supplied'),
          attribute('lineage.dropped', 'true'),
          attribute('db.system.name', 'postgresql'),
        ],
        events: [
          { name: 'lineage.dropped', attributes: [attribute('reason', 'emit-failed')] },
          { name: 'exception', attributes: [attribute('exception.type', 'LineageEmissionError')] },
        ],
        status: { code: 2 },
        name: 'mcp.execute_sql',
      }),
    ];
    const text = exportOf(...kept);

    expect(redact(text)).toEqual({ text, fields: [], facts: {} });
  });

  it('puts well-formed OTLP in the place of a value', () => {
    const text = exportOf(
      span({
        attributes: [attribute('db.query.text'), { key: 'blob', value: { bytesValue: 'AAAA' } }],
        traceState: 'a=b',
      }),
    );
    const [redacted] = JSON.parse(redact(text).text).resourceSpans[0].scopeSpans[0].spans;

    expect(redacted).toMatchObject({
      traceState: '',
      attributes: [
        { key: 'db.query.text', value: { stringValue: '?' } },
        { key: 'blob', value: { bytesValue: '' } },
      ],
    });
  });

  it('changes nothing the second time', () => {
    const once = redact(exportOf(...places.map(([, item]) => item)));

    expect(redact(once.text)).toMatchObject({ text: once.text, fields: [] });
  });
});
