import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { scanText } from '../../../lambdas/domain/redaction/scan-text.ts';
import { isSqlLike } from '../../../lambdas/domain/redaction/sql-like.ts';
import { growthOverFourfold } from '../../support/growth.ts';
import { seeded } from '../../support/seeded.ts';
import { canary } from './canaries.ts';

/** Each form of secret around a canary of 16 letters and digits. */
const SECRETS: Record<string, (secret: string) => string> = {
  'a named value': (s) => `password=${s}`,
  'a spaced value': (s) => `client_secret :  ${s}`,
  'a quoted value': (s) => `api_key = "${s}"`,
  'a value with its quote doubled': (s) => `pwd='x''${s}'`,
  'a value with an escaped quote': (s) => `pwd="x\\"${s}"`,
  'a value whose quote never ends': (s) => `pwd="a b ${s}`,
  'a value in braces': (s) => `Server=h;PWD={a;b}}${s}};Database=d`,
  'a value with separators in it': (s) => `password=a&b;c,${s}`,
  'a member of JSON': (s) => `{"user":"u","accessToken":"${s}"}`,
  'a member of JSON in a string': (s) => `{\\"secret\\": \\"${s}\\"}`,
  'an object of credentials': (s) => `{"credentials":{"a":{"b":1},"c":"${s}"},"d":1}`,
  'a list of secrets': (s) => `tokens_secret: ["a", "${s}"]`,
  'an element of XML': (s) => `<Password>${s}</Password>`,
  'a flag': (s) => `run --db-password ${s} --verbose`,
  'words for a key': (s) => `The API key: ${s}`,
  'a header': (s) => `Authorization: Digest a b ${s}\nnext`,
  'a header of cookies': (s) => `Cookie: a=b; c=${s}`,
  'a bearer token': (s) => `sent Bearer ${s} to`,
  'basic credentials': (s) => `Basic ${Buffer.from(`user:${s}`).toString('base64')}`,
  'user info': (s) => `see postgres://u:${s}@h:5432/db for`,
  'user info with signs in it': (s) => `amqp://u:p@/${s}:x@h/v`,
  'user info with a slash': (s) => `mysql://u:p/${s}@h/db`,
  'user info without a colon': (s) => `https://${s}@github.com/o/r.git`,
  'user info behind other hosts': (s) => `amqp://h1,amqp://u:${s}@h2/v`,
  'a signed query': (s) => `https://b.s3.amazonaws.com/k?X-Amz-Date=1&X-Amz-Signature=${s}`,
  'a shared access signature': (s) => `https://a.blob.core.windows.net/c/b?sv=2024&sig=${s}&se=1`,
  'a parameter of a parameter': (s) =>
    `https://h/p?next=${encodeURIComponent(`https://g/?token=${s}`)}`,
  'an encoded parameter': (s) => `https://h/p?%70assword=${s}`,
  'a token in a fragment': (s) => `https://h/#access_token=${s}&x=1`,
  'a parameter of JDBC': (s) =>
    `jdbc:sqlserver://h;databaseName=d;user=u;password=${s};encrypt=true`,
  'an Oracle URL': (s) => `jdbc:oracle:thin:scott/${s}@//h:1521/svc`,
  'a private key': (s) => `-----BEGIN EC PRIVATE KEY-----\n${s}\n-----END EC PRIVATE KEY-----`,
  'a private key without an end': (s) => `-----BEGIN PRIVATE KEY-----\n${s}`,
  'a token of GitHub': (s) => `ghp_${s}${s}`,
  'a token of Slack': (s) => `xoxb-1-${s}`,
  'a token of Stripe': (s) => `sk_live_${s}`,
  'a token behind a name': (s) => `old_ghp_${s}${s}`,
  'a JWT': (s) => `eyJhbGciOiJIUzI1NiJ9.${s}.${s}`,
  'an e-mail address': (s) => `ask ${s}@example.com, please`,
  'an encoded e-mail address': (s) => `/users/${s}%40example.com/x`,
  'a quoted e-mail address': (s) => `"a ${s}"@example.com`,
  'a name with a number': (s) => `api_key2=${s}`,
  'a name in two words': (s) => `Client Secret = ${s}`,
  'a name in camel case': (s) => `mongoPass: ${s}`,
  'a name in another language': (s) => `пароль: ${s}`,
  'a name and its value as values': (s) => `{"name":"password","value":"${s}"}`,
  'attributes of XML': (s) => `<add key="Password" value="${s}"/>`,
  'a sentence': (s) => `the password is ${s}`,
  'an option of SQL': (s) => `ALTER USER u PASSWORD '${s}'`,
  'an encoded pair': (s) => `password%3D${s}`,
  'an encoded name': (s) => `pass%77ord=${s}`,
  'a pair that is escaped in JSON': (s) => `\\u0022password\\u0022:\\u0022${s}\\u0022`,
  'full-width letters': (s) => `ｐａｓｓｗｏｒｄ：${s}`,
  'an address without a scheme': (s) => `u:${s}@db:5432`,
  'Oracle without a scheme': (s) => `scott/${s}@h:1521/svc`,
  'a webhook': (s) => `https://hooks.slack.com/services/T00/B00/${s}`,
  'a bot': (s) => `https://api.telegram.org/bot123:${s}/send`,
  'the hash of a password': (s) => `$2b$12$${s}${s}`,
  'a secret of Azure': (s) => `abc8Q~${s}${s}`,
  'a PEM file in base64': (s) => `LS0tLS1CRUdJTiBSU0EgUFJJVkFURSBLRVktLS0tLQ${s}`,
  'an e-mail address twice encoded': (s) => `${s}%2540example.com`,
  'an e-mail address in HTML': (s) => `${s}&#64;example.com`,
  'an e-mail address escaped in JSON': (s) => `${s}\\u0040example.com`,
  'an e-mail address with a soft hyphen': (s) => `a${s}\u00ad@example.com`,
  'an e-mail address with letters escaped in JSON': (s) => `a${s}.m\\u00fcller@example.com`,
  'an e-mail address at an address': (s) => `${s}@[192.168.0.1]`,
  'an e-mail address elsewhere': (s) => `ä.${s}@exämple.de`,
};

/** Numbers that prove themselves. */
const NUMBERS = [
  '4111111111111111',
  '4111-1111-1111-1111',
  '5555 5555 5555 4444',
  '3782 822463 10005',
  'DE89 3704 0044 0532 0130 00',
  'gb29nwbk60161331926819',
  '078-05-1120',
  '943 476 5919',
  '529.982.247-25',
  '44051401359',
  '756.9217.0769.85',
  '2 55 08 14 168 025 38',
  '12345678Z',
  'RSSMRA85T10A562S',
  '131052-308T',
  '4111_1111_1111_1111',
  '4111 - 1111 - 1111 - 1111',
  '4111\u00a01111\u00a01111\u00a01111',
  '4111\u200b1111\u200b1111\u200b1111',
  '4111\u20131111\u20131111\u20131111',
  '４１１１１１１１１１１１１１１１',
  '٤١١١١١١١١١١١١١١١',
  '85.07.30-033.28',
  'DE89\u00a03704\u00a00044\u00a00532\u00a00130\u00a000',
  'AB123456C',
];

/** What looks like one of them and is none. */
const HARMLESS = [
  'd670460b4b4aece5915caf5c68d12f560a9fe3e4',
  '4111111111111111a8d12f560a9fe3e4',
  'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '0af7651916cd43dd8448eb211c80319c',
  '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  '123e4567-e89b-12d3-a456-426614174000',
  '41111111-1111-4111-8111-411111111111',
  '2024-01-01T12:00:00.123456789Z',
  '2024-01-01 12:00:00+00:00',
  '1711111111111',
  '1711111111111111111',
  '20240131',
  'events_20240131',
  'scheduled__2024-01-01T00:00:00+00:00',
  'application_1711111111111_0042',
  '0.4111111111111111',
  '1.45.2-SNAPSHOT',
  'spark-sql_2.12-3.5.1',
  'analytics.public.orders_v2',
  'arn:aws:secretsmanager:us-east-1:123456789012:secret:db',
  'abfss://container@account.dfs.core.windows.net/a/b',
  'container@account.blob.core.windows.net',
  'git@github.com:o/r.git',
  's3://bucket/dt=2024-01-01/part-00000.c000.snappy.parquet',
  'https://github.com/OpenLineage/OpenLineage/blob/1.45.0/client?raw=1#L10',
  'mongodb+srv://h1,h2/db?authSource=admin',
  'jdbc:postgresql://h:5432/db?sslmode=require',
  'max_tokens=500',
  'token: null',
  'org.apache.spark.rdd.RDD@1a2b3c',
  'nvcr.io/nvidia/cuda@sha256:0af7651916cd43dd8448eb211c80319c',
  '192.168.100.200:8080',
  '+00:00',
  'COMPLETE',
  '4358109269898191530',
  'snap-4358109269898191530-1-0af76519-16cd-43dd-8448-eb211c80319c.avro',
  '2024-01-01-123',
  '20240101-120000',
  'app-20240101120000-0042',
  'spark-worker-7d9f8b6c5d-x2x4z',
  'arn:aws:glue:us-east-1:567812345678:table/db/t',
  'bq-123456789012@bigquery.iam.gserviceaccount.com',
  'icon@2x.png',
  'lodash@4.17.21',
  '@scope/pkg@1.0.0-beta.rc',
  'actions/checkout@v4',
  'nginx:1.25@sha256:0af7651916cd43dd8448eb211c80319c',
  'org.apache.spark:spark-sql_2.12:3.5.1',
  'io.openlineage:openlineage-java:1.45.0@jar',
  'bearer authentication failed',
  'password authentication failed for user',
  'naïve – “quoted” ½ m²',
  '日本語のテーブル 2024年01月01日',
  'https://h/x?date=2024-01-01&id=5%20a',
  '12,345,678,901',
  '2001:0db8:85a3:0000:0000:8a2e:0370:7334',
];

const text = fc.string({
  unit: fc.constantFrom(...'ab1 @:/=?&;,.\'"\\{}[]-_\n<>é%4'),
  maxLength: 60,
});
const kinds = fc.constantFrom(...Object.keys(SECRETS));
const within = fc.tuple(
  kinds,
  fc.constantFrom('', ' ', 'note: ', '(', '\n', '{"k": "'),
  fc.constantFrom('', ' ', '\n', ' end'),
);

const SHAPES: Record<string, (n: number) => string> = {
  'at signs': (n) => '@'.repeat(n),
  'encoded at signs': (n) => '%40'.repeat(n / 3),
  'addresses without a dot': (n) => 'a@b '.repeat(n / 4),
  'quotes before at signs': (n) => '"@'.repeat(n / 2),
  'starts of JWTs': (n) => 'eyJaaaaaaaa-'.repeat(n / 12),
  'schemes in schemes': (n) => 'a://'.repeat(n / 4),
  'URLs with colons': (n) => `${'a://b:c/'.repeat(n / 8)}?`,
  'URLs with colons and one at sign': (n) => `@${'a://b:c/'.repeat(n / 8)}`,
  'JDBC in JDBC': (n) => 'jdbc:'.repeat(n / 5),
  'digits in groups': (n) => '1 '.repeat(n / 2),
  digits: (n) => '4'.repeat(n),
  'words of a name': (n) => 'a-'.repeat(n / 2),
  'names without a value': (n) => 'password '.repeat(n / 9),
  'names and equals signs': (n) => 'password= '.repeat(n / 10),
  'values with separators': (n) => `password=${'&a'.repeat(n / 2)}`,
  'open quotes': (n) => 'pwd="'.repeat(n / 5),
  'open brackets': (n) => 'pwd={'.repeat(n / 5),
  'key headers': (n) => '-----BEGIN '.repeat(n / 11),
  'bearer and spaces': (n) => 'bearer    '.repeat(n / 10),
  'bearer and a run': (n) => `basic ${'a'.repeat(n)}`,
  'labels of numbers': (n) => 'ssn 1 '.repeat(n / 6),
  backslashes: (n) => '\\'.repeat(n),
  'verbs without a tail': (n) => 'select from '.repeat(n / 12),
  'one long word': (n) => 'a'.repeat(n),
  'cards in one word': (n) => '_4111111111111111'.repeat(n / 17),
  'cards in groups in one word': (n) => '4111_1111_1111_1111_'.repeat(n / 20),
  'tokens in one word': (n) => `x_ghp_${'a'.repeat(20)}`.repeat(n / 26),
  'open address literals': (n) => 'a@['.repeat(n / 3),
  'open markers': (n) => '[redacted:'.repeat(n / 10),
  'names and markers': (n) => "pwd='[redacted:sql]''".repeat(n / 21),
  'escapes of escapes': (n) => '%25'.repeat(n / 3),
  'odd digits': (n) => '４'.repeat(n),
  'characters nobody sees': (n) => 'a\u200b'.repeat(n / 2),
  'hashes that break off': (n) => '$2b$12$'.repeat(n / 7),
  'tildes behind a Q': (n) => ' abc8Q~'.repeat(n / 7),
  'user info without a host': (n) => 'a:b@'.repeat(n / 4),
  'names beside names': (n) => '"password",'.repeat(n / 11),
  'passwords in sentences': (n) => 'password is '.repeat(n / 12),
};

describe('scanText', () => {
  it.each(Object.entries(SECRETS))('finds %s', (_what, around) => {
    const [one, other] = [canary('one'), canary('two')];
    const stored = scanText(around(one))?.text;
    expect(stored).toBeDefined();
    expect(stored).not.toContain(one.slice(0, 8));
    expect(scanText(around(other))?.text).toBe(stored);
  });

  it('finds each of them inside other text, and nothing more when it runs again', () => {
    fc.assert(
      fc.property(within, ([kind, before, after]) => {
        const secret = canary(kind);
        const stored = scanText(before + (SECRETS[kind] as (s: string) => string)(secret) + after);
        expect(stored?.text).not.toContain(secret);
        expect(scanText(stored?.text ?? '')).toBeUndefined();
      }),
      seeded(2_000),
    );
  });

  it('changes nothing more when it runs again over any text', () => {
    fc.assert(
      fc.property(text, kinds, text, (before, kind, after) => {
        const stored = scanText(before + SECRETS[kind]?.(canary('x')) + after)?.text ?? '';
        expect(scanText(stored)?.text ?? stored).toBe(stored);
      }),
      seeded(3_000),
    );
  });

  it.each(NUMBERS)('replaces %s and keeps what is around it', (number) => {
    expect(scanText(`id ${number}, then`)?.text).toMatch(/^id \[redacted:\w+\], then$/);
    expect(scanText(number)?.text).toMatch(/^\[redacted:\w+\]$/);
  });

  it('takes a number by its label when no check can prove it', () => {
    expect(scanText('BSN: 12345')?.text).toBe('BSN: [redacted:national_number]');
    expect(scanText('rows: 12345')).toBeUndefined();
  });

  it.each(HARMLESS)('keeps %s', (harmless) => {
    expect(scanText(harmless)).toBeUndefined();
    expect(scanText(`see ${harmless} there`)).toBeUndefined();
  });

  it.each([
    ['paid 4111111111111111USD', 'paid [redacted:card_number]USD'],
    ['SSN 078051120', 'SSN [redacted:national_number]'],
    ['social security number: 078051120', 'social security number: [redacted:national_number]'],
    ['passport number C01X00T47', 'passport number [redacted:national_number]'],
  ])('takes %s for what it says it is', (text, stored) =>
    expect(scanText(text)?.text).toBe(stored),
  );

  it('finds all of several in one word', () => {
    const token = `ghp_${'a'.repeat(30)}`;
    expect(scanText(`x_4111111111111111_5555555555554444_${token}`)?.text).toBe(
      'x_[redacted:card_number]_[redacted:card_number]_[redacted:secret]',
    );
  });

  it('edits what is written, and nothing around it', () => {
    expect(scanText('caf\u00e9 \u2013 %20 a%40b.example \\u0041 &#65; end')?.text).toBe(
      'caf\u00e9 \u2013 %20 [redacted:email] \\u0041 &#65; end',
    );
  });

  it('keeps host, path and database of a URL and everything around it', () => {
    expect(scanText('from postgres://u:p@h:5432/db?sslmode=on&password=x to b')).toEqual({
      text: 'from postgres://h:5432/db?sslmode=on to b',
      rules: ['url_user_info', 'url_parameter'],
    });
  });

  it.each(Object.entries(SHAPES))('takes linear time over %s', (_what, shape) => {
    const growth = growthOverFourfold(50_000, (n) => {
      const long = shape(n);
      return () => {
        scanText(long);
        isSqlLike(long);
      };
    });
    expect(growth).toBeLessThan(10);
  });
});

describe('isSqlLike', () => {
  it.each([
    'SELECT 1',
    'failed: select a from t where b = 1',
    '{"q":"INSERT INTO t VALUES (1)"}',
    'then DROP TABLE t',
    '/* x */ merge into a using b',
  ])('takes %s for a statement', (statement) => expect(isSqlLike(statement)).toBe(true));

  it.each([
    'Please select one from the list',
    'copy-s3-to-redshift',
    'an update of the set',
    'orders',
  ])('takes %s for none', (sentence) => expect(isSqlLike(sentence)).toBe(false));
});
