/** A rule of the lexer that a dialect settles or leaves open. */
type Setting = boolean | 'open';

/** Rules that two readings of the same text may differ in. */
export interface Readings {
  /** `\'` does not end a string. */
  readonly backslash: Setting;
  readonly hashComments: Setting;
  readonly dollarQuotes: Setting;
  readonly nestedComments: Setting;
  /** `--` begins a comment only before white space. */
  readonly dashNeedsSpace: Setting;
  readonly slashComments: Setting;
  /** `q'[..]'` */
  readonly alternativeQuotes: Setting;
  readonly tripleQuotes: Setting;
  /** `[name]` */
  readonly brackets: Setting;
  /** The inside of a `/*!` comment is code. */
  readonly versionedComments: Setting;
  /** In `r'..'` a backslash keeps the quote from closing: vendors and versions differ. */
  readonly rawEscape: Setting;
  /** A carriage return alone ends a line comment. */
  readonly returnEndsLine: Setting;
  /** Template braces inside a string hold quotes of their own. */
  readonly templateInString: Setting;
}

/** What a database promises of its texts. */
export interface DialectRules extends Readings {
  /** `open`: a name only where nothing else can stand. */
  readonly doubleQuotes: 'name' | 'string' | 'open';
  readonly backticks: boolean;
  /** `$tag$` as well as `$$`. */
  readonly dollarTags: boolean;
  /** `$1` is a parameter and not money. */
  readonly dollarParameters: boolean;
  /** `E'..'` takes backslashes whatever the rule for strings is. */
  readonly escapeStrings: boolean;
  readonly rawStrings: boolean;
  /** `#` may stand in a word. */
  readonly hashWords: boolean;
  /** `@stage/path` */
  readonly stages: boolean;
  /** `table@link` */
  readonly databaseLinks: boolean;
  /** `INSERT .. FORMAT name <data>` */
  readonly formatData: boolean;
}

export interface Dialect extends DialectRules {
  /** The canonical spelling of the name of the database; `unknown` when there is none. */
  readonly name: string;
}
