import { LineageError } from '../errors.ts';
import type { ObjectVersion, VersionInspector } from '../evidence/ports.ts';
import { versionName } from '../evidence/version-name.ts';
import { type HoldCover, isActive } from './hold.ts';
import type { HoldIndex, LegalHolds } from './ports.ts';

export interface CoverDependencies {
  readonly holds: HoldIndex;
  readonly legalHolds: LegalHolds;
  readonly inspector: VersionInspector;
}

/** A version after its bit was settled. */
export type SettledVersion =
  | {
      readonly status: 'present';
      /** References of the active holds that keep it; the bit is off where there is none. */
      readonly heldBy: readonly string[];
      readonly retainUntil?: string;
      readonly lastModified: string;
    }
  | { readonly status: 'missing' };

/** Holds that change at the same time make a version be looked at again; more than this is a fault. */
const MAX_ROUNDS = 8;

/** Writes how a hold stands towards a version, then settles its bit. @throws LineageError */
export async function coverVersion(
  version: ObjectVersion,
  cover: HoldCover,
  dependencies: CoverDependencies,
): Promise<SettledVersion> {
  await dependencies.holds.putCover(versionName(version), cover);
  return settle(version, dependencies);
}

/**
 * Makes the bit of a version say what its covers say, and is done only when it has seen so after its last write.
 * Whoever changes a cover settles after it, so that of any number of these at once the last write is the right one.
 */
async function settle(
  version: ObjectVersion,
  { holds, inspector, legalHolds }: CoverDependencies,
): Promise<SettledVersion> {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const heldBy = await activeReferences(version, holds);
    const state = await inspector.inspect(version);
    if (state.status === 'missing') return { status: 'missing' };
    if (state.status === 'denied') throw new LineageError('access_denied', 'S3 denies a look');
    const { lastModified, legalHold, retainUntil } = state;
    if (legalHold === heldBy.length > 0) {
      return { status: 'present', heldBy, lastModified, ...(retainUntil && { retainUntil }) };
    }
    await legalHolds.set(version, heldBy.length > 0);
  }
  throw new LineageError('hold_contended', 'holds on one version kept changing');
}

/**
 * The same for who stores a new version, and may set the bit but not lift it: a release in the same moment can leave
 * it on, until {@link reconcileHolds} looks at what was released lately.
 */
export async function coverArrival(
  version: ObjectVersion,
  cover: HoldCover,
  { holds, legalHolds }: Pick<CoverDependencies, 'holds' | 'legalHolds'>,
): Promise<void> {
  await holds.putCover(versionName(version), cover);
  if ((await activeReferences(version, holds)).length > 0) await legalHolds.set(version, true);
}

async function activeReferences(version: ObjectVersion, holds: HoldIndex): Promise<string[]> {
  const covers = await holds.covers(versionName(version));
  return covers.filter(isActive).map(({ reference }) => reference);
}
