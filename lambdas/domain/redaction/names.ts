import { isDataName, isDataNameInPath } from './identifier.ts';
import { copyOf, Memory } from './memory.ts';
import { isSecretName } from './secret-names.ts';

/** What the name of a member or an attribute says by itself. */
export interface JudgedName {
  /** The form in which names are compared: lower case without punctuation. */
  readonly plain: string;
  /** What it names is a credential. */
  readonly isSecret: boolean;
  /** It holds a secret, an address or a statement itself, as a map keyed by connection does. */
  readonly isData: boolean;
}

const judged = new Memory<JudgedName>();

/** Takes time linear in the name; callers judge a name where it stands, not once for each value below it. */
export function judgeName(name: string): JudgedName {
  const known = judged.get(name);
  if (known !== undefined) return known;
  const fresh = {
    plain: copyOf(name.toLowerCase().replace(/[^a-z0-9]/g, '')),
    isSecret: isSecretName(name),
    isData: isDataNameInPath(name) || isJsonLike(name),
  };
  if (!fresh.isData) judged.set(name, fresh);
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
  return isDataName(name) || judgeName(name).isData;
}
