import type { JsonDocument, Member } from '../json/document.ts';
import { Kind, type Node } from '../json/scanner.ts';
import { attributeTreatment, judgeAttribute, stricter } from './attribute-map.ts';
import { marker } from './marker.ts';
import { judgeName, plainName } from './names.ts';
import type { Place, Places } from './places.ts';
import type { RedactionPolicy } from './policy.ts';
import { spanDialect } from './span-dialect.ts';
import { wellFormedMembers } from './span-forms.ts';
import type { Treatment } from './treatment.ts';

/** Where a value of an export stands, and all that follows from it. */
export interface SpanPlace extends Place {
  /** Its members, or the items that have a `key`, are attributes. */
  readonly holdsAttributes?: boolean;
  /** What the `key` of an object says of every other member of it. */
  readonly named?: SpanPlace;
  /** The attribute whose value this is part of. */
  readonly attribute?: string;
  /** Members that are what OTLP says they are: ids, times, numbers. */
  readonly wellFormed?: ReadonlySet<string>;
  readonly isStatus?: boolean;
  /** What is dropped here leaves an AnyValue, or an empty text. */
  readonly leaves?: 'any_value' | 'empty';
  /** In a text of an attribute: what stands there is no OTLP. */
  readonly isInText?: boolean;
}

/** Free text of the caller, and bytes that nobody can judge. Emptied, so that they stay well-formed. */
const EMPTIED_MEMBERS: ReadonlySet<string> = new Set(['tracestate', 'bytesvalue']);

/** No listed name is longer: what stands deeper says no more together. */
const MAX_JOINED_CHARACTERS = 64;

/**
 * The places of an OTLP/JSON export of traces. Members that OTLP does not know are judged as attributes
 * of their name, and the `key` of an object speaks for everything beside it, whatever that is called.
 * @param runIdAttributes names of span attributes that carry run ids: runs are joined by them
 */
export function spanPlaces(
  policy: RedactionPolicy,
  runIdAttributes: readonly string[] = [],
): Places<SpanPlace> {
  const root: SpanPlace = { text: 'scan', other: 'keep' };
  const runIds = new Set(runIdAttributes);

  function member(name: string, above: SpanPlace): SpanPlace {
    if (isKey(name)) return { ...KEY, ...inherited(above) };
    const { treatment, isCredential } = judgeAttribute(name);
    const { named } = above;
    if (named && (named.isUntouched || stricter(named.text, treatment) === named.text))
      return named;
    // The id of a person is none of a span.
    if (!isPerson(above.text) && above.wellFormed?.has(name)) return WELL_FORMED;
    const plain = plainName(name);
    if (EMPTIED_MEMBERS.has(plain)) return EMPTIED;
    if (above.isStatus && plain === 'code') return NO_STATUS_CODE;
    if (above.holdsAttributes) return attributePlace([name], above);
    // A policy that drops unknown attributes drops their texts.
    const staysOpen = above.text === 'drop' && treatment !== 'drop';
    return {
      ...placeOf(stricter(above.text, treatment), isCredential),
      ...((staysOpen || plain === 'boolvalue') && { other: 'keep' }),
      ...(plain === 'attributes' && { holdsAttributes: true }),
      ...(plain === 'status' && { isStatus: true }),
      ...inherited(above),
    };
  }

  /** Of several keys any may be the one that a reader takes: the strictest decides. */
  function attributePlace(keys: ReadonlyArray<string | undefined>, above: SpanPlace): SpanPlace {
    if (keys.every((key) => key !== undefined && policy.treatmentOfAttribute(key) === 'keep')) {
      return UNTOUCHED;
    }
    const judged = keys.map((key) => judgeKey(key, above.attribute));
    const treatment = judged.map((one) => one.treatment).reduce(stricter, above.text);
    const isTextOnly = treatment === 'drop' && judged.every((one) => one.isTextOnly);
    const isCredential = judged.some((one) => one.isCredential);
    return {
      ...placeOf(treatment, isCredential),
      ...(isTextOnly && { other: 'keep' }),
      ...inherited(above),
      attribute: joined(above.attribute, keys[0] ?? ''),
    };
  }

  function judgeKey(key: string | undefined, above: string | undefined): JudgedKey {
    // A key that is no text may mean anything, and one that is data names what belongs to it.
    if (key === undefined || judgeName(key).isData) return { treatment: 'drop' };
    const full = joined(above, key);
    const decided = policy.treatmentOfAttribute(key) ?? policy.treatmentOfAttribute(full);
    if (decided !== undefined) return { treatment: decided };
    if (runIds.has(key)) return { treatment: 'identity' };
    const own = judgeAttribute(key);
    if (!own.isKnown && policy.rules.strictUnknown) return { treatment: 'drop', isTextOnly: true };
    return { ...own, treatment: stricter(own.treatment, attributeTreatment(full)) };
  }

  function enter(document: JsonDocument, node: Node, place: SpanPlace): SpanPlace {
    const members = document.members(node);
    const keys = members
      .filter(({ key }) => isKeyNode(document, key))
      .map(({ value }) => document.string(value));
    const { named: _, ...bare } = place;
    const wellFormed = wellFormedMembers(document, members, place.isStatus === true);
    const dialect = spanDialect(document, members) ?? place.dialect;
    return {
      ...bare,
      ...(keys.length > 0 && { named: namedPlace(document, members, keys, place) }),
      ...(wellFormed && { wellFormed }),
      ...(dialect && { dialect }),
    };
  }

  /** @param members of an object with these keys */
  function namedPlace(
    document: JsonDocument,
    members: readonly Member[],
    keys: ReadonlyArray<string | undefined>,
    above: SpanPlace,
  ): SpanPlace {
    const place = attributePlace(keys, above);
    const values = members.filter(({ key }) => !isKeyNode(document, key));
    const whole = WHOLE[place.text];
    const isMisfit =
      whole !== undefined && values.some(({ value }) => whole.isFor(document, value));
    const isDropped = isMisfit || (place.text === 'drop' && place.other === 'drop');
    return {
      ...place,
      ...(isMisfit && { text: 'drop' }),
      other: isDropped ? 'drop' : 'keep',
      ...(isMisfit && { rule: whole.rule }),
      // So that what is left is well-formed.
      ...(isDropped && !above.isInText && { leaves: 'any_value' }),
    };
  }

  const inText = (place: SpanPlace): SpanPlace => ({
    ...root,
    isInText: true,
    ...(place.dialect && { dialect: place.dialect }),
  });

  return { root, member, enter, inText, dropped };
}

interface JudgedKey {
  readonly treatment: Treatment;
  readonly isCredential?: boolean;
  /** Numbers stay. */
  readonly isTextOnly?: boolean;
}

const KEY: SpanPlace = { text: 'scan', other: 'keep', isName: true };
const WELL_FORMED: SpanPlace = { text: 'keep', other: 'keep' };
const UNTOUCHED: SpanPlace = { text: 'keep', other: 'keep', isUntouched: true };
const EMPTIED: SpanPlace = { text: 'drop', other: 'drop', leaves: 'empty' };
const NO_STATUS_CODE: SpanPlace = { text: 'drop', other: 'drop', rule: 'error' };

function placeOf(treatment: Treatment, isCredential: boolean): SpanPlace {
  return {
    text: treatment,
    other: isPerson(treatment) ? treatment : ONLY_TEXTS.has(treatment) ? 'drop' : 'keep',
    ...(treatment === 'drop' && isCredential && { rule: 'credential' }),
  };
}

/** A number is one too. */
function isPerson(treatment: Treatment): treatment is 'pseudonym' | 'subject' {
  return treatment === 'pseudonym' || treatment === 'subject';
}

/** Of these a text may stay in part, and nothing else. */
const ONLY_TEXTS: ReadonlySet<Treatment> = new Set(['drop', 'command']);

function inherited({ dialect, isInText, attribute }: SpanPlace): Partial<SpanPlace> {
  return {
    ...(dialect && { dialect }),
    ...(isInText && { isInText }),
    ...(attribute !== undefined && { attribute }),
  };
}

/** `Key` is no key to OTLP, and may be one to whoever reads the document. */
function isKey(name: string): boolean {
  return name.length === 3 && name.toLowerCase() === 'key';
}

function isKeyNode(document: JsonDocument, key: Node): boolean {
  if (!document.isEscaped(key) && document.end(key) - document.start(key) !== 5) return false;
  return isKey(document.string(key) as string);
}

/** The name of an attribute in a list of pairs that is the value of another. */
function joined(above: string | undefined, key: string): string {
  if (above === undefined || above.length + key.length > MAX_JOINED_CHARACTERS) return key;
  return `${above}.${key}`;
}

interface WholeRule {
  readonly rule: string;
  isFor(document: JsonDocument, value: Node): boolean;
}

/** Values that cannot be redacted in part go whole. */
const WHOLE: Partial<Record<Treatment, WholeRule>> = {
  // A pseudonym is a text.
  pseudonym: { rule: 'person', isFor: holdsNumber },
  subject: { rule: 'subject', isFor: holdsNumber },
  // What an argument is shows the one before it: a list would have to be read as one.
  command: { rule: 'command', isFor: (document, value) => !isText(document, value) },
};

/** Whether an AnyValue is a number, or a list with one. */
function holdsNumber(document: JsonDocument, value: Node): boolean {
  if (document.kind(value) === Kind.number) return true;
  return document.members(value).some(({ key, value: inner }) => {
    const name = plainName(document.string(key) as string);
    if (name === 'arrayvalue') return holdsNumber(document, inner);
    if (name === 'values') return document.items(inner).some((item) => holdsNumber(document, item));
    return name === 'intvalue' || name === 'doublevalue';
  });
}

function isText(document: JsonDocument, value: Node): boolean {
  if (document.kind(value) === Kind.string) return true;
  return (
    document.isObject(value) &&
    document.members(value).every((member) => document.kind(member.value) === Kind.string)
  );
}

function dropped({ leaves }: SpanPlace, rule: string): string {
  if (leaves === 'empty') return '""';
  return JSON.stringify(leaves === 'any_value' ? { stringValue: marker(rule) } : marker(rule));
}
