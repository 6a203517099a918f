import type { Dialect, Readings } from './dialect.ts';

type Rule = keyof Readings;

/**
 * One way through the open rules of a dialect. A rule is decided when the text first asks for it and
 * then holds to its end, so that only rules that matter to this text make readings.
 */
export class Decisions {
  private readonly values: Map<Rule, boolean>;
  /** Rules decided by this run, in order; the ones it was given are not among them. */
  readonly taken: Rule[] = [];
  /** Offset of the first token for which an open rule was asked; up to it all readings agree. */
  firstAt = Number.POSITIVE_INFINITY;

  private readonly dialect: Dialect;

  constructor(dialect: Dialect, given?: ReadonlyMap<Rule, boolean>) {
    this.dialect = dialect;
    this.values = given ? new Map(given) : new Map();
  }

  /** Whether a rule holds in this reading. */
  holds(rule: Rule, at: number): boolean {
    const setting = this.dialect[rule];
    if (setting !== 'open') return setting;
    const decided = this.values.get(rule);
    if (decided !== undefined) return decided;
    this.firstAt = Math.min(this.firstAt, at);
    this.values.set(rule, true);
    this.taken.push(rule);
    return true;
  }

  /** The readings that this run left out: all before a rule as here, the rule itself the other way. */
  alternatives(): Decisions[] {
    return this.taken.map((rule, index) => {
      const given = new Map(this.values);
      for (const later of this.taken.slice(index)) given.delete(later);
      return new Decisions(this.dialect, given.set(rule, false));
    });
  }
}
