import { keyword, keywords, keywordText } from './keywords.ts';
import { CLOSE, COMMA, OPEN, QUESTION, SEMICOLON } from './signs.ts';
import { DATA, NUMBER, OPERATOR, PARAMETER, STRING, type TokenList } from './tokens.ts';

/** A bound on rows. The number is given only where nothing but a count of rows can stand. */
export type RowBound =
  | { readonly kind: 'constant'; readonly rows: number }
  | { readonly kind: 'parameter' | 'expression' };

/** How a statement bounds its rows. */
export interface RowBounds {
  readonly limit?: RowBound;
  /** An offset can be the key of a page, so only that there is one. */
  readonly offset?: true;
  readonly fetch?: RowBound;
  readonly top?: RowBound;
  readonly withTies?: true;
  readonly percent?: true;
  readonly tablesample?: {
    readonly method?: 'bernoulli' | 'system' | 'block' | 'bucket';
  } & RowBound;
}

const MOST_ROW_DIGITS = 9;

const K = {
  limit: keyword('LIMIT'),
  offset: keyword('OFFSET'),
  fetch: keyword('FETCH'),
  top: keyword('TOP'),
  ties: keyword('TIES'),
  percent: keyword('PERCENT'),
};
const BOUNDS = keywords('LIMIT OFFSET FETCH TOP TIES PERCENT TABLESAMPLE SAMPLE');
const BEFORE_TOP = keywords('SELECT DISTINCT');
const AFTER_FETCH = keywords('FIRST NEXT');
const METHODS = keywords('BERNOULLI SYSTEM BLOCK BUCKET');
const AFTER_COUNT =
  keywords(`OFFSET FETCH FOR ROW ROWS ONLY PERCENT WITH UNION EXCEPT INTERSECT ON BY
  FORMAT LOCK INTO RETURNING`);
const STAR = 42;

/** Bounds of the outermost query; of several statements none is the bound of the text. */
export function rowBoundsOf(text: string, tokens: TokenList): RowBounds {
  const first = tokens.nextKeyword(0, tokens.count, BOUNDS);
  if (first === tokens.count) return {};
  const bounds: RowBounds = {};
  let depth = 0;
  for (let at = 0; at < tokens.count; at++) {
    if (tokens.kind(at) === OPERATOR) {
      const code = tokens.detail(at);
      if (code === OPEN) depth++;
      else if (code === CLOSE) depth--;
      else if (code === SEMICOLON && tokens.solid(at + 1) < tokens.count) return {};
    } else if (depth === 0 && tokens.isKeywordOf(at, BOUNDS)) {
      Object.assign(bounds, boundBy(text, tokens, at));
    }
  }
  return bounds;
}

function boundBy(text: string, tokens: TokenList, at: number): RowBounds {
  const next = tokens.solid(at + 1);
  switch (tokens.detail(at)) {
    case K.limit:
      return limit(text, tokens, next);
    case K.offset:
      return { offset: true };
    case K.fetch:
      if (!tokens.isKeywordOf(next, AFTER_FETCH)) return {};
      return { fetch: boundAt(text, tokens, tokens.solid(next + 1)) };
    case K.top:
      if (!tokens.isKeywordOf(tokens.solidBefore(at), BEFORE_TOP)) return {};
      return { top: boundAt(text, tokens, next) };
    case K.ties:
      return { withTies: true };
    case K.percent:
      return { percent: true };
    default:
      return sample(text, tokens, next);
  }
}

/** `LIMIT n`, `LIMIT offset, n` */
function limit(text: string, tokens: TokenList, at: number): RowBounds {
  const after = tokens.solid(at + 1);
  if (tokens.isOperator(after, COMMA)) {
    return { limit: boundAt(text, tokens, tokens.solid(after + 1)), offset: true };
  }
  return { limit: boundAt(text, tokens, at) };
}

/** `TABLESAMPLE BERNOULLI (n)`, `SAMPLE (n)` */
function sample(text: string, tokens: TokenList, at: number): RowBounds {
  if (tokens.isKeywordOf(at, METHODS)) {
    const method = keywordText(tokens.detail(at)).toLowerCase() as 'system';
    return { tablesample: { method, ...boundAt(text, tokens, tokens.solid(at + 1)) } };
  }
  if (!tokens.isOperator(at, OPEN)) return {};
  return { tablesample: boundAt(text, tokens, at) };
}

/** The count at a token, in round brackets or not. */
function boundAt(text: string, tokens: TokenList, at: number): RowBound {
  const isInBrackets = tokens.isOperator(at, OPEN);
  const index = isInBrackets ? tokens.solid(at + 1) : at;
  if (index >= tokens.count) return { kind: 'expression' };
  const after = tokens.solid(index + 1);
  const isAlone = isInBrackets
    ? tokens.isOperator(after, CLOSE) || tokens.isKeywordOf(after, AFTER_COUNT)
    : isEndOfCount(tokens, after);
  if (!isAlone) return { kind: 'expression' };
  if (tokens.kind(index) === PARAMETER || tokens.isOperator(index, QUESTION)) {
    return { kind: 'parameter' };
  }
  const digits = text.slice(tokens.start(index), tokens.end(index));
  const isCount =
    tokens.kind(index) === NUMBER && digits.length <= MOST_ROW_DIGITS && /^\d+$/.test(digits);
  return isCount ? { kind: 'constant', rows: Number(digits) } : { kind: 'expression' };
}

/** Behind a TOP stands the list of columns, behind other counts the end or a clause. */
function isEndOfCount(tokens: TokenList, at: number): boolean {
  if (at >= tokens.count) return true;
  const kind = tokens.kind(at);
  if (kind !== OPERATOR) return kind !== NUMBER && kind !== STRING && kind !== DATA;
  const code = tokens.detail(at);
  return code === SEMICOLON || code === CLOSE || code === STAR;
}
