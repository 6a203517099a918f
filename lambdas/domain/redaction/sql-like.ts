/** A verb and what may follow it in code; a dash or a dot follows it in the name of a job. */
const STATEMENT_HEAD =
  /^(?:select|insert\s+(?:into|overwrite)|replace\s+into|update|delete|values|from\s+[\w.]{1,200}\s+(?:select|\|>)|merge\s+into|with\s+\w+|create|alter|drop|grant|revoke|copy|call|exec(?:ute)?|truncate|explain|set\s+\w+)(?=[\s*'"`([]|--|\/\*)/i;
const STATEMENT_TAIL =
  /['"`]|\b(?:from|into|set|table|view|values|where|user|role|database|schema|select|as|to|on)\b/i;

/** Only the start of a statement says that it is one; what it works on may stand far behind. */
const HEAD_CHARACTERS = 400;

/** True for a text that is a statement from its first word on. */
function startsLikeStatement(text: string): boolean {
  const code = startOfCode(text);
  if (!HEADS.mayStart(text, code)) return false;
  return STATEMENT_HEAD.test(text.slice(code, code + HEAD_CHARACTERS)) && STATEMENT_TAIL.test(text);
}

/** Which words must follow which verb for a statement inside a text. */
const TAILS: ReadonlyMap<string, readonly string[]> = new Map([
  ['select', ['from']],
  ['insert', ['values', 'select']],
  ['update', ['set']],
  ['delete', ['from']],
  ['merge', ['using']],
  ['create', ['table', 'view', 'user', 'role', 'database', 'schema', 'function']],
  ['alter', ['table', 'view', 'user', 'role', 'database', 'schema', 'login']],
  ['drop', ['table', 'view', 'user', 'role', 'database', 'schema']],
  ['grant', ['to']],
  ['copy', ['into', 'from']],
]);
const WORD_IN_CODE = /[A-Za-z_]+/g;
/** Punctuation that statements have and sentences do not. */
const CODE = ['=', '*', "'", '"', '`', ';', '('];

/** A set of words by their first two letters, which is all that is looked at. */
class WordHeads {
  private readonly heads = new Uint8Array(1024);

  constructor(words: Iterable<string>) {
    for (const word of words) this.heads[headOf(word, 0)] = 1;
  }

  mayStart(text: string, at: number): boolean {
    return this.heads[headOf(text, at)] === 1;
  }
}

/** Five bits of each letter, which capitals have in common with small ones. */
function headOf(text: string, at: number): number {
  return ((text.charCodeAt(at) & 31) << 5) | (text.charCodeAt(at + 1) & 31);
}

const VERBS = new WordHeads(TAILS.keys());
const HEADS = new WordHeads([
  ...TAILS.keys(),
  ...'replace with revoke call exec truncate explain set values from'.split(' '),
]);

/**
 * True for a text that is a statement or has one somewhere in it: a verb, its tail, and either code
 * punctuation behind the verb or both in capitals. A sentence that is built like a statement is
 * taken for one.
 */
export function isSqlLike(text: string): boolean {
  if (text.length < 8) return false;
  if (startsLikeStatement(text)) return true;
  const first = firstVerb(text);
  return first !== undefined && hasStatement(text, first);
}

/** Offset of the first word that may be a verb and something behind it: few texts have one. */
function firstVerb(text: string): number | undefined {
  for (let at = 0; at < text.length; at++) {
    if (!isWordInCode(text.charCodeAt(at))) continue;
    const start = at;
    while (isWordInCode(text.charCodeAt(at))) at++;
    const length = at - start;
    if (length < 4 || length > 6 || !VERBS.mayStart(text, start)) continue;
    if (at < text.length && TAILS.has(text.slice(start, at).toLowerCase())) return start;
  }
  return undefined;
}

function hasStatement(text: string, from: number): boolean {
  const lastCode = Math.max(...CODE.map((mark) => text.lastIndexOf(mark)));
  const wanted = new Map<string, { readonly at: number; readonly isUpper: boolean }>();
  WORD_IN_CODE.lastIndex = from;
  for (const { 0: word, index } of text.matchAll(WORD_IN_CODE)) {
    const plain = word.toLowerCase();
    const verb = wanted.get(plain);
    if (verb !== undefined && (isUpper(word, verb.isUpper) || lastCode > verb.at)) return true;
    for (const tail of TAILS.get(plain) ?? []) {
      if (!wanted.has(tail)) wanted.set(tail, { at: index, isUpper: word === word.toUpperCase() });
    }
  }
  return false;
}

function isUpper(word: string, isVerbUpper: boolean): boolean {
  return isVerbUpper && word === word.toUpperCase();
}

/** A letter of ASCII or `_`. */
function isWordInCode(code: number): boolean {
  const lower = code | 32;
  return (lower >= 97 && lower <= 122 && code < 128) || code === 95;
}

/** Offset behind the spaces, brackets and comments that a statement may start with: tools sign theirs there. */
function startOfCode(text: string): number {
  let at = 0;
  for (;;) {
    while (at < text.length && ' \t\r\n(;\uFEFF'.includes(text[at] as string)) at++;
    const end = text.startsWith('--', at)
      ? text.indexOf('\n', at)
      : text.startsWith('/*', at)
        ? text.indexOf('*/', at + 2)
        : -1;
    if (end === -1) return at;
    at = end + (text[end] === '*' ? 2 : 1);
  }
}
