import { endOfRun, isSpace, isWordPart } from './characters.ts';
import { type SlotKind, type TemplatePart, templatesFor } from './error-templates.ts';
import { needsPseudonym } from './identifier.ts';
import { marker } from './marker.ts';
import { frameOf } from './stack-frames.ts';

/** What is known of an error without any value. */
export interface ErrorFields {
  /** `db.system.name` of who said it. */
  readonly system?: string;
  readonly sqlstate?: string;
  /** The code of the system itself: `ORA-00001`, `1062`, `DIVIDE_BY_ZERO`. */
  readonly code?: string;
  /** The first exception class. */
  readonly class?: string;
  readonly constraint?: string;
  readonly table?: string;
  readonly column?: string;
  readonly type?: string;
}

export interface RedactedError {
  readonly text: string;
  readonly fields: ErrorFields;
  readonly rule: 'error';
}

/** How the statement in an error is redacted; undefined drops it. */
export type StatementRedactor = (sql: string) => string | undefined;

/**
 * An error text without values: what a template knows is kept up to its slots, of stack traces the
 * classes and frames, and everything else is dropped. One pass from line to line.
 */
export function redactErrorText(text: string, redactSql?: StatementRedactor): RedactedError {
  return new ErrorText(text, redactSql).run();
}

const MARKER = marker('error');
const SQL_HEAD = '[SQL: ';
const PARAMETERS_HEAD = '[parameters: ';
const BACKGROUND = /^\(Background on this error at: https:\/\/sqlalche\.me\/e\/[\w/]{1,32}\)$/;
const CAUSE = /(?:Caused by|Suppressed):(?: |$)|Exception in thread "[^"\n]{0,128}" /my;
const LABEL = /(ERROR|FATAL|PANIC|WARNING|DETAIL|HINT|CONTEXT|LOCATION|Detail|Hint|Where): {0,4}/y;
const STATEMENT = /(STATEMENT|QUERY|LINE \d{1,9}): /y;
const BLOCK_HEAD =
  /^\s{0,8}(?:(?:Caused by|Suppressed|ERROR|FATAL|PANIC|WARNING|DETAIL|HINT|CONTEXT|LOCATION|STATEMENT|QUERY|LINE \d{1,9}|Detail|Hint|Where): |\[SQL: |\[parameters: |\(Background on this error at: |== .{1,64} ==$|Exception in thread "|\[redacted:error\]$)/;
const SHOWN_LINE_CHARACTERS = 200;
/** What a class may follow. */
const LEADS_ON = /[:)"] $/;
const MAX_SENTENCES = 16;
const PUNCTUATION = /[\s.,;:)"'\]!]*/y;

/** A piece of a line that is kept, and the name in it when that stands behind a value. */
interface Piece {
  readonly text: string;
  readonly field?: keyof ErrorFields;
  readonly isBehindValue?: boolean;
}

class ErrorText {
  private readonly text: string;
  private readonly redactSql: StatementRedactor | undefined;
  private at = 0;
  private readonly lines: string[] = [];
  private fields: { -readonly [K in keyof ErrorFields]: ErrorFields[K] } = {};
  /** End of the lines that may belong to one message. */
  private blockEnd = 0;

  constructor(text: string, redactSql: StatementRedactor | undefined) {
    this.text = text;
    this.redactSql = redactSql;
  }

  run(): RedactedError {
    while (this.at < this.text.length) this.line();
    return { text: this.lines.join('\n'), fields: this.fields, rule: 'error' };
  }

  private line(): void {
    const { text } = this;
    const end = endOfLine(text, this.at);
    const line = text.slice(this.at, end);
    const frame = frameOf(line);
    if (frame !== undefined) {
      this.emit(frame.text);
      this.at = end + 1;
      if (frame.hasSource) this.skipSource();
      return;
    }
    const start = endOfRun(text, this.at, isSpace, end - this.at);
    if (start >= end) this.at = end + 1;
    else if (text.startsWith(SQL_HEAD, start)) this.sql(start + SQL_HEAD.length);
    else if (text.startsWith(PARAMETERS_HEAD, start)) this.parameters(start);
    else if (BACKGROUND.test(line.trim())) this.skipLine(line.trim(), end);
    else if (isSection(line)) this.section(end);
    else if (/^[\s^~]{1,}$/.test(line.slice(0, SHOWN_LINE_CHARACTERS))) this.at = end + 1;
    else this.message(start, end);
  }

  private emit(line: string): void {
    if (line.trim() === '' || (line === MARKER && this.lines.at(-1) === MARKER)) return;
    this.lines.push(line);
  }

  private skipLine(kept: string, end: number): void {
    this.emit(kept);
    this.at = end + 1;
  }

  /** Lines of source code under a frame of Python; carets, too. */
  private skipSource(): void {
    while (this.at < this.text.length) {
      const end = endOfLine(this.text, this.at);
      if (!this.text.startsWith('    ', this.at) || frameOf(this.text.slice(this.at, end))) return;
      this.at = end + 1;
    }
  }

  /** SQLAlchemy prints the statement up to the parameters, or up to the link about the error. */
  private sql(start: number): void {
    const { text } = this;
    const ends = ['\n[parameters: ', ']\n(Background on this error at']
      .map((close) => text.indexOf(close, start))
      .filter((end) => end !== -1);
    const end = ends.length === 0 ? text.length : Math.min(...ends);
    const statement = text.slice(start, end).replace(/\]$/, '');
    this.emit(`[SQL: ${this.redactSql?.(statement) ?? headOfStatement(statement)}]`);
    this.at = text[end] === ']' ? end + 2 : end + 1;
  }

  private parameters(start: number): void {
    const close = this.text.lastIndexOf(']\n(Background on this error at');
    this.emit('[parameters: ?]');
    this.at = close > start ? close + 2 : this.text.length;
  }

  /** `== SQL ==` of Spark and what is under it, up to a frame. */
  private section(end: number): void {
    this.emit('== SQL ==');
    this.emit('?');
    this.at = this.endOfSection(end + 1);
  }

  private endOfSection(from: number): number {
    let at = from;
    while (at < this.text.length) {
      const end = endOfLine(this.text, at);
      const line = this.text.slice(at, end);
      if (frameOf(line) !== undefined || line.startsWith('Caused by: ')) break;
      at = end + 1;
    }
    return at;
  }

  /** A message from its line on; values may reach over more lines. */
  private message(start: number, lineEnd: number): void {
    const { text } = this;
    const isFirst = start >= this.blockEnd || this.lines.length === 0;
    if (this.at >= this.blockEnd) this.blockEnd = this.endOfBlock(lineEnd + 1);
    const pieces: Piece[] = [];
    let at = start;
    let isClassAllowed = isFirst;
    for (let count = 0; count < MAX_SENTENCES; count++) {
      const next = this.prefix(at, isClassAllowed, pieces) ?? this.template(at, pieces);
      if (next === undefined) break;
      // A class may follow a class or a cause, but not a sentence.
      isClassAllowed &&= LEADS_ON.test(pieces.at(-1)?.text ?? '');
      PUNCTUATION.lastIndex = next;
      const stop = Math.min(next + (PUNCTUATION.exec(text)?.[0].length ?? 0), text.length);
      const isOver = text.slice(next, stop).includes('\n') || stop >= text.length;
      at = isOver ? next : stop;
      const marks = text.slice(next, stop);
      const isSpaced = pieces.at(-1)?.text.endsWith(' ') === true;
      pieces.push({
        text: isOver ? marks.replace(/\s[\s\S]*$/, '') : isSpaced ? marks.trimStart() : marks,
      });
      if (isOver) break;
    }
    const end = endOfLine(text, at);
    this.finish(pieces, text.slice(at, end));
    this.at = end + 1;
  }

  /** Writes a line: names behind a value stay only when nothing unknown follows them, which could be more of the value. */
  private finish(pieces: readonly Piece[], rest: string): void {
    PUNCTUATION.lastIndex = 0;
    const isKnown =
      PUNCTUATION.exec(rest)?.[0].length === rest.length || rest === MARKER || rest === '?';
    let line = '';
    for (const { text, field, isBehindValue } of pieces) {
      if (isBehindValue && !isKnown) line += '?';
      else {
        line += text;
        if (field !== undefined && text !== '?') this.fields[field] ??= text;
      }
    }
    if (!isKnown) {
      line += MARKER;
      const state = SQLSTATE_TAIL.exec(rest.slice(-SHOWN_LINE_CHARACTERS))?.[1];
      if (state !== undefined) {
        this.fields.sqlstate ??= state;
        line += ` SQLSTATE: ${state}`;
      }
    } else if (rest === MARKER || rest === '?') line += rest;
    this.emit(line);
  }

  private endOfBlock(from: number): number {
    let at = from;
    while (at < this.text.length) {
      const end = endOfLine(this.text, at);
      const head = this.text.slice(at, Math.min(end, at + SHOWN_LINE_CHARACTERS));
      if (BLOCK_HEAD.test(head) || frameOf(this.text.slice(at, end)) !== undefined) break;
      at = end + 1;
    }
    return Math.min(at, this.text.length);
  }

  /** What stands before a message: causes, severities, codes, classes. */
  private prefix(at: number, isClassAllowed: boolean, pieces: Piece[]): number | undefined {
    const { text } = this;
    const cause = matchAt(CAUSE, text, at);
    if (cause !== undefined) {
      pieces.push({ text: cause[0].startsWith('Exc') ? 'Exception in thread "?" ' : cause[0] });
      return at + cause[0].length;
    }
    const statement = matchAt(STATEMENT, text, at);
    if (statement !== undefined) {
      pieces.push({ text: `${statement[1]}: ?` });
      return statement[1]?.startsWith('LINE') ? endOfLine(text, at) : this.blockEnd;
    }
    const label = matchAt(LABEL, text, at);
    if (label !== undefined) {
      pieces.push({ text: `${label[1]}: ` });
      return at + label[0].length;
    }
    for (const { pattern, fields, render } of PREFIXES) {
      const found = matchAt(pattern, text, at);
      if (found === undefined) continue;
      for (const [index, field] of fields.entries()) {
        const value = found[index + 1];
        if (value !== undefined) this.fields[field] ??= value;
      }
      pieces.push({ text: render ? render(found) : found[0] });
      return at + found[0].length;
    }
    return isClassAllowed ? this.className(at, pieces) : undefined;
  }

  private className(at: number, pieces: Piece[]): number | undefined {
    const { text } = this;
    const isBracketed = text[at] === '(';
    const start = isBracketed ? at + 1 : at;
    const end = endOfRun(text, start, isClassPart, MAX_CLASS_CHARACTERS);
    const name = text.slice(start, end);
    const close = isBracketed ? ')' : ':';
    const isLineEnd = endOfLine(text, end) <= end + (text[end] === close ? 1 : 0);
    const isClosed =
      text.startsWith(`${close} `, end) || (isLineEnd && (text[end] === close || !isBracketed));
    if (!isClosed || !isErrorClass(name)) return undefined;
    this.fields.class ??= name;
    const stop = text.startsWith(`${close} `, end) ? end + 2 : isBracketed ? end + 1 : end;
    pieces.push({ text: text.slice(at, stop) });
    return stop;
  }

  private template(at: number, pieces: Piece[]): number | undefined {
    for (const { system, head, tails } of templatesFor(this.text[at] ?? '')) {
      const kept: Piece[] = [];
      const value = this.parts(head, at, kept, false);
      if (value === undefined) continue;
      const tail = this.closingTail(tails, value);
      const end = this.parts(tail, value, kept, true);
      if (end === undefined) continue;
      this.fields.system ??= system;
      pieces.push(...kept);
      return end;
    }
    return undefined;
  }

  /** Of the templates that are the same up to a value, the one whose next words stand furthest behind. */
  private closingTail(
    tails: ReadonlyArray<readonly TemplatePart[]>,
    at: number,
  ): readonly TemplatePart[] {
    let best: readonly TemplatePart[] = tails[0] ?? [];
    if (tails.length === 1) return best;
    const block = this.text.slice(at, this.blockEnd);
    let furthest = -1;
    for (const tail of tails) {
      const close = tail[1];
      const literal = close && 'literal' in close ? close.literal : '';
      // A lone quote stands anywhere, so it is the end only when no words are.
      const found = literal.length > 1 ? block.lastIndexOf(literal) : -1;
      if (found > furthest || (furthest === -1 && literal.length === 1))
        [best, furthest] = [tail, found];
    }
    return best;
  }

  /** @returns the offset behind the parts; undefined when they do not stand here, which a value in them rules out */
  private parts(
    parts: readonly TemplatePart[],
    from: number,
    kept: Piece[],
    isBehindValue: boolean,
  ): number | undefined {
    const { text } = this;
    let at = from;
    let hasValue = false;
    for (const [index, part] of parts.entries()) {
      if ('literal' in part) {
        const end = endOfLiteral(text, at, part.literal);
        if (end === undefined) return hasValue ? at : undefined;
        kept.push({ text: part.literal });
        at = end;
        continue;
      }
      const next = parts[index + 1];
      const close = next && 'literal' in next ? next.literal : undefined;
      if (part.slot === '*') {
        hasValue = true;
        kept.push({ text: '?' });
        at = this.endOfValue(at, close);
        continue;
      }
      const slot = this.slot(part.slot, at, close);
      // What a message begins with must be known, or any text would be one.
      const isUnknownStart =
        index === 0 && !isBehindValue && slot?.text === '?' && text[at] !== '?';
      if (slot === undefined || isUnknownStart) return hasValue ? at : undefined;
      const field = part.slot in FIELDS ? FIELDS[part.slot as keyof typeof FIELDS] : undefined;
      kept.push({ text: slot.text, field, isBehindValue: isBehindValue && part.slot !== '#' });
      at = slot.end;
    }
    return at;
  }

  /** A value ends where its closing words stand last in the message, else first behind it, else with the text. */
  private endOfValue(at: number, close: string | undefined): number {
    if (close === undefined)
      return Math.max(at, this.blockEnd - (this.text[this.blockEnd - 1] === '\n' ? 1 : 0));
    const last = this.text.slice(at, this.blockEnd).lastIndexOf(close);
    if (last !== -1) return at + last;
    const later = this.text.indexOf(close, Math.max(at, this.blockEnd));
    return later === -1 ? this.text.length : later;
  }

  private slot(
    kind: SlotKind,
    at: number,
    close: string | undefined,
  ): { text: string; end: number } | undefined {
    const { text } = this;
    // What stood here is gone already.
    if (text[at] === '?' && (close === undefined || text.startsWith(close, at + 1))) {
      return { text: '?', end: at + 1 };
    }
    const lineEnd = endOfLine(text, at);
    const end =
      close === undefined
        ? endOfRun(text, at, kind === 'type' ? isTypePart : isNamePart, MAX_NAME_CHARACTERS)
        : text.slice(at, lineEnd).indexOf(close) + at;
    if (end < at || (close === undefined && end === at)) return undefined;
    // Without closing words a name may end in the full stop of its sentence.
    const stop = close === undefined && text[end - 1] === '.' ? end - 1 : end;
    const name = text.slice(at, stop);
    if (kind === '#' && !/^\d{1,12}$/.test(name)) return undefined;
    if (kind === 'type' && !isType(name))
      return at === end || close === undefined ? undefined : { text: '?', end: stop };
    return { text: isKept(kind, name) ? name : '?', end: stop };
  }
}

const FIELDS = {
  constraint: 'constraint',
  table: 'table',
  column: 'column',
  columns: 'column',
  type: 'type',
} as const;

const MAX_NAME_CHARACTERS = 256;
const MAX_CLASS_CHARACTERS = 200;
const NAME = /^[\p{L}_][\p{L}\p{N}_$#]{0,127}(?:[.:-][\p{L}_][\p{L}\p{N}_$#]{0,127}){0,8}$/u;

const isNamePart = (code: number) =>
  isWordPart(code) || code === 36 || code === 35 || code === 46 || code === 45;
const isTypePart = (code: number) =>
  isWordPart(code) || code === 32 || code === 40 || code === 41 || code === 44;
const isClassPart = (code: number) => isWordPart(code) || code === 36 || code === 46;

function isKept(kind: SlotKind, name: string): boolean {
  if (kind === '#' || kind === 'type') return true;
  if (kind === '~') return false;
  const names = kind === 'columns' ? name.split(', ') : [name];
  return (
    name.length <= MAX_NAME_CHARACTERS &&
    names.every((one) => NAME.test(one) && !needsPseudonym(one))
  );
}

const TYPES = new Set(
  'integer int int2 int4 int8 int64 bigint smallint tinyint mediumint number numeric decimal double real float float64 boolean bool bit text string varchar nvarchar char nchar character varying date datetime datetime2 time timestamp timestamptz timestamp_ntz timestamp_ltz timestamp_tz interval uuid json jsonb bytea blob binary varbinary bytes variant object array geography geometry inet cidr oid precision with without zone large unsigned money xml enum set fixed'.split(
    ' ',
  ),
);

/** A type by its words and at most two lengths. */
function isType(name: string): boolean {
  const bare = name
    .replace(/\(\d{1,5}(?:, ?\d{1,5})?\)/g, '')
    .trim()
    .toLowerCase();
  return name.length <= 80 && bare !== '' && bare.split(' ').every((word) => TYPES.has(word));
}

const CLASS_ENDING =
  /(?:Error|Exception|Warning|Failure|Violation|Interrupt|Exit|Timeout|Fault|Abort)$/;
const CLASS_ROOTS = new Set(
  'java javax org com net io scala psycopg2 psycopg pymysql MySQLdb sqlalchemy google snowflake pyspark py4j airflow dbt builtins asyncpg cx_Oracle oracledb pyodbc requests urllib3 botocore pandas'.split(
    ' ',
  ),
);

/** A class that says by its name or its package that it is one of an error. */
function isErrorClass(name: string): boolean {
  const segments = name.split('.');
  const last = segments.at(-1) ?? '';
  if (segments.length > 16 || !segments.every((segment) => /^[A-Za-z_$][\w$]{0,99}$/.test(segment)))
    return false;
  if (!/^[A-Z]/.test(last) || needsPseudonym(name)) return false;
  return CLASS_ENDING.test(last) || (segments.length > 2 && CLASS_ROOTS.has(segments[0] as string));
}

interface Prefix {
  readonly pattern: RegExp;
  /** By group of the pattern. */
  readonly fields: ReadonlyArray<'code' | 'sqlstate'>;
  readonly render?: (found: RegExpExecArray) => string;
}

const SQLSTATE_TAIL =
  /SQLSTATE:? ?([0-9A-Z]{5})\)?(?:; line \d{1,9} pos(?:ition)? \d{1,9})?;?\s{0,4}$/;
const PREFIXES: readonly Prefix[] = [
  { pattern: /((?:ORA|PLS|TNS|SP2)-\d{4,5}): ?/y, fields: ['code'] },
  { pattern: /\((ORA-\d{5}) details\) /y, fields: ['code'] },
  { pattern: /\((\d{3,6}), ["']/y, fields: ['code'] },
  { pattern: /\('([0-9A-Z]{5})', ["']/y, fields: ['sqlstate'] },
  {
    pattern: /(?:(?:ERROR|Error) )?(\d{3,6}) \(([0-9A-Z]{5})\)(?: at line \d{1,9})?: /y,
    fields: ['code', 'sqlstate'],
  },
  { pattern: /SQL Error \[(\d{1,6})\] \[([0-9A-Z]{5})\]: /y, fields: ['code', 'sqlstate'] },
  { pattern: /SQLSTATE\[([0-9A-Z]{5})\](?: \[(\d{1,6})\])?: ?/y, fields: ['sqlstate', 'code'] },
  { pattern: /\(SQLSTATE ([0-9A-Z]{5})\)/y, fields: ['sqlstate'] },
  { pattern: /SQLSTATE: ([0-9A-Z]{5})(?![0-9A-Za-z])/y, fields: ['sqlstate'] },
  { pattern: /\[(\d[0-9A-Z]{4})\] ?/y, fields: ['sqlstate'] },
  {
    pattern:
      /Msg (\d{1,6}), Level (\d{1,3}), State (\d{1,3})(?:, (?:Server|Procedure) [^,\n]{1,128})?, Line (\d{1,9})/y,
    fields: ['code'],
    render: ([, code, level, state, line]) =>
      `Msg ${code}, Level ${level}, State ${state}, Line ${line}`,
  },
  {
    pattern: /\[(?:Microsoft|ODBC Driver \d{1,2} for SQL Server|SQL Server|FreeTDS|unixODBC)\]/y,
    fields: [],
  },
  { pattern: /\[([A-Z][A-Z0-9]{1,40}[_.][A-Z0-9_.]{1,120})\] ?/y, fields: ['code'] },
];

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? undefined;
}

/** Offset behind a literal, whose spaces stand for any number of them; undefined when it does not stand here. */
function endOfLiteral(text: string, from: number, literal: string): number | undefined {
  if (text.startsWith(literal, from)) return from + literal.length;
  let at = from;
  for (const char of literal) {
    if (char === ' ') {
      const end = endOfRun(text, at, (code) => code === 32 || code === 9, 8);
      // The space at the end of a line may be gone.
      const isLineEnd = end === text.length || text[end] === '\n';
      if (end === at && !(isLineEnd && literal.endsWith(' '))) return undefined;
      at = end;
    } else if (text[at++] !== char) return undefined;
  }
  return at;
}

function endOfLine(text: string, at: number): number {
  const end = text.indexOf('\n', at);
  return end === -1 ? text.length : end;
}

function isSection(line: string): boolean {
  return (
    line.startsWith('== ') && line.length < SHOWN_LINE_CHARACTERS && line.trimEnd().endsWith(' ==')
  );
}

const STATEMENT_HEADS =
  /^\s{0,64}(INSERT INTO|UPDATE|DELETE FROM|MERGE INTO|SELECT|WITH|CREATE|ALTER|DROP|COPY|TRUNCATE)\s{1,8}/i;

/** The verb of a statement, and the table that directly follows `INTO`, `UPDATE` or `FROM`. */
function headOfStatement(sql: string): string {
  const head = STATEMENT_HEADS.exec(sql.slice(0, SHOWN_LINE_CHARACTERS));
  if (head === null) return '?';
  const verb = (head[1] as string).toUpperCase();
  if (!/INTO$|FROM$|^UPDATE$/.test(verb)) return `${verb} ?`;
  const end = endOfRun(sql, head[0].length, isNamePart, MAX_NAME_CHARACTERS);
  const table = sql.slice(head[0].length, end);
  return `${verb} ${isKept('table', table) ? table : '?'} ?`;
}
