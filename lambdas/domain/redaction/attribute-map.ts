import { ATTRIBUTE_NAMES, ATTRIBUTES, KNOWN_NAMESPACES } from './attribute-table.ts';
import { judgeName } from './names.ts';
import { isSecretName } from './secret-names.ts';
import type { Treatment } from './treatment.ts';

/** What the name of an attribute says of its value. */
interface JudgedAttribute {
  readonly treatment: Treatment;
  /** What it names is dropped because it is a credential. */
  readonly isCredential: boolean;
  /** A table has it, or a namespace that it is in. */
  readonly isKnown: boolean;
}

/** From what says most about a value to what says least. */
const STRICTNESS: Readonly<Record<Treatment, number>> = {
  keep: 0,
  facets: 1,
  scan: 2,
  column: 3,
  identity: 4,
  url: 5,
  request: 6,
  command: 7,
  expression: 8,
  sql: 9,
  error: 10,
  pseudonym: 11,
  subject: 12,
  drop: 13,
};

/** The treatment that holds when two speak for one value, as the keys of an object written twice do. */
export function stricter(one: Treatment, other: Treatment): Treatment {
  return STRICTNESS[one] >= STRICTNESS[other] ? one : other;
}

const LISTED = new Map<string, Treatment>();
/** Without dots, so that `db_query_text` and `DbQueryText` are what `db.query.text` is. */
const LISTED_BY_WORDS = new Map<string, Treatment>();
for (const [namespace, names] of Object.entries(ATTRIBUTES)) {
  for (const [treatment, list] of Object.entries(names) as Array<[Treatment, string]>) {
    for (const name of list.split(' ')) {
      const parts = plainParts(name === '.' ? namespace : `${namespace}.${name}`);
      const words = parts.join('');
      LISTED.set(parts.join('.'), treatment);
      LISTED_BY_WORDS.set(words, stricter(treatment, LISTED_BY_WORDS.get(words) ?? 'keep'));
    }
  }
}

const BY_NAME: ReadonlyMap<string, Treatment> = new Map(
  (Object.entries(ATTRIBUTE_NAMES) as Array<[Treatment, string]>).flatMap(([treatment, names]) =>
    names.split(' ').map((name): [string, Treatment] => [name, treatment]),
  ),
);

const KNOWN: ReadonlySet<string> = new Set(
  KNOWN_NAMESPACES.split(' ').map((name) => plainParts(name).join('')),
);

/** No listed name has more parts: of longer ones only what a part means anywhere is looked for. */
const MAX_LISTED_PARTS = Math.max(...[...LISTED.keys()].map((name) => name.split('.').length));

/** Traces share a few hundred names; the bounds keep a stranger's from filling memory. */
const MAX_REMEMBERED_NAMES = 2_000;
const MAX_REMEMBERED_CHARACTERS = 128;
const remembered = new Map<string, JudgedAttribute>();

/**
 * What happens to the value of an attribute, by its name: compared part by part in lower case and
 * without punctuation, and an index behind it (`args.0`, `query[0]`) aside. Takes time linear in the name.
 */
export function judgeAttribute(name: string): JudgedAttribute {
  const known = remembered.get(name);
  if (known !== undefined) return known;
  const judged = judge(plainParts(name));
  if (remembered.size < MAX_REMEMBERED_NAMES && name.length <= MAX_REMEMBERED_CHARACTERS) {
    // A piece of a text keeps the whole text in memory, which here is an export before redaction.
    remembered.set(Buffer.from(name, 'utf16le').toString('utf16le'), judged);
  }
  return judged;
}

export function attributeTreatment(name: string): Treatment {
  return judgeAttribute(name).treatment;
}

function judge(parts: readonly string[]): JudgedAttribute {
  const listed = LISTED.get(parts.join('.')) ?? LISTED_BY_WORDS.get(parts.join(''));
  if (listed !== undefined) return { treatment: listed, isCredential: false, isKnown: true };
  const byName = treatmentByName(parts);
  // A session id is called like a secret and joins what belongs together.
  if (byName !== 'pseudonym' && isCredential(parts)) {
    return { treatment: 'drop', isCredential: true, isKnown: true };
  }
  const above = treatmentAbove(parts);
  return {
    treatment: stricter(byName ?? 'keep', above ?? 'scan'),
    isCredential: false,
    isKnown: (byName ?? above) !== undefined || KNOWN.has(parts[0] as string),
  };
}

/** Of the longest listed name that this one is below. */
function treatmentAbove(parts: readonly string[]): Treatment | undefined {
  for (let length = Math.min(parts.length - 1, MAX_LISTED_PARTS); length > 0; length--) {
    const treatment = LISTED.get(parts.slice(0, length).join('.'));
    if (treatment !== undefined) return treatment;
  }
  return undefined;
}

/** Words for a credential, whatever stands around them: `old_api_key_2`. */
const CREDENTIAL_WORD = /passw|secret|credential|(?:api|access|account|private|signing)key/;

function isCredential(parts: readonly string[]): boolean {
  return CREDENTIAL_WORD.test(parts.join('')) || isSecretName(parts.join('.'));
}

function treatmentByName(parts: readonly string[]): Treatment | undefined {
  if (parts.some((part) => BY_NAME.get(part) === 'drop')) return 'drop';
  return BY_NAME.get(parts.slice(-2).join('')) ?? BY_NAME.get(parts.at(-1) as string);
}

/** The parts of a name as they are compared; those that are an index, or nothing, are left out. */
function plainParts(name: string): string[] {
  const parts = name
    .toLowerCase()
    .replace(/\[\d{1,9}\]/g, '')
    .split('.')
    .map((part) => part.replace(/[^\p{L}\p{N}]/gu, ''))
    .filter((part) => part !== '' && !/^\d{1,9}$/.test(part));
  return parts.length === 0 ? [''] : parts;
}

/** The namespaces whose attributes the join and the controls read. */
const CONTROL_ATTRIBUTE = /^(?:lineage|lineage_evidence)\./i;

/** True for attributes that stay even when nothing else of a span does. */
export function isControlAttribute(name: string): boolean {
  if (!CONTROL_ATTRIBUTE.test(name) || judgeName(name).isData) return false;
  return HARMLESS.has(attributeTreatment(name));
}

const HARMLESS: ReadonlySet<Treatment> = new Set(['identity', 'scan']);

/** Whether more is done to an attribute of this name than a scan. */
export function isSensitiveAttribute(name: string): boolean {
  return !HARMLESS.has(attributeTreatment(name));
}

const SENSITIVE = [...LISTED].filter(([, treatment]) => !HARMLESS.has(treatment));

/** Whether a table has something below a name that is more than scanned. */
export function hasSensitiveBelow(name: string): boolean {
  const above = `${plainParts(name).join('.')}.`;
  return SENSITIVE.some(([listed]) => listed.startsWith(above));
}
