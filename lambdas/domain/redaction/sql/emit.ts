import { isDataName } from '../identifier.ts';
import { isSpaceCode } from './characters.ts';
import { isPseudonym, mayBeData } from './identifiers.ts';
import { Rewriter } from './rewriter.ts';
import { COMMENT, FIRST_LITERAL, GONE, OPERATOR, QUOTED, type TokenList } from './tokens.ts';

/** What stands where a value stood. */
export const PLACEHOLDER = '?';

export interface Emitted {
  readonly text: string;
  /** A name was data. */
  readonly hasDataName: boolean;
}

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
  let hasDataName = false;
  const out = new Rewriter(text);
  for (let at = 0; at < tokens.count; at++) {
    const kind = tokens.kind(at);
    if (kind === GONE) continue;
    const start = tokens.start(at);
    const end = tokens.end(at);
    if (kind === COMMENT) {
      out.replace(start, end, needsSpace(text, start, end) ? ' ' : '');
    } else if (kind >= FIRST_LITERAL) {
      out.replace(start, end, PLACEHOLDER);
    } else if (kind === QUOTED) {
      const name = text.slice(start + 1, end - 1);
      if (!isDataName(name)) continue;
      hasDataName = true;
      const stand = pseudonymOf(unquoted(name, text[end - 1] as string), pseudonym);
      const quote = text[start] as string;
      out.replace(start, end, stand === undefined ? PLACEHOLDER : quote + stand + text[end - 1]);
    } else if (kind === OPERATOR) {
      // Two minus signs in a row are a comment to other dialects.
      if (tokens.detail(at) === DASH && text.charCodeAt(end) === DASH) {
        out.replace(end, end, ' ');
      }
    } else if (mayBeData(text, start, end)) {
      const sign = /^@*/.exec(text.slice(start, end))?.[0] ?? '';
      const name = text.slice(start + sign.length, end);
      if (!isDataName(name)) continue;
      hasDataName = true;
      const stand = pseudonymOf(name, pseudonym);
      out.replace(start, end, stand === undefined ? PLACEHOLDER : sign + stand);
    }
  }
  return { text: out.finish(), hasDataName };
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
