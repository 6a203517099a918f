import { CLASS_OF_ASCII, classBeyondAscii, DIGIT, isWordCode, LETTER } from './characters.ts';
import type { Decisions } from './decisions.ts';
import type { Dialect } from './dialect.ts';
import { hashStep, keyword, keywordAt, keywords } from './keywords.ts';
import {
  type Escapes,
  endOfAlternative,
  endOfNumber,
  endOfString,
  endOfTripleString,
  endOfUuid,
  UNTERMINATED,
} from './scan.ts';
import { StatementContext } from './statement-context.ts';
import { BOOLEAN, CUT, DATA, NUMBER, OPERATOR, STRING, TokenList, WORD } from './tokens.ts';

const TRUTH = keywords('TRUE FALSE');
const AS = keyword('AS');
const STRING_PREFIX = /^(?:n|b|x|e|r|rb|br|q|nq|g|_\w{1,30})$/i;
const LONGEST_PREFIX = 31;
const UUID_HEAD = 8;

/**
 * The part of the lexer that reads words, numbers and strings, and what is glued to them.
 */
export abstract class WordReader {
  readonly tokens: TokenList;
  protected readonly text: string;
  protected readonly dialect: Dialect;
  protected readonly decisions: Decisions;
  protected readonly context = new StatementContext();
  protected at = 0;

  constructor(text: string, dialect: Dialect, decisions: Decisions) {
    this.text = text;
    this.dialect = dialect;
    this.decisions = decisions;
    this.tokens = new TokenList(text.length);
  }

  /** Makes data of everything that follows. */
  protected abstract dataToEnd(): void;

  protected classHere(): number {
    return classBeyondAscii(this.text.codePointAt(this.at) as number);
  }

  protected add(kind: number, start: number, end: number, detail = 0): void {
    this.tokens.add(kind, start, end, detail);
    this.at = end;
  }

  protected cut(start: number): void {
    this.add(CUT, start, this.text.length);
  }

  /** Adds a literal, or cuts where it does not end. */
  protected literal(kind: number, start: number, end: number): void {
    if (end === UNTERMINATED) this.cut(start);
    else this.add(kind, start, end);
  }

  protected operator(code: number): void {
    this.context.operator(code);
    this.add(OPERATOR, this.at, this.at + 1, code);
  }

  protected word(start: number): void {
    const { text } = this;
    let hash = 0;
    let dollars = 0;
    let end = start;
    for (; end < text.length; end++) {
      const code = text.charCodeAt(end);
      if (code < 128) {
        const kind = CLASS_OF_ASCII[code];
        if (kind !== LETTER && kind !== DIGIT) {
          if (code === 36) dollars++;
          else if (!(code === 35 && this.dialect.hashWords)) break;
        }
        hash = hashStep(hash, code);
      } else {
        const point = text.codePointAt(end) as number;
        if (classBeyondAscii(point) !== LETTER) break;
        if (point > 0xffff) end++;
        hash = hashStep(hash, point);
      }
    }
    const next = text.charCodeAt(end);
    if (next === 39 && this.prefixedString(start, end)) return;
    if (next === 34 && this.dialect.rawStrings && this.prefixedString(start, end)) return;
    if (next === 45 && end - start === UUID_HEAD) {
      const uuid = endOfUuid(text, start);
      if (uuid > start) {
        this.add(STRING, start, uuid);
        return;
      }
    }
    // `a$$b$$` is one name to some and a string to others; Oracle alone has names like that.
    if (dollars > 1 && !this.dialect.databaseLinks) {
      this.cut(start);
      return;
    }
    if (next === 58 && text.startsWith('://', end)) {
      this.cut(start);
      return;
    }
    const found = end - start < 16 ? keywordAt(hash, text, start, end) : 0;
    if (found !== 0 && TRUTH[found] === 1 && this.isValue()) {
      this.add(BOOLEAN, start, end);
      return;
    }
    // `'it's secret'`: what is glued to a closing quote says that it did not close.
    const last = this.tokens.count - 1;
    const isGlued =
      last >= 0 && this.tokens.kind(last) === STRING && this.tokens.end(last) === start;
    if (isGlued && found === 0) {
      this.tokens.count = last;
      this.cut(this.tokens.start(last));
      return;
    }
    this.add(WORD, start, end, found);
    if (next === 64 && !this.dialect.databaseLinks && this.account()) return;
    this.context.word(found, text, end);
    if (this.context.isFormatData && this.dialect.formatData) this.dataToEnd();
  }

  /** Whether TRUE or FALSE is a value here and not part of a name. */
  private isValue(): boolean {
    const last = this.tokens.count - 1;
    return last < 0 || !(this.tokens.isOperator(last, 46) || this.tokens.isKeyword(last, AS));
  }

  private prefixedString(start: number, quote: number): boolean {
    if (quote - start > LONGEST_PREFIX) return false;
    const prefix = this.text.slice(start, quote);
    if (!STRING_PREFIX.test(prefix)) return false;
    if (/^n?q$/i.test(prefix) && this.decisions.holds('alternativeQuotes', start)) {
      this.literal(STRING, start, endOfAlternative(this.text, quote));
      return true;
    }
    const isRaw = this.dialect.rawStrings && /r/i.test(prefix);
    const isEscape = this.dialect.escapeStrings && /^e$/i.test(prefix);
    // Where both may be meant, the rule of the dialect is open as well.
    const escapes: Escapes = isRaw
      ? 'raw'
      : isEscape && this.dialect.backslash !== 'open'
        ? 'always'
        : 'dialect';
    this.string(start, quote, escapes);
    return true;
  }

  protected string(start: number, quoteAt: number, escapes: Escapes): void {
    const { text, decisions } = this;
    const quote = text.charCodeAt(quoteAt);
    const isTriple =
      text.charCodeAt(quoteAt + 1) === quote &&
      text.charCodeAt(quoteAt + 2) === quote &&
      decisions.holds('tripleQuotes', start);
    this.literal(
      STRING,
      start,
      isTriple
        ? endOfTripleString(text, quoteAt + 3, quote, escapes, decisions)
        : endOfString(text, quoteAt + 1, quote, escapes, decisions),
    );
  }

  protected number(): void {
    const start = this.at;
    const uuid = endOfUuid(this.text, start);
    this.add(NUMBER, start, uuid > start ? uuid : endOfNumber(this.text, start));
    // Word characters beyond ASCII belong to whatever this is.
    if (
      this.at < this.text.length &&
      this.text.charCodeAt(this.at) >= 128 &&
      this.classHere() === LETTER
    ) {
      const first = this.tokens.count - 1;
      this.word(this.at);
      this.tokens.fold(first, this.tokens.count, DATA);
    }
    if (this.text.charCodeAt(this.at) === 64 && !this.dialect.databaseLinks) this.account();
  }

  /** `jane.doe@host`: an account or an address, with everything that is glued to it. */
  protected account(): boolean {
    const { text, tokens } = this;
    let end = this.at + 1;
    while (
      end < text.length &&
      (isWordCode(text.charCodeAt(end)) || '.-+%'.includes(text[end] as string))
    ) {
      end++;
    }
    if (end === this.at + 1) return false;
    let first = tokens.count - 1;
    while (first > 0 && tokens.end(first - 1) === tokens.start(first) && this.isGlue(first - 1))
      first--;
    tokens.setEnd(tokens.count - 1, end);
    tokens.fold(first, tokens.count, DATA);
    tokens.count = first + 1;
    this.at = end;
    return true;
  }

  private isGlue(index: number): boolean {
    const { tokens } = this;
    const kind = tokens.kind(index);
    if (kind === WORD || kind === NUMBER) return true;
    return kind === OPERATOR && '.-+%'.includes(String.fromCharCode(tokens.detail(index)));
  }
}
