import { BOOLEAN, CUT, DATA, NUMBER, SECRET, STRING, TEMPLATE } from './tokens.ts';

export type LiteralKind = 'string' | 'number' | 'boolean' | 'bareValue' | 'data';

/** How a literal is called in facts. */
export function literalKind(kind: number): LiteralKind {
  if (kind === STRING) return 'string';
  if (kind === NUMBER) return 'number';
  if (kind === BOOLEAN) return 'boolean';
  return kind === SECRET ? 'bareValue' : 'data';
}

/** Literals by their name, of tokens counted by kind. */
export function countLiterals(kinds: Uint32Array): Record<LiteralKind, number> {
  return {
    string: kinds[STRING] as number,
    number: kinds[NUMBER] as number,
    boolean: kinds[BOOLEAN] as number,
    bareValue: kinds[SECRET] as number,
    data: (kinds[DATA] as number) + (kinds[TEMPLATE] as number) + (kinds[CUT] as number),
  };
}
