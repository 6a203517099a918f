import type { Damage, ReportDamage } from './verify-damage.ts';

/** Damaged objects that are compared with each other; those beyond are reported as they were found. */
const MAX_SUSPECTS = 10_000;

/** A damaged object: what was sealed under its key, and what stands there now (hex SHA-256). */
interface Suspect {
  readonly damage: Damage;
  readonly sealed?: string;
  readonly found?: string;
}

/**
 * Tells moved objects from changed, missing and extra ones: the content of one was sealed as another's. What was sealed and
 * stands nowhere else remains damage of its own.
 */
export class Suspects {
  readonly #report: ReportDamage;
  #suspects: Suspect[] = [];

  constructor(report: ReportDamage) {
    this.#report = report;
  }

  add(suspect: Suspect): void {
    if (this.#suspects.length < MAX_SUSPECTS) this.#suspects.push(suspect);
    else this.#report(suspect.damage);
  }

  /** Reports all of them. */
  resolve(): void {
    const sealedAs = new Map(
      this.#suspects.flatMap(({ sealed, damage }) => (sealed ? [[sealed, damage.key]] : [])),
    );
    const originOf = ({ damage, found }: Suspect) => {
      const origin = found === undefined ? undefined : sealedAs.get(found);
      return origin === damage.key ? undefined : origin;
    };
    const elsewhere = new Set(
      this.#suspects.filter((suspect) => originOf(suspect)).map(({ found }) => found),
    );
    for (const suspect of this.#suspects) {
      const { key, versionId } = suspect.damage;
      const origin = originOf(suspect);
      const isLost = suspect.sealed !== undefined && !elsewhere.has(suspect.sealed);
      if (origin !== undefined) {
        this.#report({ kind: 'moved_object', key, detail: `it was sealed as ${origin}` });
        if (!isLost) continue;
        const detail = 'another object stands in its place';
        this.#report({ kind: 'missing_object', key, ...(versionId && { versionId }), detail });
      } else if (isLost || suspect.sealed === undefined) {
        this.#report(suspect.damage);
      }
    }
    this.#suspects = [];
  }
}
