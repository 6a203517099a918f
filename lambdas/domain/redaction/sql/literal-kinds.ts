import { BOOLEAN, NUMBER, SECRET, STRING } from './tokens.ts';

export type LiteralKind = 'string' | 'number' | 'boolean' | 'bareValue' | 'data';

/** How a literal is called in facts. */
export function literalKind(kind: number): LiteralKind {
  if (kind === STRING) return 'string';
  if (kind === NUMBER) return 'number';
  if (kind === BOOLEAN) return 'boolean';
  return kind === SECRET ? 'bareValue' : 'data';
}
