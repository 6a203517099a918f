import type { ErrorFields } from './error-fields.ts';
import type { RedactedValue, StatementFacts } from './redact-value.ts';

/** What had to be taken from a document before its values went, by path. */
export interface RedactionFacts {
  readonly statements?: ReadonlyArray<StatementFacts & { readonly path: string }>;
  readonly errors?: ReadonlyArray<ErrorFields & { readonly path: string }>;
  /** Facts beyond the bound of the list; what they were taken from is stored all the same. */
  readonly leftOut?: number;
}

/** A trace of thousands of spans has a statement in each; a filter takes some 60 characters. */
const MAX_CHARACTERS = 256 * 1024;
const CHARACTERS_OF_FACT = 300;
const CHARACTERS_OF_FILTER = 100;

/** Collects facts in the order of the document, up to a bound. */
export class FactList {
  private readonly statements: Array<StatementFacts & { path: string }> = [];
  private readonly errors: Array<ErrorFields & { path: string }> = [];
  private characters = 0;
  private leftOut = 0;

  add(path: string, { statement, error: fields }: RedactedValue): void {
    const says = statement !== undefined || Object.keys(fields ?? {}).length > 0;
    if (!says) return;
    const filters = statement?.filters?.length ?? 0;
    this.characters += path.length + CHARACTERS_OF_FACT + filters * CHARACTERS_OF_FILTER;
    if (this.characters > MAX_CHARACTERS) this.leftOut++;
    else if (statement) this.statements.push({ path, ...statement });
    else this.errors.push({ path, ...fields });
  }

  all(): RedactionFacts {
    const { statements, errors, leftOut } = this;
    return {
      ...(statements.length > 0 && { statements }),
      ...(errors.length > 0 && { errors }),
      ...(leftOut > 0 && { leftOut }),
    };
  }
}
