import type { JsonDocument } from '../json/document.ts';
import type { Node } from '../json/scanner.ts';
import { isIndexable } from '../openlineage/identity.ts';
import { isMarker } from '../redaction/marker.ts';
import { otlpMember } from './members.ts';

/** A span that covers several runs is real, one that lists hundreds is a flood of index rows. */
const MAX_RUN_IDS_PER_SPAN = 32;

/** Run ids in the attributes of a span: strings, or arrays of them. `unusable` when one could not be filed. */
export function readRunIds(
  document: JsonDocument,
  attributes: Node,
  names: ReadonlySet<string>,
): { readonly runIds: readonly string[]; readonly unusable: boolean } {
  const found = new Set<string>();
  let unusable = false;
  if (names.size === 0) return { runIds: [], unusable };
  for (const attribute of document.items(attributes)) {
    const key = document.string(document.get(attribute, 'key'));
    if (key === undefined || !names.has(key)) continue;
    for (const text of stringsOf(document, document.get(attribute, 'value'))) {
      if (isUsable(text) && found.size < MAX_RUN_IDS_PER_SPAN) found.add(text);
      else unusable = true;
    }
  }
  return { runIds: [...found], unusable };
}

function isUsable(text: string | undefined): text is string {
  return text !== undefined && text !== '' && isIndexable(text) && !isMarker(text);
}

function stringsOf(document: JsonDocument, value: Node): Array<string | undefined> {
  const list = otlpMember(document, otlpMember(document, value, 'arrayValue'), 'values');
  const items = document.items(list);
  return (items.length > 0 ? items : [value]).map((item) =>
    document.string(otlpMember(document, item, 'stringValue')),
  );
}
