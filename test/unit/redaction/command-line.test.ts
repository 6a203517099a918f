import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { redactCommandLine } from '../../../lambdas/domain/redaction/command-line.ts';
import { growthOverFourfold } from '../../support/growth.ts';
import { seeded } from '../../support/seeded.ts';
import { canary } from './canaries.ts';

const X = '[redacted:command]';
const LINES: ReadonlyArray<readonly [string, string]> = [
  [
    'mysql -h db.example.com -P 3306 -pSECRET -e "select SECRET"',
    `mysql -h db.example.com -P 3306 -p${X} -e ${X}`,
  ],
  [
    'PGPASSWORD=SECRET psql -h h -p 5432 -f load.sql',
    `PGPASSWORD=${X} psql -h h -p 5432 -f load.sql`,
  ],
  [
    'spark-submit --class a.B --conf spark.db.password=SECRET s3://b/a.jar SECRET',
    `spark-submit --class a.B --conf spark.db.password=${X} s3://b/a.jar ${X}`,
  ],
  ['dbt run --select orders --vars \'{"a": "SECRET"}\'', `dbt run --select orders --vars ${X}`],
  [
    'curl -sS -H "Authorization: Bearer SECRET" https://u:SECRET@h/x?token=SECRET',
    `curl -sS -H ${X} https://h/x`,
  ],
  [
    'python etl.py --api-key=SECRET --token "SE CRET" "SE CRET"',
    `python etl.py --api-key=${X} --token ${X} ${X}`,
  ],
  ['java -Xmx2g -Dapp.password=SECRET -jar a.jar', `java -Xmx2g -Dapp.password=${X} -jar a.jar`],
  ['cat a.csv | sh -c "echo SECRET', `cat a.csv | sh -c ${X}`],
  ['bash <<EOF\nSECRET\nEOF', `bash <<${X}`],
  ['echo $(cat SECRET) `cat SECRET`', `echo ${X} ${X}`],
  [
    'aws s3 cp s3://a/b s3://c/d --region eu-west-1',
    'aws s3 cp s3://a/b s3://c/d --region eu-west-1',
  ],
];

const FORMS: ReadonlyArray<(secret: string) => string> = [
  (s) => `run ${s}`,
  (s) => `run --password ${s}`,
  (s) => `run --db-password=${s}`,
  (s) => `run -p ${s}`,
  (s) => `X=${s} run`,
  (s) => `run -c '${s}'`,
  (s) => `run "a ${s}"`,
  (s) => `run --x 'a ${s}`,
  (s) => `run --x=a\\ ${s}`,
  (s) => `run --conf a.secret=${s}`,
  (s) => `run https://u:${s}@h/`,
  (s) => `run --mail ${s}@example.com`,
  (s) => `run <<< ${s}`,
  (s) => `run; run ${s}`,
  (s) => `sudo mysql -p${s}`,
  (s) => `sqlcmd -S h -P${s}`,
  (s) => `curl -ujane:${s} h`,
  (s) => `curl --user=jane:${s} h`,
  (s) => `sqlplus scott/${s}`,
  (s) => `run --conf fs.azure.account.key.a.dfs.core.windows.net=${s}`,
  (s) => `run --data-urlencode a=${s}`,
];

describe('redactCommandLine', () => {
  it.each(LINES)('stores %s as %s', (line, stored) => {
    expect(redactCommandLine(line)).toBe(stored);
    expect(redactCommandLine(stored)).toBe(stored);
  });

  it('lets no secret through, in any form or mix of them', () => {
    const forms = fc.array(fc.constantFrom(...FORMS), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(forms, fc.constantFrom(' ', '\n', ' && ', ' | '), (chosen, joint) => {
        const line = (secret: string) => chosen.map((form) => form(secret)).join(joint);
        const stored = redactCommandLine(line(canary('one')));
        expect(stored).not.toContain(canary('one').slice(0, 6));
        expect(redactCommandLine(line(canary('two')))).toBe(stored);
        expect(redactCommandLine(stored)).toBe(stored);
      }),
      seeded(1_000),
    );
  });

  it.each<[string, (n: number) => string]>([
    ['words', (n) => 'a '.repeat(n / 2)],
    ['quotes', (n) => '"'.repeat(n)],
    ['substitutions', (n) => '$('.repeat(n / 2)],
    ['flags', (n) => '-a '.repeat(n / 3)],
    ['one word', (n) => 'a'.repeat(n)],
    ['backslashes', (n) => `a ${'\\'.repeat(n)}`],
    ['operators', (n) => `a ${'|'.repeat(n)}`],
  ])('takes linear time over %s', (_what, shape) => {
    const growth = growthOverFourfold(50_000, (n) => {
      const line = shape(n);
      return () => void redactCommandLine(line);
    });
    expect(growth).toBeLessThan(10);
  });
});
