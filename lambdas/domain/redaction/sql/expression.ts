import { dialectOf } from './dialects.ts';
import { emit } from './emit.ts';
import { keyword, keywords } from './keywords.ts';
import { readCommon } from './readings.ts';
import { COLON, OPEN, QUESTION } from './signs.ts';
import {
  BOOLEAN,
  CUT,
  DATA,
  FIRST_LITERAL,
  OPERATOR,
  STRING,
  type TokenList,
  WORD,
} from './tokens.ts';
import { isClean } from './verifier.ts';

/** A description of a transformation is a line or two; more than this is no expression of a column. */
const MOST_CHARACTERS = 16 * 1024;

const CONNECTORS =
  keywords(`AND OR NOT IN LIKE ILIKE RLIKE REGEXP BETWEEN CASE WHEN THEN ELSE ESCAPE DIV
  MOD XOR COLLATE IS`);
/** Only inside brackets: in prose they stand everywhere. */
const INNER_CONNECTORS =
  keywords(`AS BY ORDER PARTITION FROM FOR ON USING SELECT WHERE GROUP HAVING LIMIT
  OFFSET JOIN LEFT RIGHT INNER FULL OUTER CROSS UNION EXCEPT INTERSECT ROWS RANGE BOTH LEADING
  TRAILING SEPARATOR DISTINCT ALL`);
/** Follow an operand; in brackets there may be several in a row. */
const SUFFIXES = keywords('END OVER FILTER WITHIN ASC DESC');
const INNER_SUFFIXES =
  keywords(`NULLS FIRST LAST PRECEDING FOLLOWING ROW YEAR MONTH DAY HOUR MINUTE SECOND
  IGNORE RESPECT PRECISION VARYING UNSIGNED SIGNED ZONE TIME UNBOUNDED CURRENT GROUP`);
const BEFORE_STRING = keywords('DATE TIME TIMESTAMP INTERVAL');
const AFTER_IS = keywords('NOT NULL DISTINCT UNKNOWN');
const K = { in: keyword('IN'), is: keyword('IS'), end: keyword('END') };
const OPENING = '([{';
const CLOSING = ')]}';
const INFIX = '+-*/%<>=!~^&|#';
const COMPARISON = '<>=~|';

/**
 * The same for an expression: a predicate, or how a column comes about. Names, functions and operators
 * stay, values become placeholders. Text that is no expression for sure, prose above all, is undefined;
 * so is one with a name that is data.
 */
export function redactExpression(
  text: string,
  options: { readonly dialect?: string } = {},
): string | undefined {
  if (text.length > MOST_CHARACTERS) return undefined;
  const { tokens, isAmbiguous } = readCommon(text, dialectOf(options.dialect), () => []);
  if (isAmbiguous || !new Grammar(text, tokens).accepts()) return undefined;
  const { text: redacted, hasDataName } = emit(text, tokens, () => '');
  return hasDataName || !isClean(redacted) ? undefined : redacted;
}

/** Operands and operators in turn, brackets in pairs; two words in a row pass inside a query only. */
class Grammar {
  private readonly text: string;
  private readonly tokens: TokenList;
  private readonly open: string[] = [];
  private hasOperand = false;
  /** AND, OR and NOT join sentences as well: something must be there that sentences do not have. */
  private needsProof = false;
  private hasProof = false;

  constructor(text: string, tokens: TokenList) {
    this.text = text;
    this.tokens = tokens;
  }

  accepts(): boolean {
    const { tokens } = this;
    for (let at = tokens.solid(0); at < tokens.count; at = tokens.solid(at + 1)) {
      const kind = tokens.kind(at);
      const isRight =
        kind === OPERATOR ? this.sign(at) : kind === WORD ? this.word(at) : this.value(kind);
      if (!isRight) return false;
    }
    return this.hasOperand && this.open.length === 0 && (this.hasProof || !this.needsProof);
  }

  private value(kind: number): boolean {
    if (kind === CUT || kind === DATA || this.hasOperand) return false;
    this.hasOperand = true;
    this.hasProof ||= kind >= FIRST_LITERAL;
    return true;
  }

  private word(at: number): boolean {
    const { tokens } = this;
    const word = tokens.detail(at);
    const next = tokens.solid(at + 1);
    const isInner = this.open.length > 0;
    const isCall = tokens.isOperator(next, OPEN) && tokens.end(at) === tokens.start(next);
    if (word !== 0 && BEFORE_STRING[word] === 1 && tokens.kind(next) === STRING)
      return !this.hasOperand;
    if (word !== 0 && !(isCall && !this.hasOperand)) {
      if (CONNECTORS[word] === 1 || (isInner && INNER_CONNECTORS[word] === 1)) {
        if (word === K.in && !tokens.isOperator(next, OPEN)) return false;
        if (word === K.is && !this.isAfterIs(next)) return false;
        this.needsProof ||= !isInner;
        this.hasOperand = false;
        return true;
      }
      if (this.hasOperand && (SUFFIXES[word] === 1 || (isInner && INNER_SUFFIXES[word] === 1))) {
        this.needsProof ||= !isInner;
        return true;
      }
    }
    if (this.hasOperand) return false;
    this.hasOperand = true;
    return true;
  }

  private isAfterIs(at: number): boolean {
    const { tokens } = this;
    const kind = tokens.kind(at);
    this.hasProof = true;
    return kind === BOOLEAN || tokens.isOperator(at, QUESTION) || tokens.isKeywordOf(at, AFTER_IS);
  }

  private sign(at: number): boolean {
    const { text, tokens, open } = this;
    const sign = text[tokens.start(at)] as string;
    const before = tokens.solidBefore(at);
    const next = tokens.solid(at + 1);
    if (OPENING.includes(sign)) {
      // "Customer (Jane)" is no call.
      const isName = before >= 0 && tokens.kind(before) === WORD && tokens.detail(before) === 0;
      if (isName && tokens.end(before) !== tokens.start(at)) return false;
      open.push(sign);
      this.hasProof = true;
      this.hasOperand = false;
      return true;
    }
    if (CLOSING.includes(sign)) {
      const isEmpty = before >= 0 && OPENING.includes(text[tokens.start(before)] as string);
      if (open.pop() !== OPENING[CLOSING.indexOf(sign)] || !(this.hasOperand || isEmpty))
        return false;
      this.hasOperand = true;
      return true;
    }
    if (sign === '?' || (sign === '*' && !this.hasOperand)) {
      this.hasProof ||= sign === '?';
      this.hasOperand = sign === '?' ? !this.hasOperand : true;
      return true;
    }
    const isCast =
      sign === ':' && (tokens.isOperator(next, COLON) || tokens.isOperator(before, COLON));
    const isDot =
      sign === '.' &&
      this.hasOperand &&
      next < tokens.count &&
      tokens.end(at) === tokens.start(next);
    const isComma = sign === ',' && this.hasOperand && open.length > 0;
    if (!isCast && !isDot && !isComma && !INFIX.includes(sign)) return false;
    this.hasProof ||= isCast || COMPARISON.includes(sign);
    this.hasOperand = false;
    return true;
  }
}
