import { type CommentFacts, commentFactsOf } from './comment-facts.ts';
import { type Filter, filtersOf } from './filters.ts';
import { keyword, keywords, keywordText } from './keywords.ts';
import { countLiterals, type LiteralKind } from './literal-kinds.ts';
import { type RowBounds, rowBoundsOf } from './row-bounds.ts';
import { CLOSE, OPEN } from './signs.ts';
import { COMMENT, OPERATOR, type TokenList } from './tokens.ts';

/** What a statement says about itself without its values. */
export interface SqlFacts extends RowBounds, CommentFacts {
  /** The verb of each statement, and the main verb behind WITH; at most {@link MOST_VERBS}. */
  readonly verbs: readonly string[];
  /** Literals of the text by kind. */
  readonly literals: Readonly<Record<LiteralKind, number>>;
  /** Comparisons of a column with a literal or a parameter; left out when the reading is not sure. */
  readonly filters?: readonly Filter[];
}

const MOST_VERBS = 16;
const WITH = keyword('WITH');
const MAIN_VERBS = keywords('SELECT INSERT UPDATE DELETE MERGE');

/** What the tokens of a text say. */
interface Reading {
  readonly tokens: TokenList;
  /** How many tokens of each kind there are. */
  readonly kinds: Uint32Array;
  readonly verbs: readonly number[];
  /** There is no other reading, and nothing was cut off. */
  readonly isSure: boolean;
}

/** Facts that need a sure reading are left out of a partial one. */
export function factsOf(
  text: string,
  { tokens, kinds, verbs, isSure }: Reading,
  pseudonym: (identifier: string) => string,
): SqlFacts {
  return {
    verbs: verbsOf(tokens, verbs),
    literals: countLiterals(kinds),
    ...(isSure ? rowBoundsOf(text, tokens) : {}),
    ...(kinds[COMMENT] === 0 ? {} : commentFactsOf(text, tokens)),
    ...(isSure ? { filters: filtersOf(text, tokens, pseudonym) } : {}),
  };
}

function verbsOf(tokens: TokenList, verbs: readonly number[]): string[] {
  const names = verbs.slice(0, MOST_VERBS).map(keywordText);
  if (!verbs.includes(WITH)) return names;
  const main = mainVerb(tokens);
  return main === undefined
    ? names
    : names.flatMap((name) => (name === 'WITH' ? [name, main] : [name]));
}

/** The first verb outside all brackets that is no WITH. */
function mainVerb(tokens: TokenList): string | undefined {
  let depth = 0;
  for (let at = 0; at < tokens.count; at++) {
    if (tokens.kind(at) === OPERATOR) {
      if (tokens.detail(at) === OPEN) depth++;
      else if (tokens.detail(at) === CLOSE) depth--;
    } else if (depth === 0 && tokens.isKeywordOf(at, MAIN_VERBS)) {
      return keywordText(tokens.detail(at));
    }
  }
  return undefined;
}
