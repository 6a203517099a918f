import { Decisions } from './decisions.ts';
import type { Dialect } from './dialect.ts';
import { lex } from './lexer.ts';
import { COMMENT, DATA, FIRST_LITERAL, GONE, LAST_CODE, type TokenList } from './tokens.ts';

/** What all admissible readings of a text have in common. */
export interface CommonReading {
  /** Tokens of the first reading; what another reading takes for a value is a literal here, too. */
  readonly tokens: TokenList;
  /** Keywords of the verbs, one for each statement. */
  readonly verbs: readonly number[];
  /** Readings differ in what is code. */
  readonly isAmbiguous: boolean;
}

/**
 * More than real statements need. Beyond it nothing behind the first open question is kept, which is
 * true of every reading.
 */
const MOST_READINGS = 8;

/**
 * Reads a text in every way that its dialect leaves open, and keeps what is code in all of them.
 * @param applyRules turns words of one reading into literals, and tells the verbs
 */
export function readCommon(
  text: string,
  dialect: Dialect,
  applyRules: (tokens: TokenList) => number[],
): CommonReading {
  const waiting = [new Decisions(dialect)];
  let first: CommonReading | undefined;
  let isCode: Uint8Array | undefined;
  let read = 0;
  let firstOpen = Number.POSITIVE_INFINITY;
  let mostCode = 0;
  for (let decisions = waiting.pop(); decisions; decisions = waiting.pop()) {
    const tokens = lex(text, dialect, decisions);
    const verbs = applyRules(tokens);
    const alternatives = decisions.alternatives();
    waiting.push(...alternatives);
    if (!first) {
      if (alternatives.length === 0) return { tokens, verbs, isAmbiguous: false };
      firstOpen = decisions.firstAt;
      first = { tokens, verbs, isAmbiguous: true };
    }
    const codeHere = maskOf(tokens, text.length);
    mostCode = Math.max(mostCode, count(codeHere));
    if (isCode)
      for (let i = 0; i < isCode.length; i++)
        isCode[i] = (isCode[i] as number) & (codeHere[i] as number);
    else isCode = codeHere;
    if (++read >= MOST_READINGS && waiting.length > 0) {
      isCode.fill(0, firstOpen);
      break;
    }
  }
  const { tokens } = first as CommonReading;
  const common = isCode as Uint8Array;
  foldUncommon(tokens, common);
  // What is left must make statements by itself: a verb may be among what went.
  return { tokens, verbs: applyRules(tokens), isAmbiguous: count(common) !== mostCode };
}

function maskOf(tokens: TokenList, length: number): Uint8Array {
  const mask = new Uint8Array(length);
  for (let at = 0; at < tokens.count; at++) {
    if (tokens.kind(at) <= LAST_CODE) mask.fill(1, tokens.start(at), tokens.end(at));
  }
  return mask;
}

function count(mask: Uint8Array): number {
  let sum = 0;
  for (let i = 0; i < mask.length; i++) sum += mask[i] as number;
  return sum;
}

/** One literal for each run of tokens that not all readings take for code. */
function foldUncommon(tokens: TokenList, isCode: Uint8Array): void {
  let run = -1;
  let isUncommon = false;
  const close = (end: number) => {
    if (isUncommon) tokens.fold(run, end, DATA);
    run = -1;
    isUncommon = false;
  };
  for (let at = 0; at < tokens.count; at++) {
    const kind = tokens.kind(at);
    if (kind === COMMENT || kind === GONE) continue;
    const isLost = kind <= LAST_CODE && !isAll(isCode, tokens.start(at), tokens.end(at));
    if (isLost || kind >= FIRST_LITERAL) {
      if (run === -1) run = at;
      isUncommon ||= isLost;
    } else {
      close(at);
    }
  }
  close(tokens.count);
}

function isAll(mask: Uint8Array, start: number, end: number): boolean {
  for (let i = start; i < end; i++) if (mask[i] === 0) return false;
  return true;
}
