import { behindName, foldTail } from './bare-values.ts';
import { keyword, keywords } from './keywords.ts';
import { CLOSE, COMMA, DOT, EQUALS, OPEN } from './signs.ts';
import { COMMENT, GONE, QUOTED, SECRET, type TokenList, WORD } from './tokens.ts';

const AS = keyword('AS');
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
const QUERY_STARTS = keywords('SELECT WITH');

/** What is behind CREATE or ALTER. */
export function foldDefinition(tokens: TokenList, from: number, end: number): void {
  let at = from;
  while (at < end && isModifier(tokens, at)) at++;
  if (at >= end || tokens.kind(at) !== WORD) {
    foldTail(tokens, at, end);
    return;
  }
  if (tokens.isKeywordOf(at, PLAIN_OBJECTS)) {
    foldOptions(tokens, at + 1, end);
    return;
  }
  at = tokens.solid(at + 1);
  while (at < end && tokens.isKeywordOf(at, NAME_PREFIXES)) at = tokens.solid(at + 1);
  foldTail(tokens, behindName(tokens, at, end), end);
}

function isModifier(tokens: TokenList, at: number): boolean {
  const kind = tokens.kind(at);
  return kind === COMMENT || kind === GONE || tokens.isKeywordOf(at, MODIFIERS);
}

/**
 * Bare words as values of options: `name = word` anywhere before a query, and inside
 * `OPTIONS (name word)` everything but the names.
 */
export function foldOptions(tokens: TokenList, from: number, end: number): void {
  let depth = 0;
  let list = 0;
  let before = -1;
  for (let at = from; at < end; at++) {
    const kind = tokens.kind(at);
    if (kind === COMMENT || kind === GONE) continue;
    if (tokens.isOperator(at, OPEN)) {
      depth++;
      if (list === 0 && tokens.isKeywordOf(before, OPTION_LISTS)) list = depth;
    } else if (tokens.isOperator(at, CLOSE)) {
      if (depth === list) list = 0;
      depth--;
    } else if (kind === WORD || kind === QUOTED) {
      if (startsQuery(tokens, at, before)) return;
      const isInList = list > 0 && !isBeforeOptionName(tokens, before);
      if (isInList || tokens.isOperator(before, EQUALS)) tokens.setKind(at, SECRET);
    }
    before = at;
  }
}

function isBeforeOptionName(tokens: TokenList, at: number): boolean {
  return tokens.isOperator(at, OPEN) || tokens.isOperator(at, COMMA) || tokens.isOperator(at, DOT);
}

/** Not the WITH that opens a list of options. */
function startsQuery(tokens: TokenList, at: number, before: number): boolean {
  if (!tokens.isKeywordOf(at, QUERY_STARTS) || tokens.isOperator(tokens.solid(at + 1), OPEN)) {
    return false;
  }
  return (
    before < 0 ||
    tokens.isKeyword(before, AS) ||
    tokens.isOperator(before, OPEN) ||
    tokens.isOperator(before, CLOSE)
  );
}
