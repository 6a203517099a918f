import { describe, expect, it } from 'vitest';
import { redactUrl } from '../../../lambdas/domain/redaction/url.ts';
import { growthOverFourfold } from '../../support/growth.ts';

const CUT: ReadonlyArray<readonly [string, string]> = [
  ['postgres://u:SECRET@h:5432/db', 'postgres://h:5432/db'],
  ['https://SECRET@github.com/o/r', 'https://github.com/o/r'],
  ['mysql://u:a@SECRET@h/db', 'mysql://h/db'],
  ['mysql://u:p/SECRET@h/db?x=1', 'mysql://h/db?x=1'],
  ['mongodb://u:SECRET@h1:1,h2:2/db?replicaSet=r', 'mongodb://h1:1,h2:2/db?replicaSet=r'],
  ['https://h/p?a=1&token=SECRET&b=2#c', 'https://h/p?a=1&b=2#c'],
  ['https://h/p?token=SECRET&b=2', 'https://h/p?b=2'],
  ['https://h/p?token=SECRET', 'https://h/p'],
  ['https://h/p?sv=1&sig=SECRET', 'https://h/p?sv=1'],
  ['s3://b/k?X-Amz-Date=SECRET&X-Amz-Signature=SECRET', 's3://b/k'],
  ['https://h/p?X%2DAmz%2DSignature=SECRET&v=3', 'https://h/p?v=3'],
  ['https://h/#id_token=SECRET', 'https://h/'],
  ['https://h/?to=https%3A%2F%2Fu%3ASECRET%40g&x=1', 'https://h/?x=1'],
  [
    'jdbc:sqlserver://h:1;databaseName=d;user=SECRET;password={SE;CRET};a=b',
    'jdbc:sqlserver://h:1;databaseName=d;a=b',
  ],
  ['jdbc:postgresql://h/d?user=SECRET&password=SECRET&ssl=true', 'jdbc:postgresql://h/d?ssl=true'],
  ['jdbc:oracle:thin:scott/SECRET@//h:1521/svc', 'jdbc:oracle:thin:@//h:1521/svc'],
  ['jdbc:db2://h:50000/DB:user=SECRET;password=SECRET;', 'jdbc:db2://h:50000/DB;'],
  ['jdbc:teradata://h/DATABASE=d,USER=SECRET,PASSWORD=SECRET', 'jdbc:teradata://h/DATABASE=d'],
  [
    'Server=h;Database=d;User Id=SECRET;Password=SECRET;Encrypt=yes',
    'Server=h;Database=d;Encrypt=yes',
  ],
  ["host=h port=1 dbname=d user=SECRET password='SE CRET'", 'host=h port=1 dbname=d'],
  [
    'DefaultEndpointsProtocol=https;AccountName=a;AccountKey=SECRET==;EndpointSuffix=x',
    'DefaultEndpointsProtocol=https;AccountName=a;EndpointSuffix=x',
  ],
  ['scott/SECRET@h:1521/svc', 'h:1521/svc'],
];

describe('redactUrl', () => {
  it.each(CUT)('cuts %s to %s', (url, kept) => {
    expect(redactUrl(url)?.text).toBe(kept);
    expect(redactUrl(kept)).toBeUndefined();
  });

  it.each([
    'abfss://container@account.dfs.core.windows.net/a?b=c',
    'ssh://git@github.com/o/r.git',
    'docker://repo/image@sha256:0af7651916cd43dd',
    'awsathena://athena.eu-west-1.amazonaws.com',
    's3://b/dt=2024-01-01/x',
    'kafka://h1:9092,h2:9092',
    'https://h:8443/p?page=2&sort=a',
    'mongodb://[::1]:27017/db',
    'bigquery',
    'file',
  ])('keeps %s', (url) => expect(redactUrl(url)).toBeUndefined());

  it('keeps a partition that is called like a secret, and not what it says', () => {
    expect(redactUrl('s3://b/token=SECRET')?.text).toBe('s3://b/token=***');
    expect(redactUrl('s3://b/token=***')).toBeUndefined();
  });

  it('cuts the whole query where none is needed', () => {
    expect(redactUrl('https://u@h/p?a=1#b', { dropQuery: true })?.text).toBe('https://h/p');
  });

  it.each<[string, (n: number) => string]>([
    ['at signs', (n) => `a://${'@'.repeat(n)}`],
    ['schemes', (n) => `${'a://b:c/'.repeat(n / 8)}@`],
    ['separators', (n) => `a://b?${'&'.repeat(n)}=`],
    ['names', (n) => `a://b?${'&a=b'.repeat(n / 4)}`],
    ['braces', (n) => `a=${'{'.repeat(n)}`],
    ['quotes', (n) => `a=b;${"c='".repeat(n / 3)}`],
    ['nested encodings', (n) => `a://b?c=${'%25'.repeat(n / 3)}=@`],
    ['keywords', (n) => 'a=b '.repeat(n / 4)],
  ])('takes linear time over %s', (_what, shape) => {
    const growth = growthOverFourfold(50_000, (n) => {
      const url = shape(n);
      return () => void redactUrl(url);
    });
    expect(growth).toBeLessThan(10);
  });
});
