import { behindName, foldBehind, foldTail } from './bare-values.ts';
import { foldDefinition, foldOptions } from './definition-rules.ts';
import { keyword, keywords, PLAIN_VERBS, VERBS } from './keywords.ts';
import { EQUALS, OPEN, SEMICOLON } from './signs.ts';
import {
  COMMENT,
  DATA,
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
  set: keyword('SET'),
  to: keyword('TO'),
  transaction: keyword('TRANSACTION'),
  load: keyword('LOAD'),
};
const IDENTIFIED = keywords('IDENTIFIED');
const PASSWORD = keywords('PASSWORD');
const INLINE = keywords('INLINE');
const DEFINITIONS = keywords('CREATE ALTER');
/** What these are about is never SQL: `CONNECT scott/tiger`. */
const OPAQUE_VERBS = keywords('CONNECT VALIDATE PUT GET INSTALL ATTACH NOTIFY');
/** Stand inside batches and blocks without a semicolon before them. */
const INNER_VERBS = keywords('CREATE ALTER EXEC EXECUTE');
const SET_VALUES = keywords('ON OFF TRUE FALSE DEFAULT NULL');
const EXEC_WORDS = keywords('OUTPUT OUT DEFAULT NULL WITH RECOMPILE AS');
const BEFORE_VERB = '({?=';

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
  if (!tokens.isKeywordOf(first, VERBS)) {
    // Cut off at its head, a fragment of a log, or a list of values.
    tokens.fold(first, end, DATA);
    return 0;
  }
  const verb = tokens.detail(first);
  const next = first + 1;
  foldBehind(tokens, next, end, IDENTIFIED);
  if (PLAIN_VERBS[verb] === 1) foldInner(tokens, first, end);
  else if (OPAQUE_VERBS[verb] === 1) foldTail(tokens, next, end);
  else if (verb === K.set) foldSetting(tokens, next, end);
  else if (DEFINITIONS[verb] === 1) foldDefinition(tokens, next, end);
  else {
    foldBehind(tokens, next, end, PASSWORD);
    if (verb === K.load) foldBehind(tokens, next, end, INLINE);
    foldOptions(tokens, next, end);
  }
  return verb;
}

/** The verb may stand behind templates, brackets, braces and `? =` of a call. */
function startOfStatement(tokens: TokenList, start: number, end: number): number {
  let at = start;
  for (; at < end; at++) {
    const kind = tokens.kind(at);
    if (kind === COMMENT || kind === GONE || kind === TEMPLATE) continue;
    if (kind === OPERATOR && BEFORE_VERB.includes(String.fromCharCode(tokens.detail(at)))) continue;
    break;
  }
  return at;
}

/** Calls up to the first definition, which takes the rest. */
function foldInner(tokens: TokenList, from: number, end: number): void {
  let at = tokens.nextKeyword(from, end, INNER_VERBS);
  while (at < end && !tokens.isKeywordOf(at, DEFINITIONS)) {
    foldArguments(tokens, at + 1, end);
    at = tokens.nextKeyword(at + 1, end, INNER_VERBS);
  }
  if (at < end) foldDefinition(tokens, at + 1, end);
}

/** `SET [SESSION] name = value`, `SET name TO value`; a variable of T-SQL takes an expression. */
function foldSetting(tokens: TokenList, from: number, end: number): void {
  foldBehind(tokens, from, end, PASSWORD);
  const first = tokens.solid(from);
  if (first >= end || tokens.isKeyword(first, K.transaction)) return;
  if (tokens.kind(first) === PARAMETER && tokens.detail(first) !== SYSTEM_VARIABLE) return;
  for (let at = first; at < end; at++) {
    if (tokens.isOperator(at, EQUALS) || tokens.isKeyword(at, K.to)) {
      foldTail(tokens, at + 1, end);
      return;
    }
  }
  const value = tokens.solid(behindName(tokens, first, end));
  if (value < end && !tokens.isKeywordOf(value, SET_VALUES)) foldTail(tokens, value, end);
}

/** `EXEC name word, @argument = word`: bare words are strings there. */
function foldArguments(tokens: TokenList, from: number, end: number): void {
  let at = tokens.solid(from);
  // `EXEC @result = name`
  const next = tokens.solid(at + 1);
  if (next < end && tokens.isOperator(next, EQUALS)) at = tokens.solid(next + 1);
  if (at < end && tokens.isOperator(at, OPEN)) return;
  for (at = behindName(tokens, at, end); at < end; at++) {
    if (tokens.isOperator(at, OPEN)) return;
    const kind = tokens.kind(at);
    if (kind === QUOTED) tokens.setKind(at, SECRET);
    if (kind !== WORD || tokens.isKeywordOf(at, EXEC_WORDS)) continue;
    if (tokens.isKeywordOf(at, VERBS)) return;
    tokens.setKind(at, SECRET);
  }
}
