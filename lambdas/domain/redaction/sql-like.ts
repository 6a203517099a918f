/** A verb and what may follow it in code; a dash or a dot follows it in the name of a job. */
const STATEMENT_HEAD =
  /^(?:select|insert\s+(?:into|overwrite)|replace\s+into|update|delete\s+from|merge\s+into|with\s+\w+|create|alter|drop|grant|revoke|copy|call|exec(?:ute)?|truncate|explain|set\s+\w+)(?=[\s*'"`([]|--|\/\*)/i;
const STATEMENT_TAIL =
  /\b(?:from|into|set|table|view|values|where|user|role|database|schema|select|as|to|on)\b/i;

/** Only the start of a statement says that it is one; what it works on may stand far behind. */
const HEAD_CHARACTERS = 400;

/** True for a text that is a statement from its first word on. */
export function startsLikeStatement(text: string): boolean {
  const code = startOfCode(text);
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
const WORD = /[A-Za-z_]+/g;
/** Punctuation that statements have and sentences do not. */
const CODE = ['=', '*', "'", '"', '`', ';', '('];

/**
 * True for a text that is a statement or has one somewhere in it: a verb, its tail, and either code
 * punctuation behind the verb or both in capitals. A sentence that is built like a statement is
 * taken for one.
 */
export function isSqlLike(text: string): boolean {
  if (text.length < 8) return false;
  if (startsLikeStatement(text)) return true;
  const lastCode = Math.max(...CODE.map((mark) => text.lastIndexOf(mark)));
  const wanted = new Map<string, { readonly at: number; readonly isUpper: boolean }>();
  for (const { 0: word, index } of text.matchAll(WORD)) {
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
