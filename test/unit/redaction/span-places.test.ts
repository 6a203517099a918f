import { describe, expect, it } from 'vitest';
import { readPolicy } from '../../../lambdas/domain/redaction/policy.ts';
import { runEventText } from '../../support/builders.ts';
import { growthOverFourfold } from '../../support/growth.ts';
import { redactSpans as redact, redactEvent, valueRedactor } from '../../support/redact.ts';
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

describe('spanPlaces', () => {
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

const attributesOf = (text: string) =>
  JSON.parse(text).resourceSpans[0].scopeSpans[0].spans[0].attributes as Array<{
    key: string;
    value: unknown;
  }>;
const valuesOf = (text: string) => attributesOf(text).map(({ value }) => value);
const pseudonymOf = (text: string) => valueRedactor().pseudonym(text);

describe('a statement in a span', () => {
  const inDialect = (system: object[], sql: string) => {
    const item = span({ attributes: [attribute('db.query.text', sql), ...system] });
    const { text, facts } = redact(exportOf(item));
    return { value: valuesOf(text)[0], statement: facts.statements?.[0] };
  };

  it('is read in the dialect that the span names, whichever comes first', () => {
    const sql = 'SELECT "id" FROM t -- x';
    expect(inDialect([attribute('db.system.name', 'postgresql')], sql)).toMatchObject({
      value: { stringValue: 'SELECT "id" FROM t ' },
      statement: { dialect: 'postgresql', dialectSource: 'span', verbs: ['SELECT'] },
    });
    expect(inDialect([attribute('db.system', 'mysql')], sql)).toMatchObject({
      value: { stringValue: 'SELECT ? FROM t ' },
      statement: { dialect: 'mysql' },
    });
  });

  it.each([
    ['no system', []],
    ['one that has no dialect', [attribute('db.system.name', 'other_sql')]],
    ['two that disagree', [attribute('db.system', 'mysql'), attribute('db.system', 'postgresql')]],
  ])('is read in every dialect of a span with %s', (_what, system) => {
    expect(inDialect(system, `SELECT a FROM t WHERE b = 'x'`)).toMatchObject({
      value: { stringValue: 'SELECT a FROM t WHERE b = ?' },
      statement: { dialect: 'unknown' },
    });
  });

  it('in an event or in the name has the dialect of its span, and no other span', () => {
    const system = attribute('db.system.name', 'mysql');
    const sql = 'SELECT "a" FROM t';
    const { facts } = redact(
      exportOf(
        span({
          attributes: [system],
          events: [{ name: 'e', attributes: [attribute('sql', sql)] }],
        }),
        span({ name: sql }),
      ),
    );
    expect(facts.statements).toMatchObject([{ dialect: 'mysql' }, { dialect: 'unknown' }]);
  });

  it('has the older name of its system where the newer one says nothing', () => {
    const systems = [attribute('db.system.name', 'acme'), attribute('db.system', 'mysql')];
    expect(inDialect(systems, 'SELECT 1').statement).toMatchObject({ dialect: 'mysql' });
  });

  it('inside JSON inside a text has it as well', () => {
    const system = attribute('db.system.name', 'mysql');
    const json = JSON.stringify({ a: 'SELECT "a" FROM t' });
    const { facts } = redact(exportOf(span({ attributes: [system, attribute('acme.x', json)] })));
    expect(facts.statements).toMatchObject([{ dialect: 'mysql' }]);
  });

  it('keeps its row limit and its trace parent as facts', () => {
    const parent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const sql = `SELECT a FROM t LIMIT 100 /*traceparent='${parent}'*/`;
    expect(inDialect([attribute('db.system.name', 'postgresql')], sql).statement).toMatchObject({
      limit: { kind: 'constant' },
      traceparent: parent,
    });
  });
});

describe('a value in a span', () => {
  const storedValue = (key: string, value: object | string) =>
    valuesOf(
      redact(
        exportOf(
          span({
            attributes: [
              { key, value: typeof value === 'string' ? { stringValue: value } : value },
            ],
          }),
        ),
      ).text,
    )[0];

  it.each([
    ['url.full', 'https://h/orders/7?account=4711#x', 'https://h/orders/7'],
    ['http.target', '/search?q=jane', '/search'],
    ['http.target', '/cart;jsessionid=abc?x=1', '/cart'],
    ['url.query', 'q=jane', '[redacted:dropped]'],
    [
      'db.connection_string',
      'postgres://u:p@h/db?sslmode=require',
      'postgres://h/db?sslmode=require',
    ],
    [
      'process.command_line',
      'psql --password hunter2 -h db',
      'psql --password [redacted:command] -h db',
    ],
    ['http.request.header.authorization', 'Basic x', '[redacted:credential]'],
    ['http.request.header.x-customer', '4711', '[redacted:dropped]'],
    ['acme.api.key', 'x', '[redacted:credential]'],
    ['user.id', 'jane', pseudonymOf('jane')],
    ['lineage.run_id', RUN, RUN],
    ['lineage.dropped', 'true', 'true'],
    [
      'exception.type',
      'java.lang.IllegalStateException$Inner',
      'java.lang.IllegalStateException$Inner',
    ],
    ['messaging.destination.name', 'orders', 'orders'],
    ['aws.s3.key', 'users/7/a.csv', 'users/7/a.csv'],
    ['aws.s3.key', 'of jane@example.com', pseudonymOf('of jane@example.com')],
    ['service.name', 'checkout', 'checkout'],
    ['acme.note', 'card 4111 1111 1111 1111', 'card [redacted:card_number]'],
    ['acme.json', '{"n": 1.50, "password":"x"}', '{"n": 1.50, "password":"[redacted:credential]"}'],
  ])('%s: %s', (key, text, expected) => {
    expect(storedValue(key, text)).toEqual({ stringValue: expected });
  });

  it.each([
    ['a number of a person', 'user.id', { intValue: '4711' }, 'person'],
    ['numbers of persons', 'user.id', { arrayValue: { values: [{ intValue: '4711' }] } }, 'person'],
    [
      'arguments in a list: a password says nothing of itself',
      'process.command_args',
      { arrayValue: { values: [{ stringValue: '--password' }, { stringValue: 'hunter2' }] } },
      'command',
    ],
    [
      'what is dropped, whatever it is',
      'gen_ai.prompt',
      { kvlistValue: { values: [] } },
      'dropped',
    ],
  ])('leaves a text of %s', (_what, key, value, rule) => {
    expect(storedValue(key, value)).toEqual({ stringValue: `[redacted:${rule}]` });
  });

  it.each([
    ['db.query.text', { intValue: '7' }],
    ['exception.message', { boolValue: true }],
    ['user.id', { boolValue: true }],
    ['acme.count', { intValue: '17930000000' }],
    ['acme.ratio', { doubleValue: 0.5 }],
    ['gen_ai.usage.input_tokens', { intValue: 12 }],
  ])('keeps a number of %s: %j', (key, value) => expect(storedValue(key, value)).toEqual(value));

  it('is judged by the names above it as well', () => {
    const inside = (key: string, inner: object) => ({
      kvlistValue: { values: [{ key, value: inner }] },
    });
    expect(storedValue('client', inside('address', { stringValue: '10.0.0.1' }))).toEqual(
      inside('address', { stringValue: pseudonymOf('10.0.0.1') }),
    );
    expect(storedValue('gen_ai', inside('usage', { stringValue: 'x' }))).toEqual({
      stringValue: '[redacted:dropped]',
    });
  });

  it('that is the number of a card is none of a count', () => {
    const stored = JSON.stringify(storedValue('acme.count', { intValue: '4111111111111111' }));
    expect(stored).toContain('[redacted:card_number]');
  });

  it('beside a key that is data goes with it', () => {
    const item = span({ attributes: [attribute('jane@example.com', 'a note')] });
    expect(attributesOf(redact(exportOf(item)).text)).toEqual([
      {
        key: pseudonymOf('jane@example.com'),
        value: { stringValue: '[redacted:dropped]' },
      },
    ]);
  });

  it('is judged by its own name, too, where one stands beside a key', () => {
    const attributes = { key: 'a', 'gen_ai.prompt': CANARY, other: 'b' };
    expect(attributesOf(redact(exportOf({ ...span(), attributes })).text)).toEqual({
      key: 'a',
      'gen_ai.prompt': '[redacted:dropped]',
      other: 'b',
    });
  });

  it.each([
    ['[{"key":"password","value":"x"}]', '[{"key":"password","value":"[redacted:credential]"}]'],
    ['{"a":{"key":"token","value":{}}}', '{"a":{"key":"token","value":{}}}'],
    ['{"user":{"intValue":"4711"}}', `{"user":{"intValue":"${pseudonymOf('4711')}"}}`],
    [
      '{"a":[{"key":"secret","value":[1]}]}',
      '{"a":[{"key":"secret","value":"[redacted:credential]"}]}',
    ],
  ])('in JSON inside a text is no AnyValue: %s', (text, expected) => {
    expect(storedValue('acme.json', text)).toEqual({ stringValue: expected });
  });

  it('that has the form of an id once is none when it is there twice', () => {
    const text = exportOf(span({ parentSpanId: SPAN_2 })).replace(
      '"parentSpanId":',
      `"parentSpanId":"password=${CANARY}","parentSpanId":`,
    );
    expect(redact(text).text).not.toContain(CANARY);
  });

  it('keeps ids, times and enums of any digits, and no text in their place', () => {
    const ids = { spanId: '4111111111111111', traceId: '41111111111111114111111111111111' };
    const well = span({
      ...ids,
      parentSpanId: '5500000000000004',
      startTimeUnixNano: '4111111111111111',
      endTimeUnixNano: 4111111111111111,
      status: { code: 'STATUS_CODE_ERROR' },
      kind: 'SPAN_KIND_CLIENT',
      links: [ids],
    });
    expect(redact(exportOf(well)).fields).toEqual([]);

    const ill = span({ parentSpanId: 'jane@example.com', status: { code: 'jane' } });
    expect(redact(exportOf(ill)).fields).toMatchObject([{ rule: 'error' }, { rule: 'email' }]);
  });
});

describe('a run id in a span', () => {
  const runIdsOf = (runIds: string[], runIdAttributes?: string[]) =>
    valuesOf(
      redact(exportOf(span({ attributes: runIds.map((id) => attribute('acme.run', id)) })), {
        runIdAttributes,
      }).text,
    );

  it('stays, or becomes the pseudonym that the event of the run has: runs are told apart', () => {
    const secrets = ['password=one', 'password=two'];
    const found = runIdsOf([RUN, ...secrets], ['acme.run']);
    const ofEvents = secrets.map(
      (runId) => JSON.parse(redactEvent(runEventText({ run: { runId } })).text).run.runId,
    );
    expect(found).toEqual([RUN, ...ofEvents].map((stringValue) => ({ stringValue })));
    expect(new Set(ofEvents).size).toBe(2);
  });

  it('is scanned in an attribute that carries none', () => {
    expect(runIdsOf(['password=one'], [])).toEqual([
      { stringValue: 'password=[redacted:credential]' },
    ]);
  });
});

describe('a policy', () => {
  const stored = (rules: object, ...attributes: object[]) =>
    valuesOf(redact(exportOf(span({ attributes })), { policy: readPolicy(rules) }).text);
  const acknowledgeRisk = 'statements are public here';

  it('keeps an attribute to the byte, whatever is in it, and no other', () => {
    const nested = { kvlistValue: { values: [attribute('password')] } };
    expect(
      stored(
        { keep: ['attribute:acme.order'] },
        { key: 'acme.order', value: nested },
        { key: 'acme.orders', value: nested },
      ),
    ).toEqual([
      nested,
      { kvlistValue: { values: [attribute('password', '[redacted:credential]')] } },
    ]);
  });

  it('drops, and scans what would be read as something', () => {
    expect(
      stored(
        {
          drop: ['attribute:acme.*'],
          scan: ['attribute:exception.message'],
          acknowledgeRisk,
        },
        attribute('acme.note', 'text'),
        attribute('exception.message', 'nothing to see, password=x'),
      ),
    ).toEqual([
      { stringValue: '[redacted:dropped]' },
      { stringValue: 'nothing to see, password=[redacted:credential]' },
    ]);
  });

  it('sees attributes that are an object, and names inside others', () => {
    const policy = readPolicy({ drop: ['attribute:acme.note'] });
    const asObject = { ...span(), attributes: { 'acme.note': 'x', 'acme.other': 'y' } };
    expect(attributesOf(redact(exportOf(asObject), { policy }).text)).toEqual({
      'acme.note': '[redacted:dropped]',
      'acme.other': 'y',
    });
    const inside = (value: object) => ({ kvlistValue: { values: [{ key: 'note', value }] } });
    const nested = { key: 'acme', value: inside({ stringValue: 'x' }) };
    expect(valuesOf(redact(exportOf(span({ attributes: [nested] })), { policy }).text)).toEqual([
      inside({ stringValue: '[redacted:dropped]' }),
    ]);
  });

  it('does not keep what stands beside another key that it does not keep', () => {
    const text = exportOf(span({ attributes: [attribute('acme.order')] })).replace(
      '"key":"acme.order"',
      '"key":"acme.order","Key":"password"',
    );
    const { text: redacted } = redact(text, {
      policy: readPolicy({ keep: ['attribute:acme.order'] }),
    });
    expect(redacted).not.toContain(CANARY);
  });

  it('of strict unknown attributes drops the texts and leaves numbers and known attributes', () => {
    const list = (...values: object[]) => ({ arrayValue: { values } });
    expect(
      stored(
        { strictUnknown: true },
        {
          key: 'acme.a',
          value: list({ stringValue: 'x' }, { intValue: '7' }, { boolValue: true }),
        },
        attribute('service.name', 'checkout'),
        attribute('lineage.note', 'fine'),
      ),
    ).toEqual([
      list({ stringValue: '[redacted:dropped]' }, { intValue: '7' }, { boolValue: true }),
      { stringValue: 'checkout' },
      { stringValue: 'fine' },
    ]);
  });
});

describe('bounds', () => {
  const members = (n: number, of: (i: number) => string) =>
    Array.from({ length: n }, (_, i) => of(i)).join(',');
  const levels = (n: number, open: string, close: string, inner: string) =>
    open.repeat(n) + inner + close.repeat(n);
  const pair = '{"key":"a","value":{"kvlistValue":{"values":[';
  const shapes: Record<string, (n: number) => string> = {
    'keys beside values': (n) =>
      `{${members(n / 20, () => '"key":"a"')},${members(n / 20, () => '"value":"b"')}}`,
    'a long key above members': (n) =>
      `{"key":"${'a.'.repeat(n / 4)}","value":{${members(n / 12, () => '"m":0')}}}`,
    'pairs in pairs': (n) =>
      levels(
        n / 400,
        pair,
        ']}}}',
        members(n / 40, () => '{"key":"b","value":0}'),
      ),
    'pairs of persons in pairs': (n) =>
      levels(
        n / 400,
        pair.replace('"a"', '"user"'),
        ']}}}',
        members(n / 10, () => '{"x":{}}'),
      ),
    'attributes of a span': (n) =>
      exportOf({
        attributes: Array.from({ length: n / 60 }, () => attribute('db.system.name', 'mysql')),
      }),
  };

  it.each(Object.entries(shapes))('takes linear time over %s', (_what, shape) => {
    const growth = growthOverFourfold(10_000, (n) => {
      const text = shape(n);
      for (let i = 0; i < 10; i++) redact(text);
      return () => redact(text);
    });
    expect(growth).toBeLessThan(10);
  });
});
