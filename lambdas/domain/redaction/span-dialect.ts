import type { JsonDocument, Member } from '../json/document.ts';
import { NONE, type Node } from '../json/scanner.ts';
import type { SourcedDialect } from './event-dialect.ts';
import { dialectName } from './sql/dialects.ts';

/** What semantic conventions call the database of a span, the present name first. */
const SYSTEM_ATTRIBUTES = ['db.system.name', 'db.system'];

/**
 * The dialect of the statements in a span, by its own attributes. Of names that disagree none counts,
 * and one that no dialect has leaves every reading open.
 * @param members of the span
 */
export function spanDialect(
  document: JsonDocument,
  members: readonly Member[],
): SourcedDialect | undefined {
  const named = members
    .filter(({ key }) => document.isNamed(key, 'attributes'))
    .flatMap(({ value }) => systemsOf(document, value));
  for (const attribute of SYSTEM_ATTRIBUTES) {
    const names = named.filter(({ key }) => key === attribute).map(({ system }) => system);
    const [name] = names;
    if (name === undefined || dialectName(name) === undefined) continue;
    const isAgreed = names.every((other) => dialectName(other) === dialectName(name));
    return isAgreed ? { name, source: 'span' } : undefined;
  }
  return undefined;
}

interface NamedSystem {
  readonly key: string;
  readonly system: string;
}

function systemsOf(document: JsonDocument, attributes: Node): NamedSystem[] {
  return document.items(attributes).flatMap((attribute) => {
    const key = SYSTEM_ATTRIBUTES.find((name) => {
      const node = document.get(attribute, 'key');
      return node !== NONE && document.string(node) === name;
    });
    if (key === undefined) return [];
    const value = document.get(attribute, 'value');
    const system =
      document.string(document.get(value, 'stringValue')) ??
      document.string(document.get(value, 'string_value'));
    return system === undefined ? [] : [{ key, system }];
  });
}
