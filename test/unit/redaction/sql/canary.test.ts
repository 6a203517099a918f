import { describe, expect, it } from 'vitest';
import { redactSql } from '../../../../lambdas/domain/redaction/sql/redact-sql.ts';
import { seeded } from '../../../support/seeded.ts';
import { canary, Dice, FAMILIES, leaks, statement } from './statement-generator.ts';

/** In all families together, with every statement read as one of its dialects and as none. */
const CASES = 200_000;
const TRUNCATED_EVERYWHERE = 60;
const { seed } = seeded(1);
const families = Object.entries(FAMILIES);
const casesOfFamily = Math.ceil(CASES / families.length);

const redact = (sql: string, dialect: string | undefined) =>
  redactSql(sql, { ...(dialect ? { dialect } : {}), pseudonym: () => 'id_0a1b' });
const everything = (sql: string, dialect: string | undefined) =>
  JSON.stringify(redact(sql, dialect));

describe.each(families)('a canary in a statement of %s', (name, family) => {
  it('never survives, in whole or in part, and leaves no trace', () => {
    for (let index = 0; index < casesOfFamily; index++) {
      const dice = new Dice(seed + index);
      const secret = canary(dice);
      const other = canary(dice);
      const start = dice.roll(2 ** 30);
      const sql = statement(family, new Dice(start), secret);
      const dialect = index % 3 === 0 ? undefined : dice.pick(family.dialects);
      const what = `seed ${seed}, ${name}, case ${index}, dialect ${dialect}: ${JSON.stringify(sql)}`;
      const result = redact(sql, dialect);
      const stored = JSON.stringify(result);
      if (leaks(stored, secret)) expect.fail(`leak: ${what} -> ${stored}`);
      const twin = everything(statement(family, new Dice(start), other), dialect);
      if (twin !== stored) expect.fail(`two outputs: ${what} -> ${stored} and ${twin}`);
      const again = redact(result.text, dialect).text;
      if (again !== result.text)
        expect.fail(`not idempotent: ${what} -> ${result.text} -> ${again}`);
      const damaged = damage(sql, dice);
      const rest = everything(damaged, dialect);
      if (leaks(rest, secret))
        expect.fail(`leak: ${what}, damaged: ${JSON.stringify(damaged)} -> ${rest}`);
    }
  });

  it('never survives a cut, wherever it is made', () => {
    for (let index = 0; index < TRUNCATED_EVERYWHERE; index++) {
      const dice = new Dice(seed - 1 - index);
      const secret = canary(dice);
      const sql = statement(family, dice, secret);
      for (const dialect of [undefined, dice.pick(family.dialects)]) {
        for (let end = 0; end <= sql.length; end++) {
          const stored = everything(sql.slice(0, end), dialect);
          if (leaks(stored, secret)) {
            expect.fail(
              `seed ${seed}, ${dialect}: ${JSON.stringify(sql.slice(0, end))} -> ${stored}`,
            );
          }
        }
      }
    }
  });
});

/** Never in code: NUL, a code point beyond 16 bits, a full-width quote, a lone surrogate, a line separator. */
const FOREIGN = ['\0', '😀', '＇', '\ud83d', '\u2028'];

/** Cut off at an end, a quote too many before or behind, other line breaks, other forms, what no code has. */
function damage(sql: string, dice: Dice): string {
  const quote = dice.pick(["'", '"', '`', '$$', '/*', "\\'"]);
  switch (dice.roll(7)) {
    case 0:
      return sql.slice(0, dice.roll(sql.length));
    case 1:
      return quote + sql;
    case 2:
      return sql + quote;
    case 3:
      return sql.replaceAll('\n', '\r');
    case 4:
      // A full-width quote becomes one that nobody doubled: another statement, in which values are code.
      return sql.replaceAll('＇', '').normalize('NFKC');
    case 5: {
      // Not into a delimiter: what was a comment would be code.
      const rest = sql.slice(dice.roll(sql.length));
      const at = sql.length - rest.length + Math.max(0, rest.search(/(?<=\w)\w/));
      return sql.slice(0, at) + dice.pick(FOREIGN) + sql.slice(at);
    }
    default:
      return sql.replaceAll('\n', '\r\n');
  }
}
