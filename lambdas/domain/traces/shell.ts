import type { JsonDocument } from '../json/document.ts';
import { Kind, NONE, type Node } from '../json/scanner.ts';
import { otlpMember } from './members.ts';

/** The text of an object around the items of one of its arrays: `{…"spans":[` and `]…}`, to the byte. */
export interface Shell {
  readonly head: string;
  readonly tail: string;
}

/** Cuts an object open at an array member. Undefined when the member is no array. */
function shellOf(document: JsonDocument, object: Node, name: string): Shell | undefined {
  const array = otlpMember(document, object, name);
  if (array === NONE || document.kind(array) !== Kind.array) return undefined;
  return {
    head: document.text.slice(document.start(object), document.start(array) + 1),
    tail: document.text.slice(document.end(array) - 1, document.end(object)),
  };
}

/** Shells of the three levels of an export, each cut once. */
export class ExportShells {
  readonly #document: JsonDocument;
  readonly #shells = new Map<Node, Shell>();

  constructor(document: JsonDocument) {
    this.#document = document;
  }

  root(): Shell {
    return this.#shell(this.#document.root, 'resourceSpans');
  }

  resourceSpans(node: Node): Shell {
    return this.#shell(node, 'scopeSpans');
  }

  scopeSpans(node: Node): Shell {
    return this.#shell(node, 'spans');
  }

  #shell(node: Node, name: string): Shell {
    let shell = this.#shells.get(node);
    if (!shell) {
      shell = shellOf(this.#document, node, name) ?? { head: `{"${name}":[`, tail: ']}' };
      this.#shells.set(node, shell);
    }
    return shell;
  }
}
