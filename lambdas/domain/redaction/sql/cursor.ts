import { isSpaceCode } from './characters.ts';
import type { Decisions } from './decisions.ts';
import type { Dialect } from './dialect.ts';
import { UNTERMINATED } from './scan.ts';
import { StatementContext } from './statement-context.ts';
import { CUT, DATA, OPERATOR, QUOTED, STRING, TokenList } from './tokens.ts';

/** Where a reading stands in its text, and what it has read so far. */
export class Cursor {
  readonly text: string;
  readonly dialect: Dialect;
  readonly decisions: Decisions;
  readonly tokens: TokenList;
  readonly context = new StatementContext();
  /** Offset of the first character that is in no token yet. */
  at = 0;
  isInVersionedComment = false;

  constructor(text: string, dialect: Dialect, decisions: Decisions) {
    this.text = text;
    this.dialect = dialect;
    this.decisions = decisions;
    this.tokens = new TokenList(text.length);
  }

  /** Adds a token that begins here. */
  add(kind: number, end: number, detail = 0): void {
    this.tokens.add(kind, this.at, end, detail);
    this.at = end;
  }

  operator(code: number): void {
    this.context.operator(code);
    this.add(OPERATOR, this.at + 1, code);
  }

  /** Adds a token up to where a scan ended, or cuts where it found no end. */
  addScanned(kind: number, end: number): void {
    if (end === UNTERMINATED) this.cutStrayQuote();
    else this.add(kind, end);
  }

  /** Gives up: from here to the end nothing is sure. */
  cut(start: number): void {
    this.at = start;
    this.add(CUT, this.text.length);
  }

  /**
   * Gives up over a quote without an end, or a character that no code has: an earlier quote may be the stray
   * one, and then what was taken for code since is a value. Nothing behind the first literal of that quote stays.
   */
  cutStrayQuote(): void {
    const { tokens, text } = this;
    const quote = text[this.at];
    const isName = quote === '"' || quote === '`' || quote === '[';
    let first = 0;
    while (first < tokens.count) {
      const kind = tokens.kind(first);
      if (kind === STRING || (isName && kind === QUOTED && text[tokens.start(first)] === quote))
        break;
      first++;
    }
    const start = first < tokens.count ? tokens.start(first) : this.at;
    tokens.drop(first);
    this.cut(start);
  }

  /** Makes data of everything that follows. */
  dataToEnd(): void {
    const { text } = this;
    while (this.at < text.length && isSpaceCode(text.charCodeAt(this.at))) this.at++;
    if (this.at < text.length) this.add(DATA, text.length);
  }
}
