import { isData, isPseudonym, mayBeData } from './identifiers.ts';
import { keyword, keywords } from './keywords.ts';
import { type LiteralKind, literalKind } from './literal-kinds.ts';
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
const WORD_OPERATORS = keywords('LIKE ILIKE RLIKE REGEXP');
const K = {
  case: keyword('CASE'),
  end: keyword('END'),
  not: keyword('NOT'),
  in: keyword('IN'),
  between: keyword('BETWEEN'),
  is: keyword('IS'),
};
const [OPEN, CLOSE, COMMA, DOT, SEMICOLON, QUESTION, MINUS] = [40, 41, 44, 46, 59, 63, 45];

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
  while (tokens.isOperator(at, OPEN as number)) at = tokens.solid(at + 1);
  const start = at;
  while (at < tokens.count && isName(tokens, at)) {
    at++;
    if (!tokens.isOperator(at, DOT as number)) break;
    at++;
  }
  if (at === start || !isName(tokens, at - 1)) return undefined;
  const column = columnOf(text, tokens, start, at, pseudonym);
  const { op, next } = operatorAt(text, tokens, tokens.solid(at));
  if (op === '') return undefined;
  const isList = op.endsWith('IN') || op.endsWith('BETWEEN');
  let value = next;
  if (op.endsWith('IN')) {
    if (!tokens.isOperator(value, OPEN as number)) return undefined;
    value = tokens.solid(value + 1);
  }
  if (tokens.isOperator(value, MINUS as number)) value = tokens.solid(value + 1);
  const kind = valueKind(tokens, value);
  if (kind === undefined) return undefined;
  if (!isEndOfValue(tokens, tokens.solid(value + 1), isList)) return undefined;
  return { column, op, literalKind: kind };
}

/** A name that is no keyword with a meaning of its own here. */
function isName(tokens: TokenList, at: number): boolean {
  return (
    tokens.kind(at) === QUOTED ||
    (tokens.kind(at) === WORD && (tokens.detail(at) === 0 || SOFT[tokens.detail(at)] === 1))
  );
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
    if (isSimple || !isData(part)) column += part;
    else {
      const stand = pseudonym(part);
      column += isPseudonym(stand) ? stand : '?';
    }
  }
  return column;
}

function operatorAt(text: string, tokens: TokenList, from: number): { op: string; next: number } {
  let at = from;
  if (tokens.kind(at) === OPERATOR) {
    let op = '';
    while (
      at < tokens.count &&
      tokens.kind(at) === OPERATOR &&
      '<>=!~'.includes(text[tokens.start(at)] as string)
    ) {
      op += text[tokens.start(at)];
      at++;
    }
    return { op: op.length <= 2 ? op : '', next: tokens.solid(at) };
  }
  const isNot = tokens.isKeyword(at, K.not);
  if (isNot) at = tokens.solid(at + 1);
  const word = tokens.kind(at) === WORD ? tokens.detail(at) : 0;
  const isOperator =
    word !== 0 &&
    (WORD_OPERATORS[word] === 1 || word === K.in || word === K.between || word === K.is);
  if (!isOperator) return { op: '', next: at };
  const op = text.slice(tokens.start(at), tokens.end(at)).toUpperCase();
  let next = tokens.solid(at + 1);
  const isIsNot = word === K.is && tokens.isKeyword(next, K.not);
  if (isIsNot) next = tokens.solid(next + 1);
  if (word === K.is && tokens.kind(next) !== BOOLEAN) return { op: '', next };
  return { op: `${isNot ? 'NOT ' : ''}${op}${isIsNot ? ' NOT' : ''}`, next };
}

function valueKind(tokens: TokenList, at: number): Filter['literalKind'] | undefined {
  if (at >= tokens.count) return undefined;
  const kind = tokens.kind(at);
  if (kind === PARAMETER || tokens.isOperator(at, QUESTION as number)) return 'parameter';
  return kind >= FIRST_LITERAL ? literalKind(kind) : undefined;
}

function isEndOfValue(tokens: TokenList, at: number, isList: boolean): boolean {
  if (
    at >= tokens.count ||
    tokens.isOperator(at, SEMICOLON as number) ||
    tokens.isOperator(at, CLOSE as number)
  )
    return true;
  if (isList && tokens.isOperator(at, COMMA as number)) return true;
  return tokens.kind(at) === WORD && AFTER_VALUE[tokens.detail(at)] === 1;
}
