/** A sentence that a reader of an answer must know, in a form that a program can act on. */
export interface Qualification {
  readonly code: string;
  readonly text: string;
  readonly from: 'producer' | 'store';
  /** Where the producer says it. */
  readonly path?: string;
}

/** What the store itself has to say about an answer. */
export function storeSays(code: string, text: string): Qualification {
  return { code, text, from: 'store' };
}
