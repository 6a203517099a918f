import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { redactSql } from '../../../../lambdas/domain/redaction/sql/redact-sql.ts';

interface Case {
  readonly id: string;
  readonly dialect: string;
  readonly kind: 'sql' | 'error';
  readonly sql: string;
  readonly secrets: string[];
  readonly secrets_token: string[];
  readonly secrets_comment: string[];
  readonly keep: string[];
  readonly expect?: string;
  readonly why: string;
}

const cases = readFileSync(
  new URL('../../../fixtures/redaction/cases.jsonl', import.meta.url),
  'utf8',
)
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Case);

const redact = (sql: string, dialect?: string) =>
  redactSql(sql, { ...(dialect ? { dialect } : {}), pseudonym: () => 'id_0a1b' });
const tokens = (text: string) => text.split(/[^\p{L}\p{N}_-]+/u);

describe('the collected cases', () => {
  it('are all there', () => {
    expect(cases).toHaveLength(52);
  });

  describe.each(cases)('$id ($dialect): $why', (given) => {
    const { sql, dialect } = given;

    it.each([dialect, undefined])('lets nothing through, read as %s', (read) => {
      const stored = JSON.stringify(redact(sql, read));
      for (const secret of [...given.secrets, ...given.secrets_comment]) {
        expect(stored).not.toContain(secret);
        expect(stored).not.toContain(JSON.stringify(secret).slice(1, -1));
      }
      const words = tokens(redact(sql, read).text);
      for (const secret of given.secrets_token) expect(words).not.toContain(secret);
    });

    it(
      given.kind === 'sql' ? 'keeps the names that it should' : 'keeps no text of an error',
      () => {
        const { mode, text } = redact(sql, dialect);
        // Errors are no statements: their structured fields are for the rules for errors.
        if (given.kind === 'error') expect([mode, text]).toEqual(['skeleton', '?']);
        const wanted = given.kind === 'error' || given.expect ? [] : given.keep;
        const words = tokens(text.toLowerCase());
        for (const name of wanted) expect(words).toContain(name.toLowerCase());
      },
    );

    it('changes nothing when it runs again', () => {
      for (const read of [dialect, undefined]) {
        const once = redact(sql, read).text;
        expect(redact(once, read).text).toBe(once);
      }
    });
  });
});
