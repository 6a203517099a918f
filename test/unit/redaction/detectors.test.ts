import { describe, expect, it } from 'vitest';
import {
  detect,
  detectInIdentity,
  withoutUrlSecrets,
} from '../../../lambdas/domain/redaction/detectors.ts';
import { growthOverFourfold } from '../../support/growth.ts';

/** Shapes that make a careless pattern try again from every position. */
const SHAPES: Record<string, (n: number) => string> = {
  'colons without an at sign': (n) => `@ a://${':'.repeat(n)}`,
  'at signs': (n) => `a://b:${'@'.repeat(n)}`,
  'schemes in schemes': (n) => `@${'a://a:'.repeat(n / 6)}`,
  'starts of tokens': (n) => 'eyJaaaaaaaa-'.repeat(n / 12),
  'tokens without an end': (n) => `eyJ${'a'.repeat(n)}`,
  'bearer without a key': (n) => 'bearer '.repeat(n / 7),
  'bearer and spaces': (n) => `bearer${' '.repeat(n)}x`,
  'parameters without a value': (n) => 'password = '.repeat(n / 11),
  'spaces before an equals sign': (n) => `password${' '.repeat(n)}`,
  'comments that never end': (n) => '/* '.repeat(n / 3),
  'many comments': (n) => '/**/'.repeat(n / 4),
  'many brackets': (n) => '('.repeat(n),
  'verbs without a table': (n) => 'select x '.repeat(n / 9),
  'key headers': (n) => '-----BEGIN '.repeat(n / 11),
  'question marks': (n) => `a://b?${'token?'.repeat(n / 6)}`,
  'an oracle URL without a host': (n) => `@jdbc:oracle:thin:${':'.repeat(n)}`,
};

describe('detectors', () => {
  it.each(Object.entries(SHAPES))('take linear time over %s', (_name, shape) => {
    const growth = growthOverFourfold(50_000, (n) => {
      const text = shape(n);
      return () => {
        detect(text);
        withoutUrlSecrets(text);
      };
    });
    expect(growth).toBeLessThan(10);
  });

  it.each([
    ['SELECT a FROM t', 'sql'],
    ['(select 1) union all select 2 from b', 'sql'],
    ['with x as (select 1) select * from x', 'sql'],
    [`-----BEGIN RSA PRIVATE KEY-----`, 'secret'],
    ['key AKIAABCDEFGHIJKLMNOP', 'secret'],
    ['eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl', 'secret'],
    ['ghp_0123456789abcdefghij', 'secret'],
    ['Server=x;Password=hunter2', 'connection_string'],
    ['https://x/y?X-Amz-Signature=abc', 'connection_string'],
    ['amqp://user:pw@host', 'connection_string'],
  ])('see what %j is', (text, rule) => {
    expect(detect(text)).toBe(rule);
  });

  it.each([
    'selection of tables',
    'update-customers-to-s3',
    'create_table.view',
    'monkey = from',
    'a@b.example',
    'https://x/y?page=2',
  ])('see nothing in %j', (text) => {
    expect(detect(text)).toBeUndefined();
  });

  it.each([
    [
      'jdbc:vertica://1.2.3.4:5433/db?ConnectionLoadBalance=1',
      'jdbc:vertica://1.2.3.4:5433/db?ConnectionLoadBalance=1',
    ],
    ['https://h/p?token=abc&x=1', 'https://h/p'],
    ['postgres://u:p@ss@h/db', 'postgres://h/db'],
    ['jdbc:oracle:thin:scott/tiger@h:1521:orcl', 'jdbc:oracle:thin:h:1521:orcl'],
    ['abfss://container@account/x', 'abfss://container@account/x'],
    ['databricks+connector://a=b;c', 'databricks+connector://a=b;c'],
  ])('leave of %s the key %s', (identity, bare) => {
    expect(withoutUrlSecrets(identity)).toBe(bare);
  });

  it.each([
    ['Copy to S3', undefined],
    ['Create report on Monday', undefined],
    ["(select * from people where name = 'x') q", 'sql'],
    ['select name from people where id in 5', 'sql'],
    ['sales.public.orders', undefined],
    ['ghp_0123456789abcdefghij', 'secret'],
  ])('take the name %j for %s', (name, rule) => {
    expect(detectInIdentity(name)).toBe(rule);
  });
});
