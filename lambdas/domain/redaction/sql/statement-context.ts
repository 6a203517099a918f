import { isDigit, isSpaceCode, isWordCode } from './characters.ts';
import { keyword, keywords } from './keywords.ts';
import { CLOSE, DOT, OPEN, QUESTION, SEMICOLON } from './signs.ts';
import { OPERATOR, type TokenList, WORD } from './tokens.ts';

const [DOUBLE_QUOTE, STAR, CLOSE_BRACKET] = [34, 42, 93] as const;
const COPY = keyword('COPY');
const INSERT = keyword('INSERT');
const FORMAT = keyword('FORMAT');
const STDIN = keyword('STDIN');
const SELECT = keyword('SELECT');
const FROM = keyword('FROM');
const DISTINCT = keyword('DISTINCT');
const ARRAY = keyword('ARRAY');
const BEFORE_NAME = keywords('FROM JOIN INTO UPDATE TABLE');
const AFTER_COLUMNS = keywords('VALUES SELECT SET WITH');

/** What the lexer must know of the statement around it, since it changes how the text is split. */
export class StatementContext {
  isCopyFromStdin = false;
  /** What follows is rows in a format of their own. */
  isFormatData = false;
  private verb = 0;
  private isBeforeValues = true;
  private wasFormat = false;
  /** Whether each open bracket began with SELECT. */
  private readonly brackets: boolean[] = [];

  /** Called for each word, with its keyword. */
  word(found: number, text: string, end: number): void {
    if (this.wasFormat) this.isFormatData = text.charCodeAt(end) !== DOT;
    this.wasFormat = false;
    if (this.verb === 0) this.verb = found === 0 ? -1 : found;
    if (found === 0) return;
    if (found === STDIN && this.verb === COPY) this.isCopyFromStdin = true;
    if (found === SELECT && this.brackets.length > 0)
      this.brackets[this.brackets.length - 1] = true;
    if (AFTER_COLUMNS[found] === 1) this.isBeforeValues = false;
    this.wasFormat = found === FORMAT && this.verb === INSERT && this.brackets.length === 0;
  }

  operator(code: number): void {
    this.wasFormat = false;
    if (code === OPEN) this.brackets.push(false);
    else if (code === CLOSE) this.brackets.pop();
  }

  /** The statement ended. */
  end(): void {
    this.isCopyFromStdin = false;
    this.wasFormat = false;
    this.verb = 0;
    this.isBeforeValues = true;
    this.brackets.length = 0;
  }

  /** Whether a double quote can open nothing but a name: part of a dotted one, a table, a column to insert. */
  isName(text: string, at: number, tokens: TokenList): boolean {
    const end = endOfSimpleName(text, at + 1);
    if (end === -1) return false;
    const last = tokens.solidBefore(tokens.count);
    if (last < 0) return false;
    if (text.charCodeAt(end + 1) === DOT && continuesName(text.charCodeAt(end + 2))) return true;
    if (tokens.isOperator(last, DOT) && tokens.end(last) === at) return true;
    const depth = this.brackets.length;
    if (this.verb === INSERT && this.isBeforeValues && depth === 1) return true;
    if (!tokens.isKeywordOf(last, BEFORE_NAME)) return false;
    if (tokens.detail(last) !== FROM) return true;
    // TRIM(BOTH FROM "x"), a IS DISTINCT FROM "x"
    const before = tokens.solidBefore(last);
    if (before >= 0 && tokens.isKeyword(before, DISTINCT)) return false;
    return depth === 0 || this.brackets[depth - 1] === true;
  }

  /** Whether a square bracket begins the list of values that a logger appends to a statement. */
  isBindTail(text: string, at: number, tokens: TokenList): boolean {
    const last = tokens.solidBefore(tokens.count);
    if (last < 0) return true;
    if (tokens.end(last) === at) return false;
    if (tokens.kind(last) === OPERATOR) {
      const code = tokens.detail(last);
      return code === CLOSE || code === CLOSE_BRACKET || code === SEMICOLON || code === QUESTION;
    }
    let inner = at + 1;
    while (inner < text.length && (isSpaceCode(text.charCodeAt(inner)) || text[inner] === '['))
      inner++;
    const isArray = tokens.kind(last) === WORD && tokens.detail(last) !== 0;
    return !isArray || (text[inner] === '"' && !tokens.isKeyword(last, ARRAY));
  }
}

function endOfSimpleName(text: string, at: number): number {
  let end = at;
  while (end < text.length && isWordCode(text.charCodeAt(end))) end++;
  return end > at && text.charCodeAt(end) === DOUBLE_QUOTE ? end : -1;
}

/** What follows the dot of a name, or the placeholder of what followed it. */
function continuesName(code: number): boolean {
  return (
    (isWordCode(code) && !isDigit(code)) ||
    code === DOUBLE_QUOTE ||
    code === STAR ||
    code === QUESTION
  );
}
