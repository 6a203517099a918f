import { endOfRun, isSpace } from './characters.ts';
import type { ErrorFields, Piece } from './error-fields.ts';
import { endOfBlock, endOfLine, isSection, SHOWN_LINE_CHARACTERS } from './error-lines.ts';
import { readPrefix } from './error-prefixes.ts';
import { headOfStatement } from './error-statement.ts';
import { TemplateReader } from './error-template-reader.ts';
import { marker } from './marker.ts';
import { frameOf } from './stack-frames.ts';

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
/** What a class may follow. */
const LEADS_ON = /[:)"] $/;
const MAX_SENTENCES = 16;
const PUNCTUATION = /[\s.,;:)"'\]!]*/y;

const SQLSTATE_TAIL =
  /SQLSTATE:? ?([0-9A-Z]{5})\)?(?:; line \d{1,9} pos(?:ition)? \d{1,9})?;?\s{0,4}$/;

class ErrorText {
  private readonly text: string;
  private readonly redactSql: StatementRedactor | undefined;
  private at = 0;
  private readonly lines: string[] = [];
  private fields: ErrorFields = {};
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
    if (this.at >= this.blockEnd) this.blockEnd = endOfBlock(text, lineEnd + 1);
    const template = new TemplateReader(text, this.blockEnd);
    const pieces: Piece[] = [];
    let at = start;
    let isClassAllowed = isFirst;
    for (let count = 0; count < MAX_SENTENCES; count++) {
      const reading = readPrefix(text, at, this.blockEnd, isClassAllowed) ?? template.read(at);
      if (reading === undefined) break;
      const next = reading.end;
      pieces.push(...reading.pieces);
      this.learn(reading.fields ?? {});
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

  /** What is said first counts. */
  private learn(fields: ErrorFields): void {
    this.fields = { ...fields, ...this.fields };
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
        if (field !== undefined && text !== '?') this.learn({ [field]: text });
      }
    }
    if (!isKnown) {
      line += MARKER;
      const state = SQLSTATE_TAIL.exec(rest.slice(-SHOWN_LINE_CHARACTERS))?.[1];
      if (state !== undefined) {
        this.learn({ sqlstate: state });
        line += ` SQLSTATE: ${state}`;
      }
    } else if (rest === MARKER || rest === '?') line += rest;
    this.emit(line);
  }
}
