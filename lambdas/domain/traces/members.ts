import type { JsonDocument } from '../json/document.ts';
import { NONE, type Node } from '../json/scanner.ts';

/** A member by its lowerCamelCase name, or by the snake_case name that some senders write. */
export function otlpMember(document: JsonDocument, node: Node, name: string): Node {
  const found = document.get(node, name);
  return found === NONE ? document.get(node, snakeCase(name)) : found;
}

/** `traceId` as `trace_id`. */
export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/**
 * Whether an object has a member more than once, in one spelling or in both. A reader takes one of them and
 * the rest would be lost, so this is asked where a span hangs on it.
 */
export function isWrittenTwice(document: JsonDocument, node: Node, name: string): boolean {
  const names = spellingsOf(name);
  const end = document.next(node);
  let isFound = false;
  for (let key = node + 1; key < end; key = document.next(key + 1)) {
    if (!isOneOf(document, key, names)) continue;
    if (isFound) return true;
    isFound = true;
  }
  return false;
}

/** Whether an object has a member of none of these names, in either spelling. */
export function hasOtherMembers(
  document: JsonDocument,
  node: Node,
  known: readonly string[],
): boolean {
  const names = known.flatMap(spellingsOf);
  return document.members(node).some(({ key }) => !isOneOf(document, key, names));
}

function spellingsOf(name: string): string[] {
  const snake = snakeCase(name);
  return snake === name ? [name] : [name, snake];
}

function isOneOf(document: JsonDocument, key: Node, names: readonly string[]): boolean {
  return names.some((name) => document.isNamed(key, name));
}
