import { type Filter, filtersOf } from './filters.ts';
import { keyword, keywords, keywordText } from './keywords.ts';
import { type LiteralKind, literalKind } from './literal-kinds.ts';
import {
  COMMENT,
  DATA,
  FIRST_LITERAL,
  GONE,
  NUMBER,
  OPERATOR,
  PARAMETER,
  STRING,
  type TokenList,
  WORD,
} from './tokens.ts';

/** A bound on rows. The number is given only where nothing but a count of rows can stand. */
export type RowBound =
  | { readonly kind: 'constant'; readonly rows: number }
  | { readonly kind: 'parameter' | 'expression' };

/** What a statement says about itself without its values. */
export interface SqlFacts {
  /** The verb of each statement, and the main verb behind WITH; at most {@link MOST_VERBS}. */
  readonly verbs: readonly string[];
  /** Literals of the text by kind. */
  readonly literals: Readonly<Record<LiteralKind, number>>;
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
  /** From a comment in the format of sqlcommenter. */
  readonly traceparent?: string;
  readonly hadHint?: true;
  /** Comparisons of a column with a literal or a parameter; left out when the reading is not sure. */
  readonly filters?: readonly Filter[];
}

const MOST_VERBS = 16;
const MOST_ROW_DIGITS = 9;

const K = {
  with: keyword('WITH'),
  limit: keyword('LIMIT'),
  offset: keyword('OFFSET'),
  fetch: keyword('FETCH'),
  first: keyword('FIRST'),
  next: keyword('NEXT'),
  top: keyword('TOP'),
  row: keyword('ROW'),
  rows: keyword('ROWS'),
  only: keyword('ONLY'),
  ties: keyword('TIES'),
  percent: keyword('PERCENT'),
  tablesample: keyword('TABLESAMPLE'),
  sample: keyword('SAMPLE'),
  select: keyword('SELECT'),
  distinct: keyword('DISTINCT'),
};
const MAIN_VERBS = keywords('SELECT INSERT UPDATE DELETE MERGE');
const METHODS = keywords('BERNOULLI SYSTEM BLOCK BUCKET');
const AFTER_COUNT =
  keywords(`OFFSET FETCH FOR ROW ROWS ONLY PERCENT WITH UNION EXCEPT INTERSECT ON BY
  FORMAT LOCK INTO RETURNING`);
const [OPEN, CLOSE, COMMA, SEMICOLON, QUESTION] = [40, 41, 44, 59, 63];

/** Facts that need a sure reading are left out of a partial one. */
export function factsOf(
  text: string,
  tokens: TokenList,
  verbs: readonly number[],
  isSure: boolean,
  pseudonym: (identifier: string) => string,
): SqlFacts {
  const literals = { string: 0, number: 0, boolean: 0, bareValue: 0, data: 0 };
  let hadHint = false;
  const traceparents = new Set<string>();
  let key = text.indexOf(TRACEPARENT_KEY);
  for (let at = 0; at < tokens.count; at++) {
    const kind = tokens.kind(at);
    if (kind === COMMENT) {
      const start = tokens.start(at);
      hadHint ||= text[start + 2] === '+' && tokens.end(at) - start > 3;
      if (key !== -1 && key < start) key = text.indexOf(TRACEPARENT_KEY, start);
      if (key === -1 || key >= tokens.end(at)) continue;
      const found = traceparentAt(text, key + TRACEPARENT_KEY.length, tokens.end(at));
      if (found) traceparents.add(found);
    } else if (kind >= FIRST_LITERAL && kind !== GONE) {
      literals[literalKind(kind)]++;
    }
  }
  const [traceparent] = traceparents;
  return {
    verbs: verbsOf(tokens, verbs),
    literals,
    ...(isSure ? boundsOf(text, tokens) : {}),
    ...(traceparent !== undefined && traceparents.size === 1 ? { traceparent } : {}),
    ...(hadHint ? { hadHint } : {}),
    ...(isSure ? { filters: filtersOf(text, tokens, pseudonym) } : {}),
  };
}

function verbsOf(tokens: TokenList, verbs: readonly number[]): string[] {
  const names = verbs.slice(0, MOST_VERBS).map(keywordText);
  if (!verbs.includes(K.with)) return names;
  let depth = 0;
  for (let at = 0; at < tokens.count; at++) {
    if (tokens.isOperator(at, OPEN as number)) depth++;
    else if (tokens.isOperator(at, CLOSE as number)) depth--;
    else if (depth === 0 && tokens.kind(at) === WORD && MAIN_VERBS[tokens.detail(at)] === 1) {
      const verb = keywordText(tokens.detail(at));
      return names.flatMap((name) => (name === 'WITH' ? [name, verb] : [name]));
    }
  }
  return names;
}

type Bounds = Pick<
  SqlFacts,
  'limit' | 'offset' | 'fetch' | 'top' | 'withTies' | 'percent' | 'tablesample'
>;

/** Bounds of the outermost query; of several statements none is the bound of the text. */
function boundsOf(text: string, tokens: TokenList): Bounds {
  const bounds: { -readonly [Name in keyof Bounds]: Bounds[Name] } = {};
  let depth = 0;
  for (let at = 0; at < tokens.count; at++) {
    if (tokens.isOperator(at, OPEN as number)) depth++;
    else if (tokens.isOperator(at, CLOSE as number)) depth--;
    else if (tokens.isOperator(at, SEMICOLON as number)) {
      if (tokens.solid(at + 1) < tokens.count) return {};
    }
    if (depth !== 0 || tokens.kind(at) !== WORD || tokens.detail(at) === 0) continue;
    const word = tokens.detail(at);
    const next = tokens.solid(at + 1);
    if (word === K.limit) Object.assign(bounds, limitOf(text, tokens, next));
    else if (word === K.offset) bounds.offset = true;
    else if (word === K.fetch) {
      if (tokens.isKeyword(next, K.first) || tokens.isKeyword(next, K.next)) {
        bounds.fetch = boundAt(text, tokens, tokens.solid(next + 1));
      }
    } else if (word === K.top) {
      const before = tokens.solidBefore(at);
      const isTop =
        before >= 0 && (tokens.isKeyword(before, K.select) || tokens.isKeyword(before, K.distinct));
      if (isTop) bounds.top = boundAt(text, tokens, next);
    } else if (word === K.ties) bounds.withTies = true;
    else if (word === K.percent) bounds.percent = true;
    else if (word === K.tablesample || word === K.sample) {
      const isMethod = tokens.kind(next) === WORD && METHODS[tokens.detail(next)] === 1;
      const bound = boundAt(text, tokens, isMethod ? tokens.solid(next + 1) : next);
      if (isMethod || tokens.isOperator(next, OPEN as number)) {
        const method = isMethod
          ? { method: keywordText(tokens.detail(next)).toLowerCase() as 'system' }
          : {};
        bounds.tablesample = { ...method, ...bound };
      }
    }
  }
  return bounds;
}

/** `LIMIT n`, `LIMIT offset, n` */
function limitOf(text: string, tokens: TokenList, at: number): Bounds {
  const after = tokens.solid(at + 1);
  if (at < tokens.count && tokens.isOperator(after, COMMA as number)) {
    return { limit: boundAt(text, tokens, tokens.solid(after + 1)), offset: true };
  }
  return { limit: boundAt(text, tokens, at) };
}

/** The count at a token, in round brackets or not. */
function boundAt(text: string, tokens: TokenList, at: number): RowBound {
  const isInBrackets = at < tokens.count && tokens.isOperator(at, OPEN as number);
  const index = isInBrackets ? tokens.solid(at + 1) : at;
  if (index >= tokens.count) return { kind: 'expression' };
  const after = tokens.solid(index + 1);
  if (
    isInBrackets
      ? !(tokens.isOperator(after, CLOSE as number) || isCountWord(tokens, after))
      : !isEndOfCount(tokens, after)
  ) {
    return { kind: 'expression' };
  }
  const kind = tokens.kind(index);
  if (kind === PARAMETER || (kind === OPERATOR && tokens.detail(index) === QUESTION))
    return { kind: 'parameter' };
  const digits = text.slice(tokens.start(index), tokens.end(index));
  if (kind !== NUMBER || digits.length > MOST_ROW_DIGITS || !/^\d+$/.test(digits))
    return { kind: 'expression' };
  return { kind: 'constant', rows: Number(digits) };
}

function isCountWord(tokens: TokenList, at: number): boolean {
  return at < tokens.count && tokens.kind(at) === WORD && AFTER_COUNT[tokens.detail(at)] === 1;
}

/** Behind a TOP stands the list of columns, behind other counts the end or a clause. */
function isEndOfCount(tokens: TokenList, at: number): boolean {
  if (at >= tokens.count) return true;
  const kind = tokens.kind(at);
  if (kind !== OPERATOR) return kind !== NUMBER && kind !== STRING && kind !== DATA;
  const code = tokens.detail(at);
  return code === SEMICOLON || code === CLOSE || code === 42;
}

const TRACEPARENT_KEY = 'traceparent=';
const TRACEPARENT = /^'?(00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2})(?:'|,|\s|\*|$)/;
const TRACEPARENT_LENGTH = 57;

function traceparentAt(text: string, start: number, end: number): string | undefined {
  const found = TRACEPARENT.exec(text.slice(start, Math.min(end, start + TRACEPARENT_LENGTH)))?.[1];
  if (!found) return undefined;
  const [, trace, span] = found.split('-') as [string, string, string];
  return /^0+$/.test(trace) || /^0+$/.test(span) ? undefined : found;
}
