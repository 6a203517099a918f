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
  const of = (kind: number) => kinds[kind] as number;
  return {
    string: of(STRING),
    number: of(NUMBER),
    boolean: of(BOOLEAN),
    bareValue: of(SECRET),
    data: of(DATA) + of(TEMPLATE) + of(CUT),
  };
}
