import {
  CLASS_OF_ASCII,
  classBeyondAscii,
  DIGIT,
  FOREIGN,
  isDigit,
  isSpaceCode,
  isWordCode,
  LETTER,
  SPACE,
  SPECIAL,
} from './characters.ts';
import type { Decisions } from './decisions.ts';
import type { Dialect } from './dialects.ts';
import { hashStep, keyword, keywordAt, keywords } from './keywords.ts';
import {
  dollarTag,
  type Escapes,
  endOfAlternative,
  endOfBlockComment,
  endOfLine,
  endOfName,
  endOfNumber,
  endOfString,
  endOfTemplate,
  endOfTripleString,
  endOfUuid,
  isTemplate,
  UNTERMINATED,
} from './scan.ts';
import { StatementContext } from './statement-context.ts';
import {
  BOOLEAN,
  COMMENT,
  CUT,
  DATA,
  NUMBER,
  OPERATOR,
  PARAMETER,
  QUOTED,
  STRING,
  SYSTEM_VARIABLE,
  TEMPLATE,
  TokenList,
  WORD,
} from './tokens.ts';

const TRUTH = keywords('TRUE FALSE');
const AS = keyword('AS');
const STRING_PREFIX = /^(?:n|b|x|e|r|rb|br|q|nq|g|_\w{1,30})$/i;
const LONGEST_PREFIX = 31;
const MAX_PARAMETER_DIGITS = 5;
const UUID_HEAD = 8;

/**
 * Splits a text into the tokens of one reading, in one pass. Where the text leaves what the reading can
 * explain, one CUT takes everything from there to its end.
 */
export class Lexer {
  readonly tokens: TokenList;
  private readonly text: string;
  private readonly dialect: Dialect;
  private readonly decisions: Decisions;
  private readonly context = new StatementContext();
  private at = 0;
  private isInVersionedComment = false;

  constructor(text: string, dialect: Dialect, decisions: Decisions) {
    this.text = text;
    this.dialect = dialect;
    this.decisions = decisions;
    this.tokens = new TokenList(text.length);
  }

  /** Lexes the whole text. */
  run(): TokenList {
    const { text } = this;
    while (this.at < text.length) {
      const code = text.charCodeAt(this.at);
      const kind = code < 128 ? CLASS_OF_ASCII[code] : this.classHere();
      if (kind === SPACE) this.at++;
      else if (kind === LETTER) this.word(this.at);
      else if (kind === DIGIT) this.number();
      else if (kind === SPECIAL) this.special(code);
      else if (kind === FOREIGN) this.cut(this.at);
      else this.operator(code);
    }
    return this.tokens;
  }

  private classHere(): number {
    return classBeyondAscii(this.text.codePointAt(this.at) as number);
  }

  private add(kind: number, start: number, end: number, detail = 0): void {
    this.tokens.add(kind, start, end, detail);
    this.at = end;
  }

  private cut(start: number): void {
    this.add(CUT, start, this.text.length);
  }

  /** Adds a literal, or cuts where it does not end. */
  private literal(kind: number, start: number, end: number): void {
    if (end === UNTERMINATED) this.cut(start);
    else this.add(kind, start, end);
  }

  private operator(code: number): void {
    this.context.operator(code);
    this.add(OPERATOR, this.at, this.at + 1, code);
  }

  private word(start: number): void {
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
      if (uuid > start) return this.add(STRING, start, uuid);
    }
    // `a$$b$$` is one name to some and a string to others; Oracle alone has names like that.
    if (dollars > 1 && !this.dialect.databaseLinks) return this.cut(start);
    if (next === 58 && text.startsWith('://', end)) return this.cut(start);
    const found = end - start < 16 ? keywordAt(hash, text, start, end) : 0;
    if (found !== 0 && TRUTH[found] === 1 && this.isValue(end)) {
      return this.add(BOOLEAN, start, end);
    }
    // `'it's secret'`: what is glued to a closing quote says that it did not close.
    const last = this.tokens.count - 1;
    const isGlued =
      last >= 0 && this.tokens.kind(last) === STRING && this.tokens.end(last) === start;
    if (isGlued && found === 0) {
      this.tokens.count = last;
      return this.cut(this.tokens.start(last));
    }
    this.add(WORD, start, end, found);
    if (next === 64 && !this.dialect.databaseLinks && this.account()) return;
    this.context.word(found, text, end);
    if (this.context.isFormatData && this.dialect.formatData) this.dataToEnd();
  }

  /** Whether TRUE or FALSE is a value here and not part of a name. */
  private isValue(end: number): boolean {
    const last = this.tokens.count - 1;
    const next = this.text.charCodeAt(end);
    if (next === 46 || next === 40) return false;
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

  private string(start: number, quoteAt: number, escapes: Escapes): void {
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

  private number(): void {
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
  private account(): boolean {
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

  private special(code: number): void {
    const { text, at } = this;
    const next = text.charCodeAt(at + 1);
    if (code === 39) this.string(at, at, 'dialect');
    else if (code === 34) this.doubleQuote();
    else if (code === 96) this.dialect.backticks ? this.name(96) : this.cut(at);
    else if (code === 45) this.dash(next);
    else if (code === 47) this.slash(next);
    else if (code === 42) this.star(next);
    else if (code === 35) this.hash();
    else if (code === 36) this.dollar(next);
    else if (code === 91) this.bracket();
    else if (code === 123) {
      if (isTemplate(text, at)) this.literal(TEMPLATE, at, endOfTemplate(text, at));
      else this.operator(code);
    } else if (code === 64) this.atSign();
    else if (code === 59) this.semicolon();
    else if (code === 46) {
      const before = at > 0 ? text.charCodeAt(at - 1) : 32;
      const isFraction =
        isDigit(next) && !isWordCode(before) && !'"`]'.includes(text[at - 1] ?? ' ');
      if (isFraction) this.number();
      else this.operator(code);
    } else if (code === 58) this.operator(code);
    else this.cut(at); // a backslash: a client's command, or the inside of a string
  }

  private name(close: number): void {
    const start = this.at;
    const end = endOfName(this.text, start + 1, close);
    this.literal(QUOTED, start, end);
  }

  private doubleQuote(): void {
    const { doubleQuotes } = this.dialect;
    if (doubleQuotes === 'name') return this.name(34);
    if (doubleQuotes === 'open' && this.context.isName(this.text, this.at, this.tokens)) {
      return this.name(34);
    }
    this.string(this.at, this.at, 'dialect');
  }

  private dash(next: number): void {
    const { text, at } = this;
    if (next !== 45) return this.operator(45);
    const after = at + 2 < text.length ? text.charCodeAt(at + 2) : 10;
    const isSure = isSpaceCode(after) || after < 32;
    if (!isSure && this.decisions.holds('dashNeedsSpace', at)) return this.operator(45);
    this.add(COMMENT, at, endOfLine(text, at + 2, this.decisions));
  }

  private slash(next: number): void {
    const { text, at } = this;
    if (next === 47 && this.decisions.holds('slashComments', at)) {
      return this.add(COMMENT, at, endOfLine(text, at + 2, this.decisions));
    }
    if (next !== 42) return this.operator(47);
    const isMaria = text.startsWith('M!', at + 2);
    const isVersioned = isMaria || text.charCodeAt(at + 2) === 33;
    if (
      isVersioned &&
      !this.isInVersionedComment &&
      this.decisions.holds('versionedComments', at)
    ) {
      this.isInVersionedComment = true;
      let end = at + (isMaria ? 4 : 3);
      while (isDigit(text.charCodeAt(end))) end++;
      return this.add(COMMENT, at, end);
    }
    this.literal(COMMENT, at, endOfBlockComment(text, at + 2, this.decisions));
  }

  private star(next: number): void {
    if (next !== 47) return this.operator(42);
    if (this.isInVersionedComment) {
      this.isInVersionedComment = false;
      return this.add(COMMENT, this.at, this.at + 2);
    }
    if (this.text.charCodeAt(this.at + 2) === 42) return this.operator(42);
    // Its beginning was cut off, so that everything before may be the inside of a comment.
    this.tokens.count = 0;
    this.cut(0);
  }

  private hash(): void {
    const { dialect, at, text } = this;
    if (dialect.hashWords) {
      // `#temporary` and `##global`; the name is read as a word of its own.
      return this.operator(35);
    }
    if (this.decisions.holds('hashComments', at)) {
      return this.add(COMMENT, at, endOfLine(text, at + 1, this.decisions));
    }
    this.operator(35);
  }

  private dollar(next: number): void {
    const { text, at, dialect } = this;
    if (isDigit(next)) {
      let end = at + 1;
      while (isDigit(text.charCodeAt(end))) end++;
      const isParameter = dialect.dollarParameters && end - at - 1 <= MAX_PARAMETER_DIGITS;
      const after = text.charCodeAt(end);
      if (isParameter && !isWordCode(after) && after !== 46) return this.add(PARAMETER, at, end);
      return this.add(NUMBER, at, endOfNumber(text, at + 1));
    }
    const tag = dollarTag(text, at);
    if (tag === '') return this.operator(36);
    const isQuote =
      (tag === '$$' || dialect.dollarTags) && this.decisions.holds('dollarQuotes', at);
    if (!isQuote) return this.cut(at);
    const end = text.indexOf(tag, at + tag.length);
    this.literal(STRING, at, end === -1 ? UNTERMINATED : end + tag.length);
  }

  private bracket(): void {
    if (this.decisions.holds('brackets', this.at)) this.name(93);
    else if (this.context.isBindTail(this.text, this.at, this.tokens)) this.cut(this.at);
    else this.operator(91);
  }

  private atSign(): void {
    const { text, at, dialect } = this;
    let end = at + 1;
    while (end < text.length && (isWordCode(text.charCodeAt(end)) || text.charCodeAt(end) === 64))
      end++;
    if (dialect.stages) {
      let path = end;
      while (
        path < text.length &&
        (isWordCode(text.charCodeAt(path)) || '.~%'.includes(text[path] as string))
      )
        path++;
      if (text.charCodeAt(path) === 47) {
        this.add(PARAMETER, at, path);
        this.operator(47);
        let stop = path + 1;
        while (stop < text.length && !' \t\r\n\f\v,;)\'"'.includes(text[stop] as string)) stop++;
        if (stop > path + 1) this.add(DATA, path + 1, stop);
        return;
      }
    }
    if (end === at + 1) this.operator(64);
    else this.add(PARAMETER, at, end, text.charCodeAt(at + 1) === 64 ? SYSTEM_VARIABLE : 0);
  }

  private semicolon(): void {
    const isCopy = this.context.isCopyFromStdin;
    this.operator(59);
    this.context.end();
    if (!isCopy) return;
    // Rows without quotes around their values, up to a line with a backslash and a dot.
    const { text, at } = this;
    const end = text.indexOf('\n\\.', at);
    if (end === -1) return this.dataToEnd();
    if (end > at) this.add(DATA, at, end);
    this.add(OPERATOR, end + 1, end + 3, 59);
  }

  private dataToEnd(): void {
    const { text } = this;
    let start = this.at;
    while (start < text.length && isSpaceCode(text.charCodeAt(start))) start++;
    if (start < text.length) this.add(DATA, start, text.length);
    else this.at = start;
  }
}
