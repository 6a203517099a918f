import { endOfRun, isWordPart } from './characters.ts';
import type { ErrorFields, Reading } from './error-fields.ts';
import { endOfLine } from './error-lines.ts';
import { isDataName } from './identifier.ts';

const CAUSE = /(?:Caused by|Suppressed):(?: |$)|Exception in thread "[^"\n]{0,128}" /my;
const LABEL = /(ERROR|FATAL|PANIC|WARNING|DETAIL|HINT|CONTEXT|LOCATION|Detail|Hint|Where): {0,4}/y;
const STATEMENT = /(STATEMENT|QUERY|LINE \d{1,9}): /y;

/** A code or what stands around one. */
interface Prefix {
  readonly pattern: RegExp;
  /** By group of the pattern. */
  readonly fields: ReadonlyArray<'code' | 'sqlstate'>;
  readonly render?: (found: RegExpExecArray) => string;
}

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

/**
 * What stands before a message: causes, severities, codes, classes.
 * @param blockEnd of the lines that may belong to the message, which a statement has all of
 */
export function readPrefix(
  text: string,
  at: number,
  blockEnd: number,
  isClassAllowed: boolean,
): Reading | undefined {
  const cause = matchAt(CAUSE, text, at)?.[0];
  if (cause !== undefined) {
    const shown = cause.startsWith('Exc') ? 'Exception in thread "?" ' : cause;
    return { end: at + cause.length, pieces: [{ text: shown }] };
  }
  const statement = matchAt(STATEMENT, text, at);
  if (statement !== undefined) {
    const end = statement[1]?.startsWith('LINE') ? endOfLine(text, at) : blockEnd;
    return { end, pieces: [{ text: `${statement[1]}: ?` }] };
  }
  const label = matchAt(LABEL, text, at);
  if (label !== undefined) {
    return { end: at + label[0].length, pieces: [{ text: `${label[1]}: ` }] };
  }
  return readCode(text, at) ?? (isClassAllowed ? readClass(text, at) : undefined);
}

function readCode(text: string, at: number): Reading | undefined {
  for (const { pattern, fields, render } of PREFIXES) {
    const found = matchAt(pattern, text, at);
    if (found === undefined) continue;
    const said: { -readonly [K in keyof ErrorFields]: ErrorFields[K] } = {};
    for (const [index, field] of fields.entries()) {
      const value = found[index + 1];
      if (value !== undefined) said[field] = value;
    }
    const shown = render ? render(found) : found[0];
    return { end: at + found[0].length, pieces: [{ text: shown }], fields: said };
  }
  return undefined;
}

const MAX_CLASS_CHARACTERS = 200;
const isClassPart = (code: number) => isWordPart(code) || code === 36 || code === 46;

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
  if (!/^[A-Z]/.test(last) || isDataName(name)) return false;
  return CLASS_ENDING.test(last) || (segments.length > 2 && CLASS_ROOTS.has(segments[0] as string));
}

function readClass(text: string, at: number): Reading | undefined {
  const isBracketed = text[at] === '(';
  const start = isBracketed ? at + 1 : at;
  const end = endOfRun(text, start, isClassPart, MAX_CLASS_CHARACTERS);
  const name = text.slice(start, end);
  const close = isBracketed ? ')' : ':';
  const isLineEnd = endOfLine(text, end) <= end + (text[end] === close ? 1 : 0);
  const isClosed =
    text.startsWith(`${close} `, end) || (isLineEnd && (text[end] === close || !isBracketed));
  if (!isClosed || !isErrorClass(name)) return undefined;
  const stop = text.startsWith(`${close} `, end) ? end + 2 : isBracketed ? end + 1 : end;
  return { end: stop, pieces: [{ text: text.slice(at, stop) }], fields: { class: name } };
}
