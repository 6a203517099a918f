import type { JsonDocument, Member } from '../json/document.ts';
import { Kind, type Node } from '../json/scanner.ts';

/** Members of OTLP/JSON that have one form, and what they are then: an id of digits is no card number. */
const FORMS: ReadonlyMap<string, RegExp> = new Map(
  Object.entries({
    traceId: /^(?:[0-9a-f]{32})?$/i,
    spanId: /^(?:[0-9a-f]{16})?$/i,
    parentSpanId: /^(?:[0-9a-f]{16})?$/i,
    timeUnixNano: /^\d{1,20}$/,
    startTimeUnixNano: /^\d{1,20}$/,
    endTimeUnixNano: /^\d{1,20}$/,
    // Longer ones may be the number of a card or a person.
    intValue: /^-?\d{1,12}$/,
  }).flatMap(
    ([name, form]): Array<[string, RegExp]> => [
      [name, form],
      [name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), form],
    ],
  ),
);

const STATUS_CODE = /^(?:STATUS_CODE_[A-Z]{2,5}|\d)$/;

/** The members of an object that are what OTLP says they are, each time that they stand there. */
export function wellFormedMembers(
  document: JsonDocument,
  members: readonly Member[],
  isStatus: boolean,
): ReadonlySet<string> | undefined {
  let wellFormed: Set<string> | undefined;
  let illFormed: Set<string> | undefined;
  for (const { key, value } of members) {
    const name = document.string(key) as string;
    const form = isStatus && name === 'code' ? STATUS_CODE : FORMS.get(name);
    if (form === undefined) continue;
    if (hasForm(document, value, form)) wellFormed = (wellFormed ?? new Set()).add(name);
    else illFormed = (illFormed ?? new Set()).add(name);
  }
  for (const name of illFormed ?? []) wellFormed?.delete(name);
  return wellFormed;
}

function hasForm(document: JsonDocument, value: Node, form: RegExp): boolean {
  const text = document.string(value);
  if (text !== undefined) return form.test(text);
  return document.kind(value) === Kind.number && form.test(document.raw(value));
}
