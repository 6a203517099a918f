import { isDigit } from './characters.ts';

/** Longer texts are rarely met twice. */
const MAX_CHARACTERS = 160;
const MAX_DIGITS = 8;
/** Of each generation: the names and addresses of a deployment, at about 200 bytes each. */
const MAX_TEXTS = 2_000;

/**
 * What was found out about short texts, for as long as they keep coming: when a generation is full, it
 * becomes the last one, and what nobody asked for since goes. What holds data must not get in here.
 */
export class Memory<V> {
  private recent = new Map<string, V>();
  private last = new Map<string, V>();

  get(text: string): V | undefined {
    if (text.length > MAX_CHARACTERS) return undefined;
    const found = this.recent.get(text);
    if (found !== undefined) return found;
    const old = this.last.get(text);
    if (old !== undefined) this.put(text, old);
    return old;
  }

  set(text: string, value: V): void {
    if (text.length <= MAX_CHARACTERS && !isNumbered(text)) this.put(text, value);
  }

  private put(text: string, value: V): void {
    if (this.recent.size >= MAX_TEXTS) {
      this.last = this.recent;
      this.recent = new Map();
    }
    this.recent.set(copyOf(text), value);
  }
}

/** More digits than a date has: an id or a time, which comes once. */
function isNumbered(text: string): boolean {
  let digits = 0;
  for (let at = 0; at < text.length; at++) {
    if (isDigit(text.charCodeAt(at)) && ++digits > MAX_DIGITS) return true;
  }
  return false;
}

/** A piece of a text keeps the whole text in memory, which here is a document before redaction. */
export function copyOf(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le');
}
