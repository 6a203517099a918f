import { isSpaceCode } from './characters.ts';
import { isData, isPseudonym, mayBeData } from './identifiers.ts';
import {
  BOOLEAN,
  COMMENT,
  CUT,
  DATA,
  FIRST_LITERAL,
  GONE,
  OPERATOR,
  QUOTED,
  SECRET,
  STRING,
  TEMPLATE,
  type TokenList,
} from './tokens.ts';

/** What stands where a value stood. */
export const PLACEHOLDER = '?';

export interface Emitted {
  readonly text: string;
  readonly rules: ReadonlySet<string>;
}

const RULES: Readonly<Record<number, string>> = {
  [STRING]: 'literal',
  [BOOLEAN]: 'boolean',
  [DATA]: 'data',
  [TEMPLATE]: 'template',
  [SECRET]: 'bare_value',
  [CUT]: 'cut',
};
const DASH = 45;

/**
 * Writes the code as it stands in the text, one placeholder for each literal, nothing for comments, and a
 * pseudonym for each name that is data.
 */
export function emit(
  text: string,
  tokens: TokenList,
  pseudonym: (identifier: string) => string,
): Emitted {
  const rules = new Set<string>();
  let out = '';
  let copied = 0;
  const replace = (index: number, replacement: string) => {
    out += text.slice(copied, tokens.start(index)) + replacement;
    copied = tokens.end(index);
  };
  for (let at = 0; at < tokens.count; at++) {
    const kind = tokens.kind(at);
    if (kind === GONE) continue;
    const start = tokens.start(at);
    const end = tokens.end(at);
    if (kind === COMMENT) {
      rules.add('comment');
      replace(at, needsSpace(text, start, end) ? ' ' : '');
    } else if (kind >= FIRST_LITERAL) {
      rules.add(RULES[kind] ?? 'literal');
      replace(at, PLACEHOLDER);
    } else if (kind === QUOTED) {
      const name = text.slice(start + 1, end - 1);
      if (!isData(name)) continue;
      rules.add('identifier');
      const stand = pseudonymOf(unquoted(name, text[end - 1] as string), pseudonym);
      const quote = text[start] as string;
      replace(at, stand === undefined ? PLACEHOLDER : quote + stand + text[end - 1]);
    } else if (kind === OPERATOR) {
      // Two minus signs in a row are a comment to other dialects.
      if (tokens.detail(at) === DASH && text.charCodeAt(end) === DASH) {
        out += `${text.slice(copied, end)} `;
        copied = end;
      }
    } else if (mayBeData(text, start, end)) {
      const sign = /^@*/.exec(text.slice(start, end))?.[0] ?? '';
      const name = text.slice(start + sign.length, end);
      if (!isData(name)) continue;
      rules.add('identifier');
      const stand = pseudonymOf(name, pseudonym);
      replace(at, stand === undefined ? PLACEHOLDER : sign + stand);
    }
  }
  return { text: out + text.slice(copied), rules };
}

function needsSpace(text: string, start: number, end: number): boolean {
  return (
    start > 0 &&
    end < text.length &&
    !isSpaceCode(text.charCodeAt(start - 1)) &&
    !isSpaceCode(text.charCodeAt(end))
  );
}

function pseudonymOf(name: string, pseudonym: (identifier: string) => string): string | undefined {
  const stand = pseudonym(name);
  return isPseudonym(stand) ? stand : undefined;
}

/** A quote in a name is doubled. */
function unquoted(name: string, quote: string): string {
  return name.includes(quote) ? name.replaceAll(quote + quote, quote) : name;
}
