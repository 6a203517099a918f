import { keyword, keywords, PLAIN_VERBS, VERBS } from './keywords.ts';
import {
  COMMENT,
  DATA,
  FIRST_LITERAL,
  GONE,
  OPERATOR,
  PARAMETER,
  QUOTED,
  SECRET,
  SYSTEM_VARIABLE,
  TEMPLATE,
  type TokenList,
  WORD,
} from './tokens.ts';

const K = {
  password: keyword('PASSWORD'),
  identified: keyword('IDENTIFIED'),
  set: keyword('SET'),
  to: keyword('TO'),
  for: keyword('FOR'),
  transaction: keyword('TRANSACTION'),
  create: keyword('CREATE'),
  alter: keyword('ALTER'),
  exec: keyword('EXEC'),
  execute: keyword('EXECUTE'),
  load: keyword('LOAD'),
  inline: keyword('INLINE'),
  as: keyword('AS'),
};
const SEMICOLON = 59;
const EQUALS = 61;
const DOT = 46;
const OPEN = 40;
const CLOSE = 41;

/** What these are about is never SQL: `CONNECT scott/tiger`. */
const OPAQUE_VERBS = keywords('CONNECT VALIDATE PUT GET INSTALL ATTACH NOTIFY');
/** May stand between CREATE or ALTER and the kind of object. */
const MODIFIERS =
  keywords(`REPLACE OR TEMP TEMPORARY LOCAL GLOBAL UNLOGGED TRANSIENT VOLATILE PUBLIC
  PERSISTENT SECURE RECURSIVE UNIQUE CLUSTERED NONCLUSTERED MATERIALIZED FORCE NO EXTERNAL MULTISET
  EDITIONABLE NONEDITIONABLE LIVE STREAMING DYNAMIC CONSTRAINT TRUSTED FULLTEXT SPATIAL BITMAP
  COLUMNSTORE ALTER`);
/** Objects that are made of names and expressions; all others may hold bare-word secrets. */
const PLAIN_OBJECTS =
  keywords(`TABLE VIEW INDEX FUNCTION PROCEDURE PROC TRIGGER SEQUENCE SCHEMA TYPE
  DOMAIN EXTENSION AGGREGATE OPERATOR CAST RULE POLICY MACRO SYNONYM PACKAGE STREAM TASK PUBLICATION
  STATISTICS COLLATION PARTITION SNAPSHOT`);
const NAME_PREFIXES = keywords('IF NOT EXISTS FOR CONCURRENTLY');
const OPTION_LISTS = keywords('OPTIONS PROPERTIES TBLPROPERTIES SERDEPROPERTIES CREDENTIALS');
const SET_VALUES = keywords('ON OFF TRUE FALSE DEFAULT NULL');
const EXEC_WORDS = keywords('OUTPUT OUT DEFAULT NULL WITH RECOMPILE AS');
const QUERY_STARTS = keywords('SELECT WITH');

/**
 * Makes literals of the bare words that are values because of the statement they stand in.
 * @returns the keyword of each statement's verb
 */
export function applyStatementRules(tokens: TokenList): number[] {
  const verbs: number[] = [];
  let start = 0;
  while (start < tokens.count) {
    let end = start;
    while (end < tokens.count && !tokens.isOperator(end, SEMICOLON)) end++;
    const verb = applyToStatement(tokens, start, end);
    if (verb > 0) verbs.push(verb);
    start = end + 1;
  }
  return verbs;
}

function applyToStatement(tokens: TokenList, start: number, end: number): number {
  const first = startOfStatement(tokens, start, end);
  if (first === end) return 0;
  const verb = tokens.kind(first) === WORD ? tokens.detail(first) : 0;
  if (VERBS[verb] !== 1) {
    // Cut off at its head, a fragment of a log, or a list of values.
    tokens.fold(first, end, DATA);
    return 0;
  }
  foldAfter(tokens, first + 1, end, K.identified);
  if (PLAIN_VERBS[verb] === 1) {
    foldInner(tokens, first, end);
    return verb;
  }
  if (OPAQUE_VERBS[verb] === 1) tokens.fold(tokens.solid(first + 1), end, SECRET);
  else if (verb === K.set) foldSetting(tokens, first + 1, end);
  else if (verb === K.create || verb === K.alter) foldDefinition(tokens, first + 1, end);
  else {
    foldAfter(tokens, first + 1, end, K.password);
    if (verb === K.load) foldAfter(tokens, first + 1, end, K.inline);
    foldOptions(tokens, first + 1, end);
  }
  return verb;
}

/** Batches and blocks hold further statements without a semicolon before them. */
function foldInner(tokens: TokenList, from: number, end: number): void {
  for (let at = from; at < end; at++) {
    if (tokens.kind(at) !== WORD) continue;
    const word = tokens.detail(at);
    if (word === K.exec || word === K.execute) foldArguments(tokens, at + 1, end);
    else if (word === K.create || word === K.alter) {
      foldDefinition(tokens, at + 1, end);
      return;
    }
  }
}

/** The verb may stand behind templates, brackets, braces and `? =` of a call. */
function startOfStatement(tokens: TokenList, start: number, end: number): number {
  let at = start;
  for (; at < end; at++) {
    const kind = tokens.kind(at);
    if (kind === COMMENT || kind === GONE || kind === TEMPLATE) continue;
    if (kind === OPERATOR && '({?='.includes(String.fromCharCode(tokens.detail(at)))) continue;
    break;
  }
  return at;
}

/** Everything behind a word up to the end of the statement. */
function foldAfter(tokens: TokenList, from: number, end: number, word: number): void {
  for (let at = from; at < end; at++) {
    if (tokens.isKeyword(at, word)) {
      foldTail(tokens, at + 1, end);
      return;
    }
  }
}

function foldTail(tokens: TokenList, from: number, end: number): void {
  const first = tokens.solid(from);
  if (first < end) tokens.fold(first, end, SECRET);
}

/** `SET [SESSION] name = value`, `SET name TO value`; a variable of T-SQL takes an expression. */
function foldSetting(tokens: TokenList, from: number, end: number): void {
  foldAfter(tokens, from, end, K.password);
  const first = tokens.solid(from);
  if (first >= end || tokens.isKeyword(first, K.transaction)) return;
  if (tokens.kind(first) === PARAMETER && tokens.detail(first) !== SYSTEM_VARIABLE) return;
  for (let at = first; at < end; at++) {
    if (tokens.isOperator(at, EQUALS) || tokens.isKeyword(at, K.to)) {
      foldTail(tokens, at + 1, end);
      return;
    }
  }
  const value = tokens.solid(afterName(tokens, first, end));
  if (value < end && !(tokens.kind(value) === WORD && SET_VALUES[tokens.detail(value)] === 1)) {
    foldTail(tokens, value, end);
  }
}

function foldDefinition(tokens: TokenList, from: number, end: number): void {
  let at = from;
  while (at < end && isModifier(tokens, at)) at++;
  if (at >= end || tokens.kind(at) !== WORD) {
    foldTail(tokens, at, end);
    return;
  }
  const object = tokens.detail(at);
  if (PLAIN_OBJECTS[object] === 1) {
    foldOptions(tokens, at + 1, end);
    return;
  }
  at = tokens.solid(at + 1);
  while (at < end && tokens.kind(at) === WORD && NAME_PREFIXES[tokens.detail(at)] === 1) {
    at = tokens.solid(at + 1);
  }
  foldTail(tokens, afterName(tokens, at, end), end);
}

function isModifier(tokens: TokenList, at: number): boolean {
  const kind = tokens.kind(at);
  if (kind === COMMENT || kind === GONE) return true;
  return kind === WORD && MODIFIERS[tokens.detail(at)] === 1;
}

/** Behind a name with its dots, if one stands there. */
function afterName(tokens: TokenList, from: number, end: number): number {
  let at = from;
  while (at < end) {
    const kind = tokens.kind(at);
    if (kind !== WORD && kind !== QUOTED) return at;
    at++;
    if (!(at < end && tokens.isOperator(at, DOT))) return at;
    at++;
  }
  return at;
}

/**
 * Bare words as values of options: `name = word` anywhere before a query, and inside
 * `OPTIONS (name word)` everything but the names.
 */
function foldOptions(tokens: TokenList, from: number, end: number): void {
  let depth = 0;
  let list = 0;
  let before = -1;
  for (let at = from; at < end; at++) {
    const kind = tokens.kind(at);
    if (kind === COMMENT || kind === GONE) continue;
    if (tokens.isOperator(at, OPEN)) {
      depth++;
      const isList =
        before >= 0 && tokens.kind(before) === WORD && OPTION_LISTS[tokens.detail(before)] === 1;
      if (isList && list === 0) list = depth;
    } else if (tokens.isOperator(at, CLOSE)) {
      if (depth === list) list = 0;
      depth--;
    } else if (kind === WORD || kind === QUOTED) {
      if (startsQuery(tokens, at, before)) return;
      const isName =
        before >= 0 &&
        tokens.kind(before) === OPERATOR &&
        '(,.'.includes(String.fromCharCode(tokens.detail(before)));
      const isValue = before >= 0 && tokens.isOperator(before, EQUALS);
      if (isValue || (list > 0 && !isName)) tokens.setKind(at, SECRET);
    }
    before = at;
  }
}

/** Not the WITH that opens a list of options. */
function startsQuery(tokens: TokenList, at: number, before: number): boolean {
  if (tokens.kind(at) !== WORD || QUERY_STARTS[tokens.detail(at)] !== 1) return false;
  return !tokens.isOperator(tokens.solid(at + 1), OPEN) && isAfterAs(tokens, before);
}

function isAfterAs(tokens: TokenList, before: number): boolean {
  return (
    before < 0 ||
    tokens.isKeyword(before, K.as) ||
    tokens.isOperator(before, OPEN) ||
    tokens.isOperator(before, CLOSE)
  );
}

/** `EXEC name word, @argument = word`: bare words are strings there. */
function foldArguments(tokens: TokenList, from: number, end: number): void {
  let at = tokens.solid(from);
  // `EXEC @result = name`
  const next = tokens.solid(at + 1);
  if (next < end && tokens.isOperator(next, EQUALS)) at = tokens.solid(next + 1);
  if (at < end && tokens.isOperator(at, OPEN)) return;
  const name = afterName(tokens, at, end);
  for (at = name; at < end; at++) {
    if (tokens.kind(at) === PARAMETER || tokens.kind(at) >= FIRST_LITERAL) continue;
    if (tokens.isOperator(at, OPEN)) return;
    if (tokens.kind(at) === QUOTED) tokens.setKind(at, SECRET);
    if (tokens.kind(at) !== WORD) continue;
    const found = tokens.detail(at);
    if (VERBS[found] === 1 && EXEC_WORDS[found] !== 1) return;
    if (EXEC_WORDS[found] === 1) continue;
    tokens.setKind(at, SECRET);
  }
}
