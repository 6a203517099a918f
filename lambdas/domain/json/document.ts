import { decodesTo } from './escapes.ts';
import { ESCAPED, Kind, NONE, type Node, scan } from './scanner.ts';

/** A member of an object: the nodes of its key and its value. */
export interface Member {
  readonly key: Node;
  readonly value: Node;
}

/**
 * JSON text with the positions of all its values: read without parsing numbers, edited without
 * printing. Every answer about a node is O(1) but for {@link JsonDocument.members} and {@link JsonDocument.items}.
 */
export class JsonDocument {
  readonly text: string;
  readonly root: Node = 0;
  readonly #tape: Int32Array;

  /** @throws JsonSyntaxError when the text is not JSON as {@link scan} takes it */
  constructor(text: string, maxDepth?: number) {
    this.text = text;
    this.#tape = scan(text, maxDepth);
  }

  /** Number of nodes; they are numbered in the order of the text. */
  get size(): number {
    return this.#tape.length / 4;
  }

  kind(node: Node): Kind {
    return ((this.#tape[node * 4] as number) & ~ESCAPED) as Kind;
  }

  /** Whether a string is spelled with an escape. */
  isEscaped(node: Node): boolean {
    return ((this.#tape[node * 4] as number) & ESCAPED) !== 0;
  }

  /** Offset of the first character of the value, in UTF-16 units. */
  start(node: Node): number {
    return this.#tape[node * 4 + 1] as number;
  }

  /** Offset behind the last character of the value. */
  end(node: Node): number {
    return this.#tape[node * 4 + 2] as number;
  }

  /** The value exactly as the producer spelled it. */
  raw(node: Node): string {
    return this.text.slice(this.start(node), this.end(node));
  }

  /** The decoded text of a string; undefined for any other kind and for {@link NONE}. */
  string(node: Node): string | undefined {
    if (node === NONE || this.kind(node) !== Kind.string) return undefined;
    const inner = this.text.slice(this.start(node) + 1, this.end(node) - 1);
    return this.isEscaped(node) ? (JSON.parse(`"${inner}"`) as string) : inner;
  }

  /** Members of an object in the order sent, duplicates included; empty for any other kind. */
  members(node: Node): Member[] {
    const members: Member[] = [];
    if (node === NONE || this.kind(node) !== Kind.object) return members;
    const end = this.next(node);
    for (let key = node + 1; key < end; ) {
      const value = key + 1;
      members.push({ key, value });
      key = this.next(value);
    }
    return members;
  }

  /** Items of an array; empty for any other kind. */
  items(node: Node): Node[] {
    const items: Node[] = [];
    if (node === NONE || this.kind(node) !== Kind.array) return items;
    const end = this.next(node);
    for (let item = node + 1; item < end; item = this.next(item)) items.push(item);
    return items;
  }

  /** Value of the member with this (decoded) name; the last one wins, as in every JSON parser. */
  get(node: Node, name: string): Node {
    let found = NONE;
    if (!this.isObject(node)) return found;
    const end = this.next(node);
    for (let key = node + 1; key < end; key = this.next(key + 1)) {
      if (this.isNamed(key, name)) found = key + 1;
    }
    return found;
  }

  /** Follows member names down from a node; {@link NONE} as soon as one is missing. */
  at(node: Node, ...names: readonly string[]): Node {
    return names.reduce(
      (current, name) => (current === NONE ? NONE : this.get(current, name)),
      node,
    );
  }

  isObject(node: Node): boolean {
    return node !== NONE && this.kind(node) === Kind.object;
  }

  /** Whether a string has this (decoded) text. */
  isNamed(node: Node, name: string): boolean {
    const start = this.start(node) + 1;
    if (this.isEscaped(node)) return decodesTo(this.text, start, this.end(node) - 1, name);
    return this.end(node) - start - 1 === name.length && this.text.startsWith(name, start);
  }

  /** The node behind a node and everything in it. */
  next(node: Node): Node {
    return this.#tape[node * 4 + 3] as number;
  }
}
