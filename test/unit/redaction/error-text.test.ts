import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { allTemplates } from '../../../lambdas/domain/redaction/error-templates.ts';
import { redactErrorText } from '../../../lambdas/domain/redaction/error-text.ts';
import { growthOverFourfold } from '../../support/growth.ts';
import { seeded } from '../../support/seeded.ts';
import { canary } from './canaries.ts';

const NAMES: Record<string, string> = {
  constraint: 'orders_uk',
  table: 'sales.orders',
  column: 'amount',
  columns: 'amount, note',
  type: 'integer',
  name: 'main',
  '#': '7',
};

/** What stands around a canary in a value: what would end the value too early if it were not read to its last end. */
const DISGUISES: ReadonlyArray<(secret: string) => string> = [
  (s) => s,
  (s) => `${s}) already exists`,
  (s) => `x), (${s})`,
  (s) => `a' for key '${s}`,
  (s) => `"${s}" 'b' ${s}`,
  (s) => `o''${s}. Invalid object name '${s}'. ${s}`,
  (s) => `line one\n${s}\n  ${s}`,
  (s) => `\\${s}\r\n${s}`,
  (s) => `{${s}}[${s}]`,
];

/** A disguise may only go on in the next line, or look like the message's own end, where that end is looked for behind it. */
function filled(template: string, value: string): string {
  return template.replace(/\{([a-z*~#]+)\}/g, (_slot, kind: string) => {
    if (kind === '*') return value;
    if (kind === '~') return value.replace(/[\s\S]*\n/, '').replace(/['")(`]/g, '');
    return NAMES[kind] as string;
  });
}

const AROUND: ReadonlyArray<(message: string) => string> = [
  (message) => message,
  (message) => `ERROR: ${message}`,
  (message) => `org.postgresql.util.PSQLException: ERROR: ${message}\n\tat org.x.Y.z(Y.java:12)`,
  (message) => `(psycopg2.errors.UniqueViolation) ${message}`,
  (message) => `(1062, "${message}")`,
  (message) => `ORA-00001: ${message}`,
  (message) =>
    `java.lang.RuntimeException: boom\n\tat a.B.c(B.java:1)\nCaused by: java.sql.SQLException: ${message}`,
];

const templates = allTemplates();
const cases = fc.tuple(
  fc.constantFrom(...templates),
  fc.constantFrom(...DISGUISES),
  fc.constantFrom(...AROUND),
);

interface ErrorCase {
  readonly id: string;
  readonly text: string;
  readonly secrets: readonly string[];
  readonly keep: readonly string[];
}
const errorCases: ErrorCase[] = readFileSync(
  new URL('../../fixtures/database-errors.jsonl', import.meta.url),
  'utf8',
)
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));

/** What error texts are made of, in any order. */
const FRAGMENTS = [
  ...templates.map(([, template]) => template),
  ...'ERROR: |DETAIL:  |Caused by: |java.sql.SQLException: |ORA-00001: |[A_B] |(1062, "|SQLSTATE[23000]: |\n|\r\n|\n\tat a.B.c(B.java:1)\n|[SQL: |[parameters: |]|== SQL ==\n|LINE 1: |  File "x.py", line 3, in f\n|Traceback (most recent call last):\n|; |. |\'|"|)|(|[redacted:error]|?|(Background on this error at: https://sqlalche.me/e/20/gkpj)|\n... 2 more\n'.split(
    '|',
  ),
];

describe('redactErrorText', () => {
  it.each(errorCases)('is right about $id', ({ text, secrets, keep }) => {
    const stored = JSON.stringify(redactErrorText(text));
    for (const secret of secrets) expect(stored).not.toContain(secret);
    for (const name of keep) expect(stored).toContain(name);
  });

  it('says the same of any text when it reads it again', () => {
    const texts = fc.array(fc.constantFrom(...FRAGMENTS, 'word'), { maxLength: 12 });
    fc.assert(
      fc.property(texts, (fragments) => {
        const { text } = redactErrorText(filled(fragments.join(' '), 'v'));
        expect(redactErrorText(text).text).toBe(text);
      }),
      seeded(20_000),
    );
  });

  it('keeps no word that stands between what it knows', () => {
    const texts = fc.array(fc.constantFrom(...FRAGMENTS), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(texts, (fragments) => {
        const secret = canary('between');
        const stored = redactErrorText(filled(fragments.join(` ${secret} `), `${secret} x`));
        expect(JSON.stringify(stored)).not.toContain(secret);
      }),
      seeded(20_000),
    );
  });

  it.each(templates)('%s: knows "%s"', (system, template) => {
    const stored = redactErrorText(filled(template, canary('v')));
    expect(stored.text).not.toContain('[redacted');
    expect(stored.fields.system).toBe(system);
  });

  it('keeps no value of any template, however disguised, and says the same of two', () => {
    fc.assert(
      fc.property(cases, ([[, template], disguise, around]) => {
        const [one, other] = [canary('one'), canary('two')];
        const stored = redactErrorText(around(filled(template, disguise(one))));
        expect(JSON.stringify(stored)).not.toContain(one.slice(0, 6));
        expect(redactErrorText(around(filled(template, disguise(other))))).toEqual(stored);
      }),
      seeded(20_000),
    );
  });

  it('keeps no value when the text breaks off', () => {
    fc.assert(
      fc.property(cases, fc.nat({ max: 300 }), ([[, template], disguise, around], length) => {
        const text = around(filled(template, disguise(canary('one')))).slice(0, length);
        expect(JSON.stringify(redactErrorText(text))).not.toContain(canary('one').slice(0, 4));
      }),
      seeded(20_000),
    );
  });

  it('changes nothing more when it runs again', () => {
    fc.assert(
      fc.property(cases, ([[, template], disguise, around]) => {
        const { text } = redactErrorText(around(filled(template, disguise(canary('one')))));
        expect(redactErrorText(text).text).toBe(text);
      }),
      seeded(3_000),
    );
  });

  it('keeps the fields of the protocol', () => {
    const { text, fields } = redactErrorText(
      'org.postgresql.util.PSQLException: ERROR: insert or update on table "lines" violates foreign key constraint "lines_fk"\n  Detail: Key (order_id)=(4711) is not present in table "orders".',
    );
    expect(fields).toEqual({
      class: 'org.postgresql.util.PSQLException',
      system: 'postgresql',
      table: 'lines',
      constraint: 'lines_fk',
      column: 'order_id',
    });
    expect(text).toContain('Detail: Key (order_id)=(?) is not present in table "orders".');
  });

  it.each([
    ['ORA-01017: invalid username/password; logon denied', { system: 'oracle', code: 'ORA-01017' }],
    ["ERROR 1062 (23000): Duplicate entry 'x' for key 'k'", { code: '1062', sqlstate: '23000' }],
    ["SQLSTATE[22007]: Incorrect date value: 'x'", { sqlstate: '22007', type: 'date' }],
    [
      "100038 (22018): Numeric value 'x' is not recognized",
      { system: 'snowflake', code: '100038' },
    ],
    ['Msg 2627, Level 14, State 1, Server db1, Line 3\nwhatever', { code: '2627' }],
    [
      '[DIVIDE_BY_ZERO] Division by x. SQLSTATE: 22012',
      { code: 'DIVIDE_BY_ZERO', sqlstate: '22012' },
    ],
    ['ERROR: deadlock detected (SQLSTATE 40P01)', { system: 'postgresql', sqlstate: '40P01' }],
    ["KeyError: 'x'", { class: 'KeyError' }],
  ])('reads the codes of %s', (text, fields) => {
    expect(redactErrorText(text).fields).toMatchObject(fields);
    expect(redactErrorText(text).text).not.toMatch(/db1|whatever|\bx\b/);
  });

  it.each([
    'FEHLER:  doppelter Schlüsselwert: »(email)=(SECRET)«',
    'could not reach jdbc:postgresql://h/d?user=u&password=SECRET',
    'OperationalError at SECRET',
    'SECRET: not an error class',
    'jane.SECRET: not one either',
    'at SECRET',
    '[SECRET] something',
    'File "x.py", line SECRET',
    'SECRET\nSECRET SECRET',
    '== SQL == SECRET',
  ])('drops all of %s', (text) => {
    expect(redactErrorText(text).text).toBe('[redacted:error]');
  });

  it.each([
    ['where name = "SECRET"', 'column "SECRET" does not exist'],
    ['where name = SECRET', "Unknown column 'SECRET' in 'where clause'"],
    ['where name = SECRET', "invalid identifier 'SECRET'"],
    ['where name = [SECRET]', "Invalid column name 'SECRET'."],
  ])('takes the name in the answer to %s for the value it is', (_sql, text) => {
    expect(redactErrorText(text).text).not.toContain('SECRET');
  });

  it('takes no name that is data', () => {
    const text = 'duplicate key value violates unique constraint "jane@example.com"';
    expect(redactErrorText(text).text).toBe('duplicate key value violates unique constraint "?"');
  });

  it('takes no name with a number of a person in it', () => {
    const { fields } = redactErrorText('relation "customer_123456789" does not exist');
    expect(fields).toEqual({ system: 'postgresql' });
  });

  it('takes no name behind a value when the end of the value is not sure', () => {
    const text = "Duplicate entry 'a' for key 'b', said SECRET' for key 'SECRET' in SECRET";
    expect(JSON.stringify(redactErrorText(text))).not.toContain('SECRET');
  });

  it('keeps classes and frames of a trace in Java, and no message', () => {
    const text = `Exception in thread "SECRET" java.lang.IllegalStateException: SECRET
SECRET
\tat com.acme.Job.run(Job.java:41)
\tat java.base/java.lang.Thread.run(Thread.java:829) ~[?:?]
Caused by: java.util.concurrent.ExecutionException: java.io.IOException: SECRET
\tat com.acme.Io$$Lambda$14.call(Unknown Source)
\tSuppressed: java.lang.RuntimeException: SECRET
\t... 12 more`;
    expect(redactErrorText(text)).toEqual({
      rule: 'error',
      fields: { class: 'java.lang.IllegalStateException' },
      text: `Exception in thread "?" java.lang.IllegalStateException: [redacted:error]
[redacted:error]
\tat com.acme.Job.run(Job.java:41)
\tat java.base/java.lang.Thread.run(Thread.java:829)
Caused by: java.util.concurrent.ExecutionException: java.io.IOException: [redacted:error]
\tat com.acme.Io$$Lambda$14.call(Unknown Source)
Suppressed: java.lang.RuntimeException: [redacted:error]
\t... 12 more`,
    });
  });

  it('keeps files, lines and functions of a trace in Python, and no source', () => {
    const text = `Traceback (most recent call last):
  File "/home/SECRET/dags/load.py", line 12, in load
    raise ValueError("SECRET")
          ^^^^^^^^^^
  File "/usr/lib/python3/site-packages/acme/io.py", line 3, in <module>
    f('SECRET')
acme.errors.LoadError: SECRET

During handling of the above exception, another exception occurred:

RuntimeError: SECRET`;
    expect(redactErrorText(text).text).toBe(`Traceback (most recent call last):
  File "load.py", line 12, in load
  File "site-packages/acme/io.py", line 3, in <module>
acme.errors.LoadError: [redacted:error]
During handling of the above exception, another exception occurred:
RuntimeError: [redacted:error]`);
  });

  it('keeps the places of a trace in JavaScript without its directories', () => {
    const text =
      'TypeError: SECRET\n    at async load (/home/SECRET/app/load.js:3:7)\n    at node:internal/main:1:2';
    expect(redactErrorText(text).text).toBe(
      'TypeError: [redacted:error]\n    at async load (load.js:3:7)\n    at main:1:2',
    );
  });

  it('keeps the class of a Spark error and no plan or statement', () => {
    const text = `org.apache.spark.sql.AnalysisException: [UNRESOLVED_COLUMN.WITH_SUGGESTION] A column \`SECRET\` cannot be resolved. SQLSTATE: 42703; line 1 pos 7;
== SQL ==
select SECRET
-------^^^
\tat org.apache.spark.sql.X.y(X.scala:1)`;
    expect(redactErrorText(text)).toMatchObject({
      fields: { code: 'UNRESOLVED_COLUMN.WITH_SUGGESTION', sqlstate: '42703' },
      text: `org.apache.spark.sql.AnalysisException: [UNRESOLVED_COLUMN.WITH_SUGGESTION] [redacted:error] SQLSTATE: 42703
== SQL ==
?
\tat org.apache.spark.sql.X.y(X.scala:1)`,
    });
  });

  it('leaves the statement of SQLAlchemy to its redactor and drops the parameters', () => {
    const text =
      "(sqlite3.IntegrityError) SECRET\n[SQL: INSERT INTO people (a) VALUES ('SECRET]')]\n[parameters: ('SECRET]', 'SECRET')]\n(Background on this error at: https://sqlalche.me/e/20/gkpj)";
    expect(redactErrorText(text).text).toContain('[SQL: INSERT INTO people ?]');
    expect(redactErrorText(text, () => 'insert ?').text).toBe(
      '(sqlite3.IntegrityError) [redacted:error]\n[SQL: insert ?]\n[parameters: ?]\n(Background on this error at: https://sqlalche.me/e/20/gkpj)',
    );
  });

  const SHAPES: Record<string, (n: number) => string> = {
    lines: (n) => 'x\n'.repeat(n / 2),
    'blank lines': (n) => '\n'.repeat(n),
    frames: (n) => '\tat a.B.c(B.java:1)\n'.repeat(n / 20),
    'frames that break off': (n) => '\tat a.B.c(\n'.repeat(n / 11),
    'one long frame': (n) => `\tat ${'a.'.repeat(n / 2)}`,
    'keys without an end': (n) => 'Key (a)=(b\n'.repeat(n / 11),
    'keys with an end': (n) => 'Key (a)=(b) already exists.\n'.repeat(n / 28),
    'entries without an end': (n) => "Duplicate entry '\n".repeat(n / 18),
    'values of every kind': (n) =>
      `${templates.map(([, t]) => filled(t, 'v')).join('\n')}\n`.repeat(n / 8_000 + 1),
    'statements of SQLAlchemy': (n) => '[SQL: a\n[parameters: b]\n'.repeat(n / 24),
    sections: (n) => '== SQL ==\n'.repeat(n / 10),
    causes: (n) => 'Caused by: a.b.C: '.repeat(n / 18),
    codes: (n) => 'ORA-00001: '.repeat(n / 11),
    punctuation: (n) => `no data found${' .'.repeat(n / 2)}`,
    'one long word': (n) => 'a'.repeat(n),
  };
  it.each(Object.entries(SHAPES))('takes linear time over %s', (_what, shape) => {
    const growth = growthOverFourfold(50_000, (n) => {
      const text = shape(n);
      return () => void redactErrorText(text);
    });
    expect(growth).toBeLessThan(10);
  });
});
