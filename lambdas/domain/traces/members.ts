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
