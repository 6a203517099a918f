/** Quotes, and characters that only a literal, a comment or a damaged text can hold. */
const NEVER = new Set("'‘’‚‛“”„‟′″‹›«»＇＂\0");
const PAIRS = new Set(['--', '/*', '*/', '{{', '{%', '{#', '$$']);
const PAIR_STARTS = new Set('-/*{$');
const MAX_PARAMETER_DIGITS = 5;
const LONGEST_NAME = 128;
const MOST_DIGITS_IN_A_ROW = 8;
const BEYOND_ASCII = 128;

/**
 * A second opinion on what is about to be stored: a plain walk over the output that shares no code with
 * the lexer. It knows nothing of dialects, only what may never stand in redacted text: a string, a
 * number that is no parameter, a comment, a template, a name that does not end or says too much.
 */
export function isClean(output: string): boolean {
  let at = 0;
  while (at < output.length) {
    const character = output[at] as string;
    const code = output.charCodeAt(at);
    if (character === '"' || character === '`' || character === '[') {
      const end = output.indexOf(character === '[' ? ']' : character, at + 1);
      if (end === -1 && character !== '[') return false;
      const isName = end !== -1 && isPlainName(output, at + 1, end);
      if (!isName && character !== '[') return false;
      at = isName ? end + 1 : at + 1;
    } else if (isWord(code)) {
      const end = endOfWord(output, at);
      if (isDigit(code) && !(output[at - 1] === '$' && isParameter(output, at, end))) return false;
      if (!isPlainName(output, at, end)) return false;
      at = end;
    } else if (character === '\\') {
      if (output[at + 1] !== '.') return false;
      at += 2;
    } else {
      if (NEVER.has(character)) return false;
      if (PAIR_STARTS.has(character) && PAIRS.has(output.slice(at, at + 2))) return false;
      at++;
    }
  }
  return true;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isWord(code: number): boolean {
  const lower = code | 32;
  if (code >= BEYOND_ASCII) return !NEVER.has(String.fromCharCode(code));
  return (lower >= 97 && lower <= 122) || isDigit(code) || code === 95;
}

function endOfWord(output: string, start: number): number {
  let at = start;
  while (at < output.length && isWord(output.charCodeAt(at))) at++;
  return at;
}

function isParameter(output: string, start: number, end: number): boolean {
  if (end - start > MAX_PARAMETER_DIGITS) return false;
  for (let at = start; at < end; at++) if (!isDigit(output.charCodeAt(at))) return false;
  return true;
}

/** Whether something that reads as a name is short, holds no long number, and at least one letter. */
function isPlainName(output: string, start: number, end: number): boolean {
  if (end - start > LONGEST_NAME) return false;
  let digits = 0;
  let letters = 0;
  for (let at = start; at < end; at++) {
    const code = output.charCodeAt(at);
    if (isDigit(code)) {
      if (++digits > MOST_DIGITS_IN_A_ROW) return false;
      continue;
    }
    digits = 0;
    if (isWord(code)) letters++;
    else if ("'\"`@;?{}[]\\/*".includes(output[at] as string)) return false;
  }
  return letters > 0 || end - start <= MAX_PARAMETER_DIGITS || output[start - 1] === '"' || output[start - 1] === '`';
}
