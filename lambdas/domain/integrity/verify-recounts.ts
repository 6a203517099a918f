import type { Digest, Recount } from './digest.ts';
import { GRACE_MILLIS } from './recount-bounds.ts';
import type { Damage } from './verify-damage.ts';

/** Counts that are kept by name while they stand; those beyond are counted. */
const MAX_STANDING = 1_000;

/** What a count of one shard and interval came to, by the last digest that says something of it. */
export interface StandingRecount
  extends Pick<Recount, 'plane' | 'shardId' | 'from' | 'to' | 'countedAt'> {
  /** Key of that digest. */
  readonly digestKey: string;
  /** Records that the stream took, and those of them that are nowhere. */
  readonly accepted: number;
  readonly notStored: number;
  /** Sequence numbers of the first of them. */
  readonly missing: readonly string[];
}

/** How many counts of one shard and interval there were of each outcome, by the digests that were walked. */
export interface RecountTally {
  /** Everything that the stream took is stored. */
  equal: number;
  /** Not everything is stored yet, or the stream could not be read, as the last digest says. */
  behind: number;
  /** The stream had let go of the records before they were counted: nobody can say. */
  notRecounted: number;
  /** Records were accepted and are not stored. */
  notStored: number;
}

/** Where a later verification goes on. */
export interface RecountState {
  readonly standing: readonly StandingRecount[];
  /** As the last digest says: counted and behind for too long, and how many others are behind. */
  readonly overdue: readonly StandingRecount[];
  readonly behind: number;
  /** Lost beyond those that are named. */
  readonly beyond: number;
  readonly equal: number;
  readonly notRecounted: number;
}

/**
 * What digests say of the records that were accepted, taken together in the order of the chain. A digest repeats whatever
 * the one before left behind. What was found missing stays so until a count finds it, also when the stream has let go of it.
 */
export class Recounts {
  readonly #standing = new Map<string, StandingRecount>();
  #overdue: StandingRecount[];
  #behind: number;
  #beyond: number;
  #equal: number;
  #notRecounted: number;

  constructor(state: RecountState = NOTHING) {
    for (const recount of state.standing) this.#standing.set(nameOf(recount), recount);
    this.#overdue = [...state.overdue];
    this.#behind = state.behind;
    this.#beyond = state.beyond;
    this.#equal = state.equal;
    this.#notRecounted = state.notRecounted;
  }

  /** @param covers which intervals are of interest, by their begin (RFC 3339 UTC) */
  add({ location, recounts }: Digest, covers: (from: string) => boolean = () => true): void {
    const overdue = new Map(this.#overdue.map((recount) => [nameOf(recount), recount]));
    this.#behind = 0;
    this.#overdue = [];
    for (const recount of recounts.filter(({ from }) => covers(from))) {
      const name = nameOf(recount);
      const { status } = recount;
      if (status === 'missing') this.#keep(name, standing(recount, location.key));
      else if (status === 'behind') this.#addBehind(standing(recount, location.key));
      else if (status === 'equal') {
        this.#standing.delete(name);
        this.#equal++;
      } else this.#letGo(name, overdue.get(name));
    }
  }

  #addBehind(recount: StandingRecount): void {
    const isOverdue = Date.parse(recount.countedAt) - Date.parse(recount.to) >= GRACE_MILLIS;
    if (isOverdue && recount.notStored > 0) this.#overdue.push(recount);
    else this.#behind++;
  }

  /** Nobody counts it any more: what the last count did not find is lost. */
  #letGo(name: string, overdue: StandingRecount | undefined): void {
    if (overdue) this.#keep(name, overdue);
    else if (!this.#standing.has(name)) this.#notRecounted++;
  }

  #keep(name: string, recount: StandingRecount): void {
    if (this.#standing.has(name) || this.#standing.size < MAX_STANDING) {
      this.#standing.set(name, recount);
    } else this.#beyond++;
  }

  /** Counts that found records which are not stored, and have not found them since. */
  get lost(): StandingRecount[] {
    return [...this.#standing.values(), ...this.#overdue];
  }

  get tally(): RecountTally {
    return {
      equal: this.#equal,
      behind: this.#behind,
      notRecounted: this.#notRecounted,
      notStored: this.lost.length + this.#beyond,
    };
  }

  get state(): RecountState {
    return {
      standing: [...this.#standing.values()],
      ...{ overdue: this.#overdue, behind: this.#behind },
      beyond: this.#beyond,
      equal: this.#equal,
      notRecounted: this.#notRecounted,
    };
  }

  damages(): Damage[] {
    const named = this.lost.map(({ digestKey: key, ...recount }) => ({
      kind: 'accepted_not_stored' as const,
      key,
      detail: describe(recount),
    }));
    if (this.#beyond === 0) return named;
    const detail = `${this.#beyond} further counts of shards found records that are not stored`;
    return [...named, { kind: 'accepted_not_stored', key: 'digests/', detail }];
  }
}

const NOTHING: RecountState = {
  ...{ standing: [], overdue: [], behind: 0, beyond: 0, equal: 0, notRecounted: 0 },
};

function nameOf({ plane, shardId, from, to }: Pick<Recount, 'plane' | 'shardId' | 'from' | 'to'>) {
  return `${plane}/${shardId}/${from}/${to}`;
}

/** Of a count that was never made, nothing is known to be lost. */
function standing(recount: Recount, digestKey: string): StandingRecount {
  const { plane, shardId, from, to, countedAt, accepted = 0, stored = accepted, missing } = recount;
  const lost = Math.max(accepted - stored, 0);
  return {
    ...{ plane, shardId, from, to, countedAt, digestKey, accepted, notStored: lost },
    missing: missing ?? [],
  };
}

function describe(recount: Omit<StandingRecount, 'digestKey'>): string {
  const { plane, shardId, from, to, accepted, notStored, missing, countedAt } = recount;
  const numbers = missing.length > 0 ? `, sequence numbers ${missing.join(', ')}` : '';
  return `${notStored} of ${accepted} records that ${plane} shard ${shardId} took from ${from} to ${to} are not stored${numbers}; last looked for at ${countedAt}`;
}
