import type { ObjectVersion } from '../evidence/ports.ts';
import type { Hold, HoldCover } from './hold.ts';

/** The legal hold of an object version, apart from its retention: no date, and no bypass. */
export interface LegalHolds {
  /** @throws AccessDeniedError, UnavailableError */
  set(version: ObjectVersion, on: boolean): Promise<void>;
}

/** Legal holds as they stand, a cache of `holds/` in the vault. Every look is consistent, every write idempotent. */
export interface HoldIndex {
  /** Of two steps of a hold the later one stands, in whatever order they are put. */
  put(hold: Hold): Promise<void>;
  /** Active and released ones. */
  ofRun(runKey: string): Promise<Hold[]>;
  /** @param after the id at which the last page ended */
  list(limit: number, after?: string): Promise<{ holds: Hold[]; next?: string }>;
  /** Whether there has ever been a hold: without one, nobody has to look further. */
  hasAny(): Promise<boolean>;
  /** Says how a hold stands towards a subject; the later step of a hold stands. */
  putCover(subject: string, cover: HoldCover): Promise<void>;
  covers(subject: string): Promise<HoldCover[]>;
}
