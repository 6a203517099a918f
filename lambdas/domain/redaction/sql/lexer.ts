import {
  CLASS_OF_ASCII,
  DIGIT,
  FOREIGN,
  isDigit,
  isSpaceCode,
  isWordCode,
  LETTER,
  SPACE,
  SPECIAL,
} from './characters.ts';
import {
  dollarTag,
  endOfBlockComment,
  endOfLine,
  endOfName,
  endOfNumber,
  endOfTemplate,
  isTemplate,
  UNTERMINATED,
} from './scan.ts';
import {
  COMMENT,
  DATA,
  NUMBER,
  OPERATOR,
  PARAMETER,
  QUOTED,
  STRING,
  SYSTEM_VARIABLE,
  TEMPLATE,
  type TokenList,
} from './tokens.ts';
import { WordReader } from './word-reader.ts';

const MAX_PARAMETER_DIGITS = 5;
/** Beside letters and digits; a placeholder, too, so that redacted text stays as it is. */
const PATH = '.-=%/~+:?';
const AFTER_PATH = ' \t\r\n\f\v,;)';

/**
 * Splits a text into the tokens of one reading, in one pass. Where the text leaves what the reading can
 * explain, one CUT takes everything from there to its end.
 */
export class Lexer extends WordReader {
  private isInVersionedComment = false;

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

  private special(code: number): void {
    const { text, at } = this;
    const next = text.charCodeAt(at + 1);
    if (code === 39) this.string(at, at, 'dialect');
    else if (code === 34) this.doubleQuote();
    else if (code === 96) this.backtick();
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

  private backtick(): void {
    if (this.dialect.backticks) this.name(96);
    else this.cut(this.at);
  }

  private doubleQuote(): void {
    const { doubleQuotes } = this.dialect;
    if (doubleQuotes === 'name') {
      this.name(34);
      return;
    }
    if (doubleQuotes === 'open' && this.context.isName(this.text, this.at, this.tokens)) {
      this.name(34);
      return;
    }
    this.string(this.at, this.at, 'dialect');
  }

  private dash(next: number): void {
    const { text, at } = this;
    if (next !== 45) {
      this.operator(45);
      return;
    }
    const after = at + 2 < text.length ? text.charCodeAt(at + 2) : 10;
    const isSure = isSpaceCode(after) || after < 32;
    if (!isSure && this.decisions.holds('dashNeedsSpace', at)) {
      this.operator(45);
      return;
    }
    this.add(COMMENT, at, endOfLine(text, at + 2, this.decisions));
  }

  private slash(next: number): void {
    const { text, at } = this;
    if (next === 47 && this.decisions.holds('slashComments', at)) {
      this.add(COMMENT, at, endOfLine(text, at + 2, this.decisions));
      return;
    }
    if (next !== 42) {
      this.operator(47);
      return;
    }
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
      this.add(COMMENT, at, end);
      return;
    }
    this.literal(COMMENT, at, endOfBlockComment(text, at + 2, this.decisions));
  }

  private star(next: number): void {
    if (next !== 47) {
      this.operator(42);
      return;
    }
    if (this.isInVersionedComment) {
      this.isInVersionedComment = false;
      this.add(COMMENT, this.at, this.at + 2);
      return;
    }
    if (this.text.charCodeAt(this.at + 2) === 42) {
      this.operator(42);
      return;
    }
    // Its beginning was cut off, so that everything before may be the inside of a comment.
    this.tokens.count = 0;
    this.cut(0);
  }

  private hash(): void {
    const { dialect, at, text } = this;
    if (dialect.hashWords) {
      // `#temporary` and `##global`; the name is read as a word of its own.
      this.operator(35);
      return;
    }
    if (this.decisions.holds('hashComments', at)) {
      this.add(COMMENT, at, endOfLine(text, at + 1, this.decisions));
      return;
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
      if (isParameter && !isWordCode(after) && after !== 46) {
        this.add(PARAMETER, at, end);
        return;
      }
      this.add(NUMBER, at, endOfNumber(text, at + 1));
      return;
    }
    const tag = dollarTag(text, at);
    if (tag === '') {
      this.operator(36);
      return;
    }
    const isQuote =
      (tag === '$$' || dialect.dollarTags) && this.decisions.holds('dollarQuotes', at);
    if (!isQuote) {
      this.cut(at);
      return;
    }
    const end = text.indexOf(tag, at + tag.length);
    this.literal(STRING, at, end === -1 ? UNTERMINATED : end + tag.length);
  }

  private bracket(): void {
    if (this.decisions.holds('brackets', this.at)) this.name(93);
    else if (this.context.isBindTail(this.text, this.at, this.tokens)) this.cut(this.at);
    else this.operator(91);
  }

  private atSign(): void {
    const { text, at, dialect, tokens } = this;
    const last = tokens.count - 1;
    const isHost =
      last >= 0 &&
      tokens.end(last) === at &&
      (tokens.kind(last) === STRING || tokens.kind(last) === QUOTED);
    if (isHost && !dialect.databaseLinks && this.account()) return;
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
      if (text.charCodeAt(path) === 47 && text.charCodeAt(path + 1) !== 42) {
        this.add(PARAMETER, at, path);
        this.operator(47);
        this.path(path + 1);
        return;
      }
    }
    if (end === at + 1) this.operator(64);
    else this.add(PARAMETER, at, end, text.charCodeAt(at + 1) === 64 ? SYSTEM_VARIABLE : 0);
  }

  /** The path behind a stage. What may begin a string or a comment to others makes it unsure. */
  private path(start: number): void {
    const { text } = this;
    let end = start;
    while (
      end < text.length &&
      (isWordCode(text.charCodeAt(end)) || PATH.includes(text[end] as string))
    ) {
      end++;
    }
    const isSure = end === text.length || AFTER_PATH.includes(text[end] as string);
    const path = text.slice(start, end);
    if (!isSure || path.includes('--') || path.includes('//') || path.includes('$'))
      this.cut(start);
    else if (end > start) this.add(DATA, start, end);
  }

  private semicolon(): void {
    const isCopy = this.context.isCopyFromStdin;
    this.operator(59);
    this.context.end();
    if (!isCopy) return;
    // Rows without quotes around their values, up to a line with a backslash and a dot.
    const { text, at } = this;
    const end = text.indexOf('\n\\.', at);
    if (end === -1) {
      this.dataToEnd();
      return;
    }
    if (end > at) this.add(DATA, at, end);
    this.add(OPERATOR, end + 1, end + 3, 59);
  }

  protected override dataToEnd(): void {
    const { text } = this;
    let start = this.at;
    while (start < text.length && isSpaceCode(text.charCodeAt(start))) start++;
    if (start < text.length) this.add(DATA, start, text.length);
    else this.at = start;
  }
}
