import type { ObjectVersion } from '../evidence/ports.ts';
import { DAY_MILLIS, type RetentionPolicy } from '../evidence/retention.ts';
import type { Inspection } from './inspection.ts';
import type { RetentionExtender } from './ports.ts';

/** A lock grows by whole steps, so that a run of a year costs each of its objects some four calls and not one a day. */
export const EXTENSION_STEP_DAYS = 90;

/** Versions that one audit extends, at some five calls each: three minutes of the fifteen that it has. */
const MAX_EXTENSIONS = 20_000;

/**
 * Until when a lock that stands is to be extended: whole steps from its own end, to what is needed and to what
 * the bucket policy takes today. Undefined when it lasts long enough.
 */
export function extendedUntil(
  standing: string,
  neededMillis: number,
  floorDays: number,
  nowMillis: number,
): string | undefined {
  const from = Date.parse(standing);
  if (from >= neededMillis) return undefined;
  const writable = nowMillis + (floorDays + 1) * DAY_MILLIS;
  const step = EXTENSION_STEP_DAYS * DAY_MILLIS;
  const steps = Math.ceil((Math.max(neededMillis, writable) - from) / step);
  return new Date(from + steps * step).toISOString();
}

/** How a version is locked after it was to be extended, or why it is not. */
export type Covered =
  | { readonly until: string; readonly lastModified?: string }
  | { readonly short: 'missing' | 'denied' | 'not_locked' | 'refused' | 'left' };

export interface LockExtensionDependencies {
  readonly inspection: Inspection;
  readonly extender: RetentionExtender;
  readonly retention: RetentionPolicy;
  readonly now: number;
  /** @default - {@link MAX_EXTENSIONS} */
  readonly maxExtensions?: number;
}

/** Extends locks: each is looked at first, is never shortened, and what is not locked at all is left to be found. */
export class LockExtension {
  /** Versions whose lock was made longer. */
  extended = 0;
  /** Versions that are left to another run of the same audit. */
  left = 0;
  readonly #dependencies: LockExtensionDependencies;

  constructor(dependencies: LockExtensionDependencies) {
    this.#dependencies = dependencies;
  }

  /** Sees that a version is locked until an instant. Not to be called twice at once for one version. */
  async cover(version: ObjectVersion, neededMillis: number): Promise<Covered> {
    const { inspection, extender, retention, now } = this.#dependencies;
    const { maxExtensions = MAX_EXTENSIONS } = this.#dependencies;
    const state = await inspection.of(version);
    if (state.status !== 'present') return { short: state.status };
    const { mode, retainUntil, lastModified } = state;
    if (mode === undefined || retainUntil === undefined) return { short: 'not_locked' };
    const seen = lastModified === undefined ? {} : { lastModified };
    const until = extendedUntil(retainUntil, neededMillis, retention.floorDays, now);
    if (until === undefined) return { until: retainUntil, ...seen };
    if (this.extended >= maxExtensions) {
      this.left++;
      return { short: 'left' };
    }
    this.extended++;
    if (!(await extender.extend(version, { mode, retainUntil: until }))) {
      this.extended--;
      return { short: 'refused' };
    }
    inspection.relocked(version, until);
    return { until, ...seen };
  }
}
