import { endOfRun } from './characters.ts';
import { isKept, isNamePart, MAX_NAME_CHARACTERS } from './error-names.ts';

/** What stands behind the name of its table says nothing about what a statement is. */
const HEAD_CHARACTERS = 200;
const STATEMENT_HEADS =
  /^\s{0,64}(INSERT INTO|UPDATE|DELETE FROM|MERGE INTO|SELECT|WITH|CREATE|ALTER|DROP|COPY|TRUNCATE)\s{1,8}/i;

/** The verb of a statement, and the table that directly follows `INTO`, `UPDATE` or `FROM`. */
export function headOfStatement(sql: string): string {
  const head = STATEMENT_HEADS.exec(sql.slice(0, HEAD_CHARACTERS));
  if (head === null) return '?';
  const verb = (head[1] as string).toUpperCase();
  if (!/INTO$|FROM$|^UPDATE$/.test(verb)) return `${verb} ?`;
  const end = endOfRun(sql, head[0].length, isNamePart, MAX_NAME_CHARACTERS);
  const table = sql.slice(head[0].length, end);
  return `${verb} ${isKept('table', table) ? table : '?'} ?`;
}
