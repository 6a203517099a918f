import { isDataName } from '../identifier.ts';
import { isPseudonym, mayBeData } from './identifiers.ts';
import { keyword, keywords, keywordText } from './keywords.ts';
import { type LiteralKind, literalKind } from './literal-kinds.ts';
import { CLOSE, COMMA, DOT, OPEN, QUESTION, SEMICOLON } from './signs.ts';
import {
  BOOLEAN,
  FIRST_LITERAL,
  OPERATOR,
  PARAMETER,
  QUOTED,
  type TokenList,
  WORD,
} from './tokens.ts';

/** One comparison in a condition; a range or a list counts as one. */
export interface Filter {
  readonly column: string;
  readonly op: string;
  readonly literalKind: LiteralKind | 'parameter';
}

/** Statements made by machines have thousands of comparisons; the first ones say what is filtered. */
const MOST_FILTERS = 64;

const BEFORE_COLUMN = keywords('WHERE AND OR NOT ON HAVING QUALIFY');
const AFTER_VALUE =
  keywords(`AND OR GROUP ORDER HAVING LIMIT OFFSET FETCH UNION EXCEPT INTERSECT QUALIFY
  WINDOW RETURNING FOR WHERE ON JOIN LEFT RIGHT INNER FULL CROSS WITH ESCAPE THEN`);
/** Keywords that are names of columns more often. */
const SOFT = keywords(
  'DATE TIME TIMESTAMP YEAR MONTH DAY HOUR MINUTE SECOND TYPE PASSWORD FORMAT SCHEMA',
);
const WORD_OPERATORS = keywords('LIKE ILIKE RLIKE REGEXP IN BETWEEN');
const K = {
  case: keyword('CASE'),
  end: keyword('END'),
  not: keyword('NOT'),
  is: keyword('IS'),
};
const MINUS = 45;
const COMPARISON = '<>=!~';

/** The comparisons of a column with a value; only such as can be nothing else. */
export function filtersOf(
  text: string,
  tokens: TokenList,
  pseudonym: (identifier: string) => string,
): Filter[] {
  const filters: Filter[] = [];
  let cases = 0;
  for (let at = 0; at < tokens.count && filters.length < MOST_FILTERS; at++) {
    if (tokens.kind(at) !== WORD || tokens.detail(at) === 0) continue;
    const word = tokens.detail(at);
    if (word === K.case) cases++;
    else if (word === K.end && cases > 0) cases--;
    if (cases > 0 || BEFORE_COLUMN[word] !== 1) continue;
    const filter = filterAt(text, tokens, tokens.solid(at + 1), pseudonym);
    if (filter) filters.push(filter);
  }
  return filters;
}

function filterAt(
  text: string,
  tokens: TokenList,
  from: number,
  pseudonym: (identifier: string) => string,
): Filter | undefined {
  let at = from;
  while (tokens.isOperator(at, OPEN)) at = tokens.solid(at + 1);
  const start = at;
  while (at < tokens.count && isName(tokens, at)) {
    at++;
    if (!tokens.isOperator(at, DOT)) break;
    at++;
  }
  if (at === start || !isName(tokens, at - 1)) return undefined;
  const end = at;
  const { op, next } = operatorAt(text, tokens, tokens.solid(end));
  if (op === '') return undefined;
  const isList = op.endsWith('IN') || op.endsWith('BETWEEN');
  let value = next;
  if (op.endsWith('IN')) {
    if (!tokens.isOperator(value, OPEN)) return undefined;
    value = tokens.solid(value + 1);
  }
  if (tokens.isOperator(value, MINUS)) value = tokens.solid(value + 1);
  const kind = valueKind(tokens, value);
  if (kind === undefined) return undefined;
  if (!isEndOfValue(tokens, tokens.solid(value + 1), isList)) return undefined;
  return { column: columnOf(text, tokens, start, end, pseudonym), op, literalKind: kind };
}

/** A name that is no keyword with a meaning of its own here. */
function isName(tokens: TokenList, at: number): boolean {
  const kind = tokens.kind(at);
  if (kind !== WORD) return kind === QUOTED;
  const word = tokens.detail(at);
  return word === 0 || SOFT[word] === 1;
}

function columnOf(
  text: string,
  tokens: TokenList,
  start: number,
  end: number,
  pseudonym: (identifier: string) => string,
): string {
  let column = '';
  for (let at = start; at < end; at++) {
    const isQuoted = tokens.kind(at) === QUOTED;
    const part = text.slice(
      tokens.start(at) + (isQuoted ? 1 : 0),
      tokens.end(at) - (isQuoted ? 1 : 0),
    );
    const isSimple = !isQuoted && !mayBeData(part, 0, part.length);
    if (isSimple || !isDataName(part)) column += part;
    else {
      const stand = pseudonym(part);
      column += isPseudonym(stand) ? stand : '?';
    }
  }
  return column;
}

function operatorAt(text: string, tokens: TokenList, from: number): { op: string; next: number } {
  if (tokens.kind(from) === OPERATOR) return signAt(text, tokens, from);
  const isNot = tokens.isKeyword(from, K.not);
  const at = isNot ? tokens.solid(from + 1) : from;
  const next = tokens.solid(at + 1);
  if (!isNot && tokens.isKeyword(at, K.is)) {
    const isIsNot = tokens.isKeyword(next, K.not);
    const value = isIsNot ? tokens.solid(next + 1) : next;
    // NULL is no value.
    return { op: tokens.kind(value) !== BOOLEAN ? '' : isIsNot ? 'IS NOT' : 'IS', next: value };
  }
  if (!tokens.isKeywordOf(at, WORD_OPERATORS)) return { op: '', next };
  const op = keywordText(tokens.detail(at));
  return { op: isNot ? `NOT ${op}` : op, next };
}

function signAt(text: string, tokens: TokenList, from: number): { op: string; next: number } {
  let op = '';
  let at = from;
  for (; tokens.kind(at) === OPERATOR; at++) {
    const sign = text[tokens.start(at)] as string;
    if (!COMPARISON.includes(sign)) break;
    op += sign;
  }
  return { op: op.length <= 2 ? op : '', next: tokens.solid(at) };
}

function valueKind(tokens: TokenList, at: number): Filter['literalKind'] | undefined {
  if (at >= tokens.count) return undefined;
  const kind = tokens.kind(at);
  if (kind === PARAMETER || tokens.isOperator(at, QUESTION)) return 'parameter';
  return kind >= FIRST_LITERAL ? literalKind(kind) : undefined;
}

function isEndOfValue(tokens: TokenList, at: number, isList: boolean): boolean {
  if (at >= tokens.count || tokens.isOperator(at, SEMICOLON) || tokens.isOperator(at, CLOSE))
    return true;
  if (isList && tokens.isOperator(at, COMMA)) return true;
  return tokens.isKeywordOf(at, AFTER_VALUE);
}
