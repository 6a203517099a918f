import { needsPseudonymInPath } from './identifier.ts';
import { isSecretName } from './secret-names.ts';
import { isData } from './sql/identifiers.ts';

/** What the name of a member or an attribute says by itself. */
export interface JudgedName {
  /** The form in which names are compared: lower case without punctuation. */
  readonly plain: string;
  /** What it names is a credential. */
  readonly isSecret: boolean;
  /** It holds a secret, an address or a statement itself, as a map keyed by connection does. */
  readonly isData: boolean;
}

/** Documents share a few hundred names; the bounds keep a stranger's from filling memory. */
const MAX_REMEMBERED_NAMES = 2_000;
const MAX_REMEMBERED_CHARACTERS = 64;
const judged = new Map<string, JudgedName>();

/** Takes time linear in the name; callers judge a name where it stands, not once for each value below it. */
export function judgeName(name: string): JudgedName {
  const known = judged.get(name);
  if (known !== undefined) return known;
  const fresh = {
    plain: name.toLowerCase().replace(/[^a-z0-9]/g, ''),
    isSecret: isSecretName(name),
    isData: needsPseudonymInPath(name) || isJsonLike(name),
  };
  if (judged.size < MAX_REMEMBERED_NAMES && name.length <= MAX_REMEMBERED_CHARACTERS) {
    judged.set(copyOf(name), { ...fresh, plain: copyOf(fresh.plain) });
  }
  return fresh;
}

/** Nobody looks into a document in the place of a name. */
function isJsonLike(name: string): boolean {
  const ends = `${name[0]}${name.at(-1)}`;
  return (ends === '{}' || ends === '[]') && name.includes('"');
}

export function plainName(name: string): string {
  return judgeName(name).plain;
}

/** Whether the name of a column is data: by the rule for identifiers in a statement, so that both get one pseudonym. */
export function isColumnData(name: string): boolean {
  return isData(name) || judgeName(name).isData;
}

/** A piece of a text keeps the whole text in memory, which here is a document before redaction. */
function copyOf(name: string): string {
  return Buffer.from(name, 'utf16le').toString('utf16le');
}
